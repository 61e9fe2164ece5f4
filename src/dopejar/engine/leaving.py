"""What reading conversations for corrections left behind: held rows, one a conversation.

Takes: a view or a transaction. Gives: what was left, and keeps it in step with undo and erasure. Never: holds words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.memory.hold import hold
from dopejar.pipelines.corrections.proposing.unproposed import Place, Read, dump, load
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.held import Held
from dopejar.values.ids import ConversationId
from dopejar.values.proposal import Undo

READ = "corrections"  # kind of these rows
_MOST_ACTS = 1000  # undoings of undoings that are followed


def left_behind(view: ReadView, like: Read, but: ConversationId) -> dict[ConversationId, tuple[Place, ...]]:
    """What other conversations of the same project and namespace left behind."""
    found = {}
    for row in view.held_of(READ):
        name = ConversationId(row.key)
        read = load(row.body)
        same = (read.project, read.namespace) == (like.project, like.namespace)
        if name != but and same and read.once and not read.is_taken_back:
            found[name] = read.once
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
        read = replace(read, is_taken_back=load(old.body).is_taken_back)
    hold(tx, Held(kind=READ, key=conversation, body=dump(read), version=old.version if old else 0))


def note_taken_back(tx: WriteTransaction, wish: Undo) -> None:
    """Let what a conversation left behind follow the undoing of its learning, and the undoing of that."""
    is_taken_back, acts = True, 0
    while wish.conversation is None and wish.act_id is not None and acts < _MOST_ACTS:
        entries = tx.entries_of_act(wish.act_id)
        earlier = tx.proposal(entries[0].proposal_id) if entries else None
        if earlier is None or not isinstance(earlier.payload, Undo):
            return
        wish, is_taken_back, acts = earlier.payload, not is_taken_back, acts + 1
    row = tx.held(READ, wish.conversation) if wish.conversation else None
    if row is not None:
        hold(tx, replace(row, body=dump(replace(load(row.body), is_taken_back=is_taken_back))))


def forget_left_behind(tx: WriteTransaction, conversations: Sequence[ConversationId]) -> None:
    """Drop what reading these conversations left behind: words of theirs were erased."""
    for name in conversations:
        row = tx.held(READ, name)
        if row is not None:
            hold(tx, replace(row, body=dump(replace(load(row.body), once=()))))
