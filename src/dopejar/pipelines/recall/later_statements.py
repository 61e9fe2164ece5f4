"""What was said since about a memory in force, and may end or replace it: nothing is retired before that is sure.

Takes: ranked items, their citations, a snapshot. Gives: the items, records with the user's later words. Never: words of
anybody else, or words that were decided on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.newer_wordings import newer_wordings
from dopejar.pipelines.recall.ranked_item import LaterStatement
from dopejar.values.edge import EdgeKind
from dopejar.values.episode import Origin, is_order_unknown
from dopejar.values.ids import RecordId
from dopejar.values.proposal_enums import ProposalState
from dopejar.values.record import Status

if TYPE_CHECKING:
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.store import ReadView
    from dopejar.values.proposal import Proposal
    from dopejar.values.recall import Citation
    from dopejar.values.record import Record
    from dopejar.values.scope import ReadScope

_LEAST_TRUST: Final = 0.5


def mark_later_statements(
    items: Sequence[RankedItem], cited: Mapping[RecordId, Sequence[Citation]], scope: ReadScope, view: ReadView
) -> Sequence[RankedItem]:
    """The items; a record that a later statement may end or replace with the last one of these.

    It waits and would replace or contradict the record, or it is a memory in force that was not found to end the record
    for sure.
    """
    is_waiting, in_doubt = bool(view.count_proposals(ProposalState.STAGED)), _in_doubt(items, scope, view)
    if not (is_waiting or in_doubt):
        return items
    from dopejar.memory.overlay import asserting_turns  # in few memories anything waits or is in doubt

    found = list(items)
    for place, record in ((place, item.record) for place, item in enumerate(items)):
        if record is None:
            continue
        since = max((turn.at for turn in cited.get(record.id, ())), default=record.valid_from)
        said = _waiting_words(record, scope, view) if is_waiting else []
        for one in in_doubt.get(record.id, ()):
            is_unknown = is_order_unknown(asserting_turns(view, one.id), asserting_turns(view, record.id))
            said.append(LaterStatement(one.valid_from, one.text, waits=False, is_dated=not is_unknown))
        later = [one for one in said if one.at > since or not one.is_dated]
        if later:
            found[place] = replace(items[place], later_statement=max(later))
    return found


def _in_doubt(items: Sequence[RankedItem], scope: ReadScope, view: ReadView) -> Mapping[RecordId, list[Record]]:
    """The memories in force that may end or update records of the items, by the ids of these."""
    edges = view.edges([item.id for item in items if item.record is not None], (EdgeKind.MAY_END,))
    makers = view.records([edge.record_id for edge in edges if edge.record_id is not None]) if edges else {}
    found: dict[RecordId, list[Record]] = {}
    for edge in edges:
        made = makers.get(edge.record_id) if edge.record_id is not None else None
        is_believed = made is not None and made.status is Status.ACTIVE and made.trust >= _LEAST_TRUST
        if made is not None and is_believed and scope.sees(made.namespace, made.scope):
            found.setdefault(RecordId(edge.dst), []).append(made)
    return found


def _waiting_words(record: Record, scope: ReadScope, view: ReadView) -> list[LaterStatement]:
    """The words that wait against the record, each with its time."""
    from dopejar.memory.overlay import asserting_turns
    from dopejar.values.proposal import Add, Supersede

    found = []
    for proposal in _waiting_against(record, scope, view):
        rows = [row for row in proposal.evidence if row.trust >= _LEAST_TRUST]
        if not rows or not isinstance(proposal.payload, Add | Supersede):
            continue
        turns = view.episodes(tuple(row.episode_id for row in rows)).values()
        is_dated = not is_order_unknown(turns, asserting_turns(view, record.id))
        found += [LaterStatement(row.at, proposal.payload.draft.text, waits=True, is_dated=is_dated) for row in rows]
    return found


def _waiting_against(record: Record, scope: ReadScope, view: ReadView) -> list[Proposal]:
    """What the user said that waits and would take the place of the record, contradicts it, or is of its own slot."""
    from dopejar.ports.store import ProposalLink

    links = (ProposalLink.TARGET, ProposalLink.CONFLICT)
    linked = [one for link in links for one in view.linked_proposals(record.id, link)]
    beside = [view.proposal_of(one.id) for one in newer_wordings(record, scope, view, Status.STAGED)]
    waiting = (
        one
        for one in (*linked, *filter(None, beside))
        if one.state is ProposalState.STAGED and one.origin is Origin.USER and not one.signals.instruction_like
    )
    return list({one.id: one for one in waiting}.values())
