"""What reading conversations for corrections left behind: held rows, one a conversation.

Takes: a view or a transaction. Gives: what was left, and keeps it in step with undo and erasure. Never: holds words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.memory.hold import hold
from dopejar.memory.undo_history import find_root
from dopejar.pipelines.corrections.proposing.unproposed import Place, Read, dump, load
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.ids import ConversationId
from dopejar.values.proposal import Undo
from dopejar.values.versioned_rows import KeyValueRow

READ = "corrections"  # kind of these rows


def left_behind(view: ReadView, like: Read, but: ConversationId) -> dict[ConversationId, tuple[Place, ...]]:
    """What other conversations of the same project and namespace left behind."""
    found = {}
    for row in view.held_of(READ):
        name = ConversationId(row.key)
        read = load(row.body)
        same = (read.project, read.namespace) == (like.project, like.namespace)
        if name != but and same and read.counts:
            found[name] = read.counts
    return found


def store_secret(view: ReadView) -> bytes:
    """The key of marks: the store's own."""
    return bytes.fromhex(view.meta("secret") or "00")


def read_of(view: ReadView, conversation: ConversationId) -> Read | None:
    """What reading a conversation left behind; None where it was never read."""
    row = view.held(READ, conversation)
    return load(row.body) if row else None


def put_read(tx: WriteTransaction, conversation: ConversationId, read: Read) -> None:
    """Note how far a conversation was read and what it left behind."""
    old = tx.held(READ, conversation)
    if old is not None:
        read = replace(read, taken_back=load(old.body).taken_back)
    hold(tx, KeyValueRow(kind=READ, key=conversation, body=dump(read), version=old.version if old else 0))


def note_taken_back(tx: WriteTransaction, wish: Undo) -> None:
    """Let what a conversation left behind follow the undoing of its learning, and the undoing of that."""
    root = find_root(tx, wish)
    if root.wish.conversation is None:
        return
    row = tx.held(READ, root.wish.conversation)
    if row is not None:
        said = max((turn.index + 1 for turn in tx.turns(root.wish.conversation)), default=0)
        hold(tx, replace(row, body=dump(replace(load(row.body), taken_back=said if root.takes_back else 0))))


def forget_left_behind(tx: WriteTransaction, conversations: Sequence[ConversationId]) -> None:
    """Drop what reading these conversations left behind: words of theirs were erased."""
    for name in conversations:
        row = tx.held(READ, name)
        if row is not None:
            hold(tx, replace(row, body=dump(replace(load(row.body), once=()))))
