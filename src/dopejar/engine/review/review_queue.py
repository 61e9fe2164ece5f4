"""`Memory.review`: the review queue and its decisions.

Takes: ids of proposals, a reviewer, and which versions they saw. Gives: review items and receipts. Never: decides about
another version than the reviewer saw, or twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker, host_speaker
from dopejar.engine.lookup import find_proposal, find_scope
from dopejar.engine.queries import repeated_rules, tool_checks
from dopejar.engine.review import decisions, edited_drafts, impact_preview, review_items, shown_proposals
from dopejar.values.ids import ProposalId, TraceId, new_trace_id
from dopejar.values.proposal_enums import Action, ProposalState
from dopejar.values.scope import Namespace, Project

if TYPE_CHECKING:
    from dopejar.engine.results import DraftChange, ReviewItem
    from dopejar.engine.review.decisions import SeenVersions
    from dopejar.engine.review.shown_proposals import ShownProposals
    from dopejar.values.receipt import Receipt
    from dopejar.values.record import Record


_EVERY = 1_000_000


@checked
class ReviewQueue:
    """Waiting proposals, and the decisions about them.

    `seen` maps proposals to the versions that the reviewer saw. Where one of them is not named, or was decided or
    changed meanwhile, also by another process, the whole decision is a StaleProposalError and nothing is written.
    """

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def queue(
        self,
        states: Sequence[ProposalState] = (ProposalState.STAGED,),
        limit: int = 200,
        offset: int = 0,
        namespace: Namespace | None = None,
        *,
        checks: bool = False,
    ) -> tuple[ReviewItem, ...]:
        """A page of the waiting proposals (or of those in other states): most severe first, then oldest.

        With `checks`, `is_checkable` of each says whether tool calls would be checked against it.
        """
        with self._deps.store.read() as view:
            page = review_items.list_queue(view, states, limit, offset, namespace)
            return tuple(tool_checks.add_check(view, item) for item in page) if checks else page

    def waiting_by_namespace(self) -> Mapping[Namespace, int]:
        """How many proposals wait in each namespace."""
        with self._deps.store.read() as view:
            return review_items.count_by_namespace(view)

    def forget(
        self,
        subject: str,
        by: Reviewer | None = None,
        trace_id: TraceId | None = None,
        *,
        said_by: str = "",
        speaker: Speaker | None = None,
    ) -> tuple[Receipt, ...]:
        """Take memories that hold the words of a subject, or the one with this id, out of use: in one undoable act.

        Without a reviewer each of them is proposed, and waits. The words stay in their turns; that they be erased is
        proposed in any case.
        """
        from dopejar.engine.ingest.privacy import forget  # most reviews forget nothing

        asking = speaker or host_speaker("user" if by else said_by or self._deps.said_by)
        return forget(self._deps, subject, by, asking, trace_id or new_trace_id())

    def about(self, subject: str) -> tuple[Record, ...]:
        """The memories in use that `forget` would take out of use."""
        from dopejar.engine.ingest.subject_search import find_about

        with self._deps.store.read() as view:
            return find_about(view, subject)

    def waiting(self, project: Project | str | None = None) -> int:
        """How many proposals wait for a reviewer; with a project ("" for none), without those of other projects."""
        name = project.id if isinstance(project, Project) else project
        with self._deps.store.read() as view:
            return view.count_proposals(ProposalState.STAGED, name)

    def show(self, name: str, *, past: bool = True) -> ReviewItem:
        """One proposal with its evidence, the turns around it, related records, and where it would have applied.

        With `past=False`, past conversations are not searched for turns where it would have applied; for a rule that
        is much faster.
        """
        from dopejar.engine.queries.proposal_details import preview_approval  # most commands show no proposal

        with self._deps.store.read() as view:
            item = tool_checks.add_check(view, review_items.show_proposal(self._deps, view, name))
            item = replace(item, obstacle=preview_approval(self._deps, view, item.proposal).obstacle)
            item = replace(item, repeats=repeated_rules.repeated_rule(self._deps, view, item))
            return replace(item, past=impact_preview.affected_turns(view, item.proposal)) if past else item

    def approve(
        self,
        names: Sequence[str],
        by: Reviewer,
        trace_id: TraceId | None = None,
        *,
        seen: SeenVersions,
        keep_both: bool = False,
    ) -> tuple[Receipt, ...]:
        """Approve proposals, all in one act. An erasure, which nothing takes back, is approved alone.

        What a proposal contradicts or replaces is retired in the same act; with `keep_both` it stays.

        Raises:
            NotFoundError: an id is unknown. RefusedError: none of them can be approved; of several, the receipt of one
            that cannot says why it still waits. StaleProposalError: a proposal was decided or changed since it was
            seen, or its targets moved; look at it again. InputError: an erasure is among several.
        """
        receipts = decisions.approve(self._deps, names, by, trace_id or new_trace_id(), seen, keep_both=keep_both)
        with self._deps.store.read() as view:
            return tuple(tool_checks.add_check_note(view, receipt) for receipt in receipts)

    def would_retire(self, names: Sequence[str], *, keep_both: bool = False) -> Mapping[str, tuple[Record, ...]]:
        """The memories that approving these proposals would take out of force, by the name of the proposal."""
        with self._deps.store.read() as view:
            chosen = {name: find_proposal(view, name) for name in names}
            found = {name: review_items.would_retire(view, one, keep_both=keep_both) for name, one in chosen.items()}
            if not keep_both:  # of two that are approved together and cannot both hold, the later one stays
                together = {one.record_id for one in chosen.values()}
                for name, one in chosen.items():
                    found[name] += review_items.older_rivals(view, one, together)
        return {name: records for name, records in found.items() if records}

    def permanent(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the proposals whose approval erases words, which nothing takes back."""
        with self._deps.store.read() as view:
            return tuple(name for name in names if find_proposal(view, name).action is Action.ERASE)

    def reject(
        self,
        names: Sequence[str],
        by: Reviewer,
        reason: str = "",
        trace_id: TraceId | None = None,
        *,
        seen: SeenVersions,
    ) -> tuple[Receipt, ...]:
        """Reject proposals, all in one act; they are not proposed again without a person."""
        return decisions.reject(self._deps, names, reason, by, trace_id or new_trace_id(), seen)

    def edit(
        self,
        name: str,
        text: str | None,
        by: Reviewer,
        trace_id: TraceId | None = None,
        *,
        seen: SeenVersions,
        scope: str = "",
    ) -> Receipt:
        """Approve a proposal with another text, which is read anew, or for another scope, as `preview_edit` shows."""
        with self._deps.store.read() as view:
            chosen = find_scope(view, scope) if scope else None
        receipt = decisions.edit(self._deps, name, text, by, trace_id or new_trace_id(), seen, chosen)
        with self._deps.store.read() as view:
            return tool_checks.add_check_note(view, receipt)

    def preview_edit(self, name: str, text: str | None, scope: str = "") -> tuple[DraftChange, ...]:
        """What approving a proposal with another text or scope would change in it, and what it replaces then.

        None leaves the text as it is. A scope is universal, language:NAME or project:NAME, by id or label.
        """
        with self._deps.store.read() as view:
            proposal, chosen = find_proposal(view, name), find_scope(view, scope) if scope else None
            edited = edited_drafts.edited_proposal(self._deps, view, proposal, text, chosen)
            return edited_drafts.draft_changes(view, proposal, edited)

    def versions(self) -> dict[ProposalId, int]:
        """The versions of all that waits. Whoever shows it reads these first: what changes then was not seen."""
        with self._deps.store.read() as view:
            waiting = view.proposals((ProposalState.STAGED,), _EVERY)
            return {proposal.id: proposal.version for proposal in waiting}

    def note_shown(
        self, place: str, seen: Mapping[ProposalId, int], numbers: Mapping[int, ProposalId] | None = None
    ) -> bool:
        """Note which versions a place is shown, with the numbers of a listing; whether it could be noted."""
        now = self._deps.system_clock.now()
        return shown_proposals.note_shown(self._deps.store, place, seen, numbers, now)

    def shown(self, place: str) -> ShownProposals:
        """The numbers of the last listing at a place, and the versions that it was shown."""
        with self._deps.store.read() as view:
            return shown_proposals.shown_at(view, place, self._deps.system_clock.now())
