"""Two records of one thing: a statement that says both brings them together.

Takes: the records near a statement with how surely it says each, and the nearness of wordings. Gives: the step that
states one once more and lets it take the other's place. Never: brings together what a person approved, what has
versions before it, or what any one of the wordings sets apart.

An early wording may start a record of its own because the one before had too little in common with it. A later one
that says them both, surely, shows that they are one. Three judgements have to agree: the statement and the one
record, the statement and the other, and the wordings of the two records among themselves, with it at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step
from dopejar.pipelines.ingest.paraphrase.candidates import Neighbour
from dopejar.pipelines.ingest.paraphrase.merge_candidates import NearnessOf, is_mergeable, may_be_one
from dopejar.pipelines.ingest.paraphrase.sameness import Sameness, same_statement
from dopejar.values.ids import new_proposal_id
from dopejar.values.proposal import Proposal, Signals, Supersede
from dopejar.values.record import Draft, Kind, Record
from dopejar.values.target import RecordTarget

SURE: Final = 0.7  # of the judgement about the statement and the record that is taken in
_MOST: Final = 6  # wordings of each record that are held against the other's
_DIRECTING: Final = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION})


def said_again(
    told: str, found: Sequence[tuple[Sameness, Neighbour]], nearness: NearnessOf, why: str
) -> ChainMove | None:
    """The step that states the record once more that is said most surely, with those that it takes in; None: none is.

    Where one of two directs the work and the other only states, the one that directs stays.
    """
    said = sorted((one for one in found if one[0].same), key=lambda one: -one[0].score)
    if not said:
        return None
    best, others = said[0], [one for one in said[1:] if _may_meet(said[0], one)]
    joined = [one[1] for one in others if _one_thing(told, best[1].wordings, one[1].wordings, nearness)]
    stays = best[1].record
    taken = [one.record for one in joined]
    if taken and stays.kind not in _DIRECTING:
        stays, *taken = sorted([stays, *taken], key=lambda one: one.kind not in _DIRECTING)
    return ChainMove(step=Step.REINFORCE, targets=(stays,), takes_in=tuple(taken), why=f"{why} ({best[0].score:.2f})")


def taken_in(wish: Proposal, draft: Draft, heir: Record, record: Record) -> Proposal:
    """The wish in the other record's slot as well: for what the statement says there, the reinforced one stands."""
    there = replace(draft, kind=record.kind, key=record.key, slot=record.slot, value=record.value, scope=record.scope)
    return replace(
        wish,
        id=new_proposal_id(),
        payload=Supersede(draft=there, predecessor=record.id, into=heir.id),
        targets=(RecordTarget(record_id=record.id, version=record.version),),
        scope=record.scope,
        signals=Signals(own_update=True),
        rationale=f"the statement says {heir.key} and {record.key}, and they say each other",
    )


def _may_meet(best: tuple[Sameness, Neighbour], other: tuple[Sameness, Neighbour]) -> bool:
    one, two = best[1].record, other[1].record
    return other[0].score >= SURE and may_be_one(one, two) and all(map(_is_the_users_own, (one, two)))


def _is_the_users_own(record: Record) -> bool:
    """Whether it rests on the user's word alone: what a person approved, or somebody else said, waits for a person."""
    return is_mergeable(record) and record.trust >= 1.0 and not record.approved_by


def _one_thing(told: str, one: Sequence[str], other: Sequence[str], nearness: NearnessOf) -> bool:
    """Whether half of the wordings of the record with fewer say the other and what was told, and none contradicts it.

    Only meaning tells.
    """
    few, many = sorted((one[:_MOST], other[:_MOST]), key=len)
    scores = [_says(wording, (*many, told), nearness) for wording in few]
    return min(scores, default=0.0) > 0.0 and sum(score >= SURE for score in scores) * 2 >= len(scores)


def _says(told: str, known: Sequence[str], nearness: NearnessOf) -> float:
    found = nearness(told, known)
    return 0.0 if None in found else same_statement(told, known, found).score
