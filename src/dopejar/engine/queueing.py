"""The one review queue's verbs: look, approve, reject, edit.

Takes: names of proposals, a reviewer, and which versions they saw. Gives: items and receipts. Never: decides about
something else than the reviewer saw, or twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dopejar.engine import checking, foreseeing, reviewing
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.proposal_enums import ProposalState

if TYPE_CHECKING:
    from dopejar.engine.results import ReviewItem
    from dopejar.engine.reviewing import Seen
    from dopejar.memory.commit import Receipt  # loaded with the verbs that commit


class ReviewQueue:
    """What waits for a person, and the decisions about it; `Memory` has these verbs.

    `seen` maps proposals to the versions that the reviewer saw. Where one of them was decided or changed meanwhile,
    also by another process, the whole decision is a StaleProposalError and nothing is written.
    """

    _deps: Dependencies

    def queue(
        self, states: Sequence[ProposalState] = (ProposalState.STAGED,), limit: int = 200, offset: int = 0
    ) -> tuple[ReviewItem, ...]:
        """What waits for a person: most severe first, then oldest."""
        with self._deps.store.read() as view:
            return reviewing.queue(view, states, limit, offset)

    def show_proposal(self, name: str, *, past: bool = True) -> ReviewItem:
        """One proposal with its evidence, the turns around it, what stands near it, and where it would have applied.

        Without `past` the conversations are not searched for where it would have applied; a rule costs far less then.
        """
        with self._deps.store.read() as view:
            item = reviewing.show(self._deps, view, name)
            if not past:
                return item
            turns = foreseeing.past_turns(view, item.proposal)
            return replace(item, past=turns, is_checkable=checking.would_be_checked(view, item.proposal))

    def approve(
        self,
        names: Sequence[str],
        by: Reviewer,
        trace_id: TraceId | None = None,
        *,
        seen: Seen | None = None,
    ) -> tuple[Receipt, ...]:
        """Approve proposals, all in one act."""
        return reviewing.approve(self._deps, names, by, trace_id or new_trace_id(), seen or {})

    def reject(
        self,
        names: Sequence[str],
        by: Reviewer,
        reason: str = "",
        trace_id: TraceId | None = None,
        *,
        seen: Seen | None = None,
    ) -> tuple[Receipt, ...]:
        """Reject proposals, all in one act; they are not proposed again by themselves."""
        return reviewing.reject(self._deps, names, reason, by, trace_id or new_trace_id(), seen or {})

    def edit(
        self,
        name: str,
        text: str,
        by: Reviewer,
        trace_id: TraceId | None = None,
        *,
        seen: Seen | None = None,
    ) -> Receipt:
        """Approve a proposal in other words."""
        return reviewing.edit(self._deps, name, text, by, trace_id or new_trace_id(), seen or {})
