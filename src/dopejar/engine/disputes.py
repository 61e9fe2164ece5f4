"""Disputes: statements that wait because they contradict a memory, and what became of that memory meanwhile.

Takes: a view, and waiting proposals. Gives: the memories in force that they contradict, and which statements a later
one has settled. Never: decides or writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from dopejar.memory.overlay import asserting_turns
from dopejar.ports.store import ProposalLink, ReadView
from dopejar.values.episode import is_order_unknown
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Add, Level, Proposal, ProposalState
from dopejar.values.record import Record, Status

_NONE: Final[Mapping[RecordId, Record]] = MappingProxyType({})


def disputed_ids(proposal: Proposal) -> tuple[RecordId, ...]:
    """The memories that a statement was found to contradict when it was staged: a person decides which holds.

    The conflict is high with a memory that was in force then, low with what waited for review as well.
    """
    is_disputed = isinstance(proposal.payload, Add) and proposal.signals.conflict in (Level.HIGH, Level.LOW)
    return proposal.signals.conflicts_with if is_disputed else ()


def rivals_of(view: ReadView, proposal: Proposal, retired_for: Mapping[RecordId, Record] = _NONE) -> tuple[Record, ...]:
    """The memories in force that a statement contradicts: those it was found to contradict, or what took their place.

    What was found to contradict it while both waited, and was approved since, is one of them. `retired_for` names what
    a reviewer approved in place of memories.
    """
    disputed = (*disputed_ids(proposal), *(one.id for one in _said_against(view, proposal, ProposalState.APPROVED)))
    found: dict[RecordId, Record] = {}
    for record in view.records(disputed).values() if disputed else ():
        current = _current(view, record, retired_for)
        if current is not None and current.id != proposal.record_id:
            found[current.id] = current
    return tuple(found.values())


def waiting_rivals(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """The records that wait for review as well and cannot hold beside what this proposal states, oldest first."""
    found = (*view.records(disputed_ids(proposal)).values(), *_said_against(view, proposal, ProposalState.STAGED))
    staged = {record.id: record for record in found if record.status is Status.STAGED}
    return tuple(sorted(staged.values(), key=lambda record: (record.valid_from, record.id)))


def _said_against(view: ReadView, proposal: Proposal, state: ProposalState) -> Iterator[Record]:
    """The records of additions in this state that were found to contradict a proposal's record while it waited."""
    if not isinstance(proposal.payload, Add) or proposal.record_id is None:
        return
    for other in view.linked_proposals(proposal.record_id, ProposalLink.CONFLICT):
        is_against = other.state is state and proposal.record_id in disputed_ids(other)
        record = view.record(other.record_id) if is_against and other.record_id else None
        if record is not None:
            yield record


def _current(view: ReadView, record: Record, retired_for: Mapping[RecordId, Record]) -> Record | None:
    """The record, or the one that took its place, if that is in force."""
    current: Record | None = record
    seen: set[RecordId] = set()
    while current is not None and current.status is not Status.ACTIVE and current.id not in seen:
        seen.add(current.id)
        heir = retired_for.get(current.id)
        current = heir or (view.record(current.superseded_by) if current.superseded_by is not None else None)
    return current if current is not None and current.status is Status.ACTIVE else None


def find_moved(
    view: ReadView, changed: Sequence[Record], retired_for: Mapping[RecordId, Record] = _NONE
) -> Iterator[tuple[Proposal, Record | None]]:
    """The waiting statements that contradicted what has just been replaced, with what settled them, if anything did.

    Settled is what was said, as far as anybody knows, before all that is now in force of the matter.
    """
    replaced = sorted({record.id for record in changed if record.status in (Status.SUPERSEDED, Status.DEPRECATED)})
    linked = (one for name in replaced for one in view.linked_proposals(name, ProposalLink.CONFLICT))
    for proposal in {one.id: one for one in linked if one.state is ProposalState.STAGED}.values():
        if not disputed_ids(proposal):
            continue
        said = max((row.at for row in proposal.evidence), default=proposal.at)
        rivals = rivals_of(view, proposal, retired_for)
        turns = view.episodes(tuple(row.episode_id for row in proposal.evidence)).values()
        is_settled = bool(rivals) and all(
            rival.valid_from > said and not is_order_unknown(turns, asserting_turns(view, rival.id)) for rival in rivals
        )
        yield proposal, rivals[-1] if is_settled else None
