"""`Memory.maintenance`: the housekeeping that is due, the doctor, and new vectors for all texts.

Takes: a store and a time budget. Gives: reports of what was done. Never: changes what is believed, except that
proposals and ephemeral memories expire.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from dopejar.engine.arguments import checked
from dopejar.engine.corrections.inactive_sessions import recent_dialogues
from dopejar.engine.dependencies import Dependencies, Progress, Reviewer, no_progress
from dopejar.engine.erased_bytes import scrub
from dopejar.engine.maintenance.expiry import expire_ephemeral_records, expire_proposals
from dopejar.engine.maintenance.vector_backlog import count_missing, embed_missing
from dopejar.engine.results import MaintenanceReport
from dopejar.errors import StaleProposalError, StoreError
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.engine.results import DoctorReport, RekeyReport

_LEASE: Final = "lease"
_LEASE_DURATION: Final = timedelta(minutes=5)
_JOB: Final = "maintain"
_AT_LEISURE_S: Final = 1.0  # seconds of budget from which on blocks are gardened and merges are searched for


@checked
class Maintenance:
    """Housekeeping, repair and re-embedding."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def maintain(
        self, *, budget_s: float | None = None, progress: Progress = no_progress, trace_id: TraceId | None = None
    ) -> MaintenanceReport:
        """Do the housekeeping that is due, under a lease, within a budget in seconds.

        Nothing is done where the store is read-only or another process does it. Conversations are gardened and merges
        searched for only where the budget is a second or more.
        """
        deps, trace = self._deps, trace_id or new_trace_id()
        started = time.monotonic()
        if deps.store.is_read_only or not take_lease(deps, _JOB):
            return MaintenanceReport()
        deadline = None if budget_s is None else started + budget_s
        embedded = merges = blocks = 0
        try:
            not_scrubbed = scrub(deps, wait=budget_s is None)
            expired = _expire_proposals(deps, trace)
            with deps.store.write() as tx:
                dropped = tx.drop_expired(deps.system_clock.now())
            swept = expire_ephemeral_records(deps, trace)
            ended = _end_inactive_sessions(deps, trace, deadline)
            embedder = deps.embedder()
            if embedder is not None:
                embedded = embed_missing(deps, embedder, deadline=deadline, progress=progress)
            if budget_s is None or budget_s >= _AT_LEISURE_S:
                # no command has such a budget to spare
                from dopejar.engine.garden.gardener import Garden
                from dopejar.engine.maintenance.merge_sweep import propose_merges

                blocks = Garden(deps).tend_due(deadline)
                merges = propose_merges(deps, trace, deadline=deadline).proposed
            with deps.store.read() as view:
                left = view.sizes().outbox
        finally:
            drop_lease(deps, _JOB)
        return MaintenanceReport(
            embedded=embedded,
            expired=expired,
            dropped=dropped,
            swept=swept,
            ended=ended,
            merges=merges,
            blocks=blocks,
            left=left,
            not_scrubbed=not_scrubbed,
            seconds=time.monotonic() - started,
        )

    def tidy(self) -> MaintenanceReport:
        """The housekeeping that a writing command does at its end, within the setting `maintenance.budget_ms`."""
        return self.maintain(budget_s=self._deps.maintenance_ms / 1000)

    def backlog(self) -> int:
        """How many texts wait for a vector of the embedder in use; none where there is no embedder."""
        embedder = self._deps.embedder()
        return count_missing(self._deps, embedder) if embedder is not None else 0

    def reembed(self, progress: Progress = no_progress) -> int:
        """Make every vector anew with the embedder in use, and drop those of others; how many. Raises EmbedderError."""
        from dopejar.engine.maintenance.vector_backlog import reembed

        return reembed(self._deps, progress)

    def rekey(
        self, *, dry_run: bool = False, progress: Progress = no_progress, trace_id: TraceId | None = None
    ) -> RekeyReport:
        """Give the memories whose keys earlier versions made keys by the rules of today, in acts that can be undone.

        With `dry_run` nothing is changed. Raises EmbedderError where the model of the reader cannot be used.
        """
        from dopejar.engine.maintenance.key_migration import rekey

        return rekey(self._deps, trace_id or new_trace_id(), progress, dry_run=dry_run)

    def doctor(self, *, repair: bool = False) -> DoctorReport:
        """Check the file, its projections and the ledger; with `repair`, rebuild what can be rebuilt."""
        from dopejar.engine.maintenance.doctor import run_doctor

        return run_doctor(self._deps, repair=repair)

    def accept_row(self, name: str, by: Reviewer, trace_id: TraceId | None = None) -> None:
        """Let a row that was altered outside DoPeJar, as the doctor names it (`TABLE:ROW`), stand as it is.

        Raises:
            NotFoundError: the doctor names no such row. ReviewerRequiredError. StoreDamagedError: it cannot be read.
        """
        from dopejar.engine.review.row_acceptance import accept_row

        accept_row(self._deps, name, by, trace_id or new_trace_id())


def take_lease(deps: Dependencies, name: str) -> bool:
    """Whether this process may do the named work now.

    The lease of a process that died runs out after five minutes; one that ends later was taken by a clock ahead.
    """
    now = deps.system_clock.now()
    try:
        with deps.store.write() as tx:
            row = tx.held(_LEASE, name)
            if row is not None and row.expires_at is not None and now < row.expires_at <= now + _LEASE_DURATION:
                return False
            version = row.version if row else 0
            until = now + _LEASE_DURATION
            tx.put_held(KeyValueRow(kind=_LEASE, key=name, body="{}", version=version, expires_at=until))
    except (StaleProposalError, StoreError):
        return False  # another process took it, or nothing can be written now: the work can wait
    return True


def drop_lease(deps: Dependencies, name: str) -> None:
    """Let another process do the work."""
    with deps.store.write() as tx:
        tx.drop_held(_LEASE, name)


def _expire_proposals(deps: Dependencies, trace_id: TraceId) -> int:
    now = deps.system_clock.now()
    bullets_older_than = now - timedelta(days=deps.procedural.max_staging_age_days)
    older_than = now - timedelta(days=deps.max_age_days)
    return expire_proposals(deps, older_than, trace_id, bullets_older_than=bullets_older_than)


def _end_inactive_sessions(deps: Dependencies, trace_id: TraceId, deadline: float | None) -> int:
    with deps.store.read() as view:
        if not recent_dialogues(view, deps.clock.now()):
            return 0
    # the pipeline of corrections is loaded only where a session may have become inactive
    from dopejar.engine.corrections.sessions import end_idle

    return end_idle(deps, trace_id, deadline=deadline)
