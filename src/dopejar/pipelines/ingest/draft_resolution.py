"""Where a draft belongs before its chain is asked: its end, where it was merged to, what a model takes it for.

Takes: a draft and what is known. Gives: the draft as it is to be judged, or a doubt. Never: retires a record.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step, says_the_same
from dopejar.text.similar import similar
from dopejar.values.ids import RecordId
from dopejar.values.record import Draft, Record, Status
from dopejar.values.scope import Namespace, Scope, Side

_MOST_MERGES: Final = 8  # one after the other


class Chains(Protocol):
    """What settling must read of memory."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record of a chain, by `valid_from`."""
        ...


def resolve_draft(draft: Draft, at: datetime, ttl: timedelta, known: Chains) -> Draft:
    """The draft as it is judged: ephemeral ones end, restatements of a merged memory go where it went."""
    if draft.namespace is Namespace.EPHEMERAL:
        return make_temporary(draft, at + ttl)
    return draft if draft.temporary else follow_merge(draft, known)


def make_temporary(draft: Draft, end: datetime) -> Draft:
    """The draft as a temporary one: it ends then where its own words do not end it first."""
    return replace(draft, temporary=True, valid_to=min(draft.valid_to or end, end))


def follow_merge(draft: Draft, known: Chains) -> Draft:
    """The draft under the key of the memory that a person merged its own into, where that one says the same."""
    for record in known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key):
        home, steps = record, 0
        while (name := home.attributes.get(MERGED_INTO)) and steps < _MOST_MERGES:
            home, steps = known.record(RecordId(name)) or home, steps + 1
        is_merged = home.chain != record.chain and home.status is Status.ACTIVE and says_the_same(draft, record)
        if is_merged and similar(draft.text, home.text).same_meaning:
            return replace(draft, key=home.key, slot=home.slot, value=home.value)
    return draft


def move_for_slot_hint(draft: Draft, hint: str, known: Chains) -> ChainMove | None:
    """What a model's word that the draft belongs to this slot comes to: another value there is a doubt, never more."""
    if not hint or draft.slot or draft.temporary:
        return None
    for record in known.chain(draft.namespace, draft.scope, draft.side, hint):
        if record.status is not Status.ACTIVE or record.temporary:
            continue
        if similar(draft.text, record.text).same_meaning:
            return ChainMove(step=Step.REINFORCE, targets=(record,), why="a model and its words say the same")
        return ChainMove(step=Step.ADD, why=f"perhaps a new value of {record.key}", disputes=(record,))
    return None
