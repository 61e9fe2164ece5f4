"""Resolution of a draft before it is compared with its chain: its expiry, merges of its chain, a model's slot hint.

Takes: a draft, stored records. Gives: the draft to be judged, or a conflict for review. Never: retires a record.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.ingest.chain_decision import Known, sureness, without_slot
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step, says_the_same
from dopejar.text.similarity import similar
from dopejar.values.ids import RecordId
from dopejar.values.record import Draft, Status
from dopejar.values.scope import Namespace

_MOST_MERGES: Final = 8  # merges that are followed in a row


def resolve_draft(draft: Draft, at: datetime, ttl: timedelta, known: Known) -> Draft:
    """The draft to be judged: an ephemeral one expires, a restatement of a merged memory follows the merge."""
    if draft.namespace is Namespace.EPHEMERAL:
        return make_temporary(draft, at + ttl)
    return draft if draft.temporary else follow_merge(draft, known)


def make_temporary(draft: Draft, end: datetime) -> Draft:
    """The draft as a temporary one that ends at `end`, or earlier where its own words say so."""
    return replace(draft, temporary=True, valid_to=min(draft.valid_to or end, end))


def follow_merge(draft: Draft, known: Known) -> Draft:
    """The draft under the key of the memory that its own was merged into, where that one says the same."""
    for record in known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key):
        target, steps = record, 0
        while (name := target.attributes.get(MERGED_INTO)) and steps < _MOST_MERGES:
            target, steps = known.record(RecordId(name)) or target, steps + 1
        is_merged = target.chain != record.chain and target.status is Status.ACTIVE and says_the_same(draft, record)
        if is_merged and similar(draft.text, target.text).same_meaning:
            return replace(draft, key=target.key, slot=target.slot, value=target.value)
    return draft


def move_for_slot_hint(draft: Draft, hint: str, known: Known) -> ChainMove | None:
    """The move that a model's slot hint suggests: another value in that slot is a conflict for review, never more."""
    if not hint or draft.slot or draft.temporary:
        return None
    for record in known.chain(draft.namespace, draft.scope, draft.side, hint):
        if record.status is not Status.ACTIVE or record.temporary:
            continue
        if similar(draft.text, record.text).same_meaning:
            return ChainMove(step=Step.REINFORCE, targets=(record,), why="a model and its words say the same")
        return ChainMove(step=Step.ADD, why=f"perhaps a new value of {record.key}", disputes=(record,))
    return None


def held_by_supposition(draft: Draft, move: ChainMove, at: datetime) -> tuple[Draft, ChainMove]:
    """The draft and its move; what was said surely waits where only a later supposition would take its place.

    In the order of time the supposition waits; here it holds, as it was imported first.
    """
    later = [one for one in move.targets if one.status is Status.ACTIVE and one.valid_from > at]
    supposed = tuple(one for one in later if sureness(one) < sureness(draft))
    if move.step is not Step.SUPERSEDE or not supposed:
        return draft, move
    return without_slot(draft), ChainMove(step=Step.ADD, disputes=supposed, why=f"before what is supposed: {draft.key}")
