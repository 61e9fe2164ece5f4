"""What was said since about a memory in force, and waits for a person: nothing is retired before that.

Takes: ranked items, their citations, a snapshot. Gives: the items, records with the user's later words. Never: words of
anybody else, or words that were decided on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.newer_wordings import newer_wordings
from dopejar.ports.store import ProposalLink
from dopejar.values.episode import Origin
from dopejar.values.proposal import Add, Proposal, ProposalState, Supersede
from dopejar.values.record import Status

if TYPE_CHECKING:
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.store import ReadView
    from dopejar.values.ids import RecordId
    from dopejar.values.recall import Citation
    from dopejar.values.record import Record
    from dopejar.values.scope import ReadScope

_LEAST_TRUST: Final = 0.5


def mark_later_statements(
    items: Sequence[RankedItem], cited: Mapping[RecordId, Sequence[Citation]], scope: ReadScope, view: ReadView
) -> Sequence[RankedItem]:
    """The items; a record that a waiting statement would replace, or contradicts, with the last one of these."""
    if not view.count_proposals(ProposalState.STAGED):
        return items
    found = list(items)
    for place, record in ((place, item.record) for place, item in enumerate(items)):
        if record is None:
            continue
        since = max((turn.at for turn in cited.get(record.id, ())), default=record.valid_from)
        later = [
            (row.at, proposal.payload.draft.text)
            for proposal in _waiting_against(record, scope, view)
            if isinstance(proposal.payload, Add | Supersede)
            for row in proposal.evidence
            if row.at > since and row.trust >= _LEAST_TRUST
        ]
        if later:
            found[place] = replace(items[place], later_statement=max(later))
    return found


def _waiting_against(record: Record, scope: ReadScope, view: ReadView) -> list[Proposal]:
    """What the user said that waits and would take the place of the record, contradicts it, or is of its own slot."""
    links = (ProposalLink.TARGET, ProposalLink.CONFLICT)
    linked = [one for link in links for one in view.linked_proposals(record.id, link)]
    beside = [view.proposal_of(one.id) for one in newer_wordings(record, scope, view, Status.STAGED)]
    waiting = (
        one
        for one in (*linked, *filter(None, beside))
        if one.state is ProposalState.STAGED and one.origin is Origin.USER and not one.signals.instruction_like
    )
    return list({one.id: one for one in waiting}.values())
