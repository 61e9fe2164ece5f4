"""`Memory.review`: the review queue and its decisions.

Takes: ids of proposals, a reviewer, and which versions they saw. Gives: review items and receipts. Never: decides about
another version than the reviewer saw, or twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.queries import tool_checks
from dopejar.engine.review import decisions, impact_preview, proposals
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.proposal_enums import ProposalState

if TYPE_CHECKING:
    from dopejar.engine.results import ReviewItem
    from dopejar.engine.review.decisions import SeenVersions
    from dopejar.memory.commit import Receipt  # loaded with the verbs that commit


class ReviewQueue:
    """Waiting proposals, and the decisions about them.

    `seen` maps proposals to the versions that the reviewer saw. Where one of them was decided or changed meanwhile,
    also by another process, the whole decision is a StaleProposalError and nothing is written.
    """

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def queue(
        self, states: Sequence[ProposalState] = (ProposalState.STAGED,), limit: int = 200, offset: int = 0
    ) -> tuple[ReviewItem, ...]:
        """A page of the waiting proposals (or of those in other states): most severe first, then oldest."""
        with self._deps.store.read() as view:
            return proposals.list_queue(view, states, limit, offset)

    def waiting(self) -> int:
        """How many proposals wait for a reviewer."""
        with self._deps.store.read() as view:
            return view.count_proposals(ProposalState.STAGED)

    def show(self, name: str, *, past: bool = True) -> ReviewItem:
        """One proposal with its evidence, the turns around it, related records, and where it would have applied.

        With `past=False`, past conversations are not searched for turns where it would have applied; for a rule that
        is much faster.
        """
        with self._deps.store.read() as view:
            item = proposals.show_proposal(self._deps, view, name)
            if not past:
                return item
            turns = impact_preview.affected_turns(view, item.proposal)
            return replace(item, past=turns, is_checkable=tool_checks.would_be_checked(view, item.proposal))

    def approve(
        self, names: Sequence[str], by: Reviewer, trace_id: TraceId | None = None, *, seen: SeenVersions | None = None
    ) -> tuple[Receipt, ...]:
        """Approve proposals, all in one act.

        Raises:
            NotFoundError: an id is unknown. RefusedError: a rule refuses what no approval lifts. StaleProposalError:
            a proposal was decided or changed since it was seen, or its targets moved; look at it again.
        """
        return decisions.approve(self._deps, names, by, trace_id or new_trace_id(), seen or {})

    def reject(
        self,
        names: Sequence[str],
        by: Reviewer,
        reason: str = "",
        trace_id: TraceId | None = None,
        *,
        seen: SeenVersions | None = None,
    ) -> tuple[Receipt, ...]:
        """Reject proposals, all in one act; they are not proposed again without a person."""
        return decisions.reject(self._deps, names, reason, by, trace_id or new_trace_id(), seen or {})

    def edit(
        self,
        name: str,
        text: str,
        by: Reviewer,
        trace_id: TraceId | None = None,
        *,
        seen: SeenVersions | None = None,
    ) -> Receipt:
        """Approve a proposal with another text."""
        return decisions.edit(self._deps, name, text, by, trace_id or new_trace_id(), seen or {})
