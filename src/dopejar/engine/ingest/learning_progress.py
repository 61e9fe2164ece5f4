"""How far a live conversation was learned from: held rows beside its episodes.

Takes: a view or a transaction. Gives: the conversation that a host means, and its first turn that nothing was learned
from. Never: holds words; a name is kept as its digest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from dopejar.memory.hold import hold
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Episode
from dopejar.values.held_bodies import number_in, object_of, text_in
from dopejar.values.ids import ConversationId, conversation_id
from dopejar.values.versioned_rows import KeyValueRow

_SESSION = "live_session"
_PROGRESS = "learning_progress"


def live_conversation(view: ReadView, format_name: str, store: str, name: str) -> ConversationId | None:
    """The conversation that turns of this name were observed in; None where there was none yet."""
    row = view.held(_SESSION, _session_key(format_name, store, name))
    return read_live_session(row) if row else None


def begin(tx: WriteTransaction, format_name: str, store: str, name: str, conversation: ConversationId) -> None:
    """Note which conversation a name means; what it holds already was learned from."""
    body, key = json.dumps({"conversation": conversation}), _session_key(format_name, store, name)
    old = tx.held(_SESSION, key)
    hold(tx, KeyValueRow(kind=_SESSION, key=key, body=body, version=old.version if old else 0))
    if tx.held(_PROGRESS, conversation) is None:
        known = tx.conversation(conversation)
        _put(tx, conversation, known.imported if known else 0, version=0)


def live_names(view: ReadView) -> dict[ConversationId, list[str]]:
    """The names, as digests, under which hosts know each live conversation."""
    names: dict[ConversationId, list[str]] = {}
    for row in view.held_of(_SESSION):
        names.setdefault(read_live_session(row), []).append(row.key)
    return names


def take_over(tx: WriteTransaction, conversation: ConversationId, learned: int, names: Sequence[str]) -> None:
    """Note how far a conversation was learned from where an export was made; what is known here stays."""
    for name in names:
        if tx.held(_SESSION, name) is None:
            hold(tx, KeyValueRow(kind=_SESSION, key=name, body=json.dumps({"conversation": conversation})))
    if tx.held(_PROGRESS, conversation) is None:
        _put(tx, conversation, learned, version=0)


def first_unlearned(view: ReadView, conversation: ConversationId) -> int | None:
    """The index of the first turn that nothing was learned from; None where turns are learned from as they are kept."""
    row = view.held(_PROGRESS, conversation)
    return read_progress(row) if row else None


def advance(tx: WriteTransaction, conversation: ConversationId, episodes: Sequence[Episode]) -> None:
    """Note that these episodes, and all before them, were learned from."""
    row = tx.held(_PROGRESS, conversation)
    if row is None or not episodes:
        return
    learned = max(read_progress(row), episodes[-1].index + 1)
    _put(tx, conversation, learned, version=row.version)


def read_live_session(row: KeyValueRow) -> ConversationId:
    """The conversation that a name means. Raises as `values.held_bodies` does."""
    return ConversationId(text_in(object_of(row), "conversation"))


def read_progress(row: KeyValueRow) -> int:
    """How many turns were learned from. Raises as `values.held_bodies` does."""
    return number_in(object_of(row), "learned")


def _put(tx: WriteTransaction, conversation: ConversationId, learned: int, *, version: int) -> None:
    body = json.dumps({"learned": learned})
    hold(tx, KeyValueRow(kind=_PROGRESS, key=conversation, body=body, version=version))


def _session_key(format_name: str, store: str, name: str) -> str:
    return conversation_id(f"{format_name}:{store}", name)
