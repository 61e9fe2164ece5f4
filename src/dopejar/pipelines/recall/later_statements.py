"""What was said since about guidance that is in force, and waits for a person: nothing is retired before that.

Takes: ranked items, their citations, a snapshot. Gives: the items, rules with the user's later words. Never: words of
anybody else, or words that were decided on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.ports.store import ProposalLink
from dopejar.values.episode import Origin
from dopejar.values.proposal import Add, Proposal, ProposalState, Supersede
from dopejar.values.record import DIRECTING

if TYPE_CHECKING:
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.store import ReadView
    from dopejar.values.ids import RecordId
    from dopejar.values.recall import Citation
    from dopejar.values.record import Record

_LEAST_TRUST: Final = 0.5


def mark_later_statements(
    items: Sequence[RankedItem], cited: Mapping[RecordId, Sequence[Citation]], view: ReadView
) -> Sequence[RankedItem]:
    """The items; guidance that a waiting statement would replace, or contradicts, with the last one of these."""
    places = [
        (place, item.record)
        for place, item in enumerate(items)
        if item.record is not None and item.record.kind in DIRECTING
    ]
    if not places or not view.count_proposals(ProposalState.STAGED):
        return items
    found = list(items)
    for place, record in places:
        since = max((turn.at for turn in cited.get(record.id, ())), default=record.valid_from)
        later = [
            (row.at, proposal.payload.draft.text)
            for proposal in _waiting_against(record, view)
            if isinstance(proposal.payload, Add | Supersede)
            for row in proposal.evidence
            if row.at > since and row.trust >= _LEAST_TRUST
        ]
        if later:
            found[place] = replace(items[place], later_statement=max(later))
    return found


def _waiting_against(record: Record, view: ReadView) -> list[Proposal]:
    """What the user said that waits and would take the place of the record, or contradicts it."""
    linked = (
        one
        for link in (ProposalLink.TARGET, ProposalLink.CONFLICT)
        for one in view.linked_proposals(record.id, link)
        if one.state is ProposalState.STAGED and one.origin is Origin.USER and not one.signals.instruction_like
    )
    return list({one.id: one for one in linked}.values())
