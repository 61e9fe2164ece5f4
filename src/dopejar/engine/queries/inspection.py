"""`Memory.inspection`: everything that an interface shows about queue, records and ledger.

Takes: filters, and items that other verbs returned. Gives: pages, details, previews, counts. Never: writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.engine.arguments import checked
from dopejar.engine.lookup import project_labels
from dopejar.engine.queries import ledger_search, proposal_details, record_details, record_search, weekly_overview
from dopejar.engine.queries.queue_index import QueueIndex, QueueState, read_queue_state
from dopejar.engine.review.decisions import staleness_reason
from dopejar.values.ids import ProposalId, RecordId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dopejar.engine.dependencies import Dependencies
    from dopejar.engine.queries.record_details import ErasurePreview
    from dopejar.engine.results import History, ReviewItem
    from dopejar.engine.review.decisions import SeenVersions
    from dopejar.engine.review.erasure_echoes import Echo
    from dopejar.ports.store import StoreSizes
    from dopejar.values.ids import ActId, EpisodeId


@checked
class Inspection:
    """Read-only queries."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def queue_index(self) -> QueueIndex:
        """A new cache of the review queue."""
        return QueueIndex(self._deps)

    def queue_state(self) -> QueueState:
        """How many proposals wait, and the store's change counter."""
        with self._deps.store.read() as view:
            return read_queue_state(view)

    def stale_proposals(self, names: Sequence[str], seen: SeenVersions) -> dict[str, str]:
        """Those of the proposals that were decided or changed since they were seen, each with what happened to it."""
        reasons = {}
        with self._deps.store.read() as view:
            for name in names:
                proposal = view.proposal(ProposalId(name))
                reason = "does not exist any more." if proposal is None else staleness_reason(proposal, seen)
                if reason:
                    reasons[name] = reason
        return reasons

    def proposal_details(self, item: ReviewItem, reviewer: str = "") -> proposal_details.ProposalDetails:
        """One proposal in full, with a preview of its approval by this reviewer."""
        return proposal_details.proposal_details(self._deps, item, reviewer)

    def record_details(self, history: History) -> record_details.RecordDetails:
        """One record in full."""
        return record_details.record_details(self._deps, history)

    def preview_erasure(self, history: History) -> ErasurePreview:
        """What erasing a record would take away. Raises InputError where it is erased already."""
        return record_details.preview_erasure(self._deps, history)

    def preview_echoes(
        self, *, records: Sequence[str] = (), episodes: Sequence[EpisodeId] = (), conversation: str = ""
    ) -> tuple[Echo, ...]:
        """What would still speak of these after their erasure. Raises NotFoundError where a name fits nothing."""
        from dopejar.engine.review import erasure  # few look at an erasure

        return erasure.preview_echoes(self._deps, records=records, episodes=episodes, conversation=conversation)

    def browse(self, filters: record_search.BrowseFilter) -> record_search.RecordPage:
        """One page of records. Raises InputError where the scope cannot be parsed."""
        return record_search.browse_records(self._deps, filters)

    def search_ledger(self, filters: ledger_search.LedgerFilter) -> ledger_search.LedgerPage:
        """One page of ledger entries."""
        return ledger_search.search_ledger(self._deps, filters)

    def act(self, name: str) -> ledger_search.ActEntries:
        """One act by its id or the beginning of its id. Raises NotFoundError, AmbiguousIdError."""
        return ledger_search.act_entries(self._deps, name)

    def act_summary(self, name: str) -> ledger_search.ActSummary | None:
        """What an act did; None where the name is that of no act."""
        return ledger_search.act_summary(self._deps, name)

    def undo_target(self, name: str) -> str:
        """The id of the act or the conversation that `undo` would undo. Raises NotFoundError, AmbiguousIdError."""
        from dopejar.engine.review.reviewer_actions import undo_of

        with self._deps.store.read() as view:
            undo = undo_of(view, name)
        return str(undo.act_id or undo.conversation)

    def latest_act(self, record_id: str) -> ActId:
        """The last act that changed a record."""
        with self._deps.store.read() as view:
            return view.entries_about(RecordId(record_id))[-1].act_id

    def daily_activity(self, days: int) -> tuple[ledger_search.DailyActivity, ...]:
        """What changed on each of the last days."""
        return ledger_search.daily_activity(self._deps, days)

    def last_week(self) -> weekly_overview.Week:
        """What was learned, changed and recalled in the last seven days."""
        return weekly_overview.last_week(self._deps)

    def projects(self) -> Mapping[str, str]:
        """The name for people of each project, by its id."""
        with self._deps.store.read() as view:
            return project_labels(view)

    def sizes(self) -> StoreSizes:
        """Counts and bytes of the store."""
        with self._deps.store.read() as view:
            return view.sizes()
