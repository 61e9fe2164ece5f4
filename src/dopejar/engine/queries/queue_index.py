"""The review queue in memory: every waiting proposal as a row, read again after each change of the store.

Takes: the engine's dependencies. Gives: snapshots, pages, counts. Never: returns a row that is older than the store.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.engine.queries.queue_rows import QueueFilter, QueueRow, make_row, select_confident, select_rows
from dopejar.engine.review.review_items import list_queue
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.values.proposal import ProposalState
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dopejar.engine.dependencies import Dependencies
    from dopejar.ports.store import ReadView

_EVERYTHING: Final = 1_000_000
_PAGES_FROM_STORE: Final = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueSnapshot:
    """The whole queue at one moment. `change` is the store's change counter then."""

    change: str
    rows: tuple[QueueRow, ...]
    flagged: int
    confident: int


@dataclass(frozen=True, kw_only=True, slots=True)
class QueuePage:
    """One page of matching rows, and how many match in all."""

    rows: tuple[QueueRow, ...]
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RowSource:
    """Where the words of a row come from. `project` is the id of the project of the conversation."""

    quotation: str
    at: datetime
    project: str


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueState:
    """How many proposals wait, and the store's change counter."""

    waiting: int
    change: str


class QueueIndex:
    """A cache of the queue that is valid for one value of the store's change counter. Thread-safe."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._snapshot: QueueSnapshot | None = None
        self._lock = threading.Lock()

    @property
    def least_confidence(self) -> float:
        """The setting `procedural.staging.auto_assign_threshold`: from here on a reading counts as confident."""
        return self._deps.procedural.auto_assign_threshold

    def snapshot(self) -> QueueSnapshot:
        """The queue now."""
        change = self._change()
        with self._lock:
            if self._snapshot is None or self._snapshot.change != change:
                self._snapshot = self._read(change)
            return self._snapshot

    def cached(self) -> QueueSnapshot | None:
        """The last snapshot, if the store has not changed since; does not read the queue."""
        snapshot = self._snapshot
        return snapshot if snapshot is not None and snapshot.change == self._change() else None

    def page(self, filters: QueueFilter) -> QueuePage:
        """The rows of one page."""
        first = (filters.page - 1) * filters.per
        # the first pages come straight from the store; further on, skipping rows costs more than sorting a snapshot
        if filters.is_default and (filters.page <= _PAGES_FROM_STORE or self.cached() is None):
            with self._deps.store.read() as view:
                total, contradicted = read_queue_state(view).waiting, contradicted_bullets(view)
                items = list_queue(view, limit=filters.per, offset=first)
            return QueuePage(rows=tuple(make_row(item, contradicted) for item in items), total=total)
        matches = select_rows(self.snapshot().rows, filters)
        return QueuePage(rows=tuple(matches[first : first + filters.per]), total=len(matches))

    def sources(self, rows: Sequence[QueueRow]) -> dict[str, RowSource]:
        """For each row that rests on a turn: the words as they were said, when, and in which project."""
        spans = {row.id: row.said for row in rows if row.said is not None}
        with self._deps.store.read() as view:
            turns = view.episodes(tuple({span.episode_id for span in spans.values()}))
        return {
            name: RowSource(quotation=turn.text[span.start : span.end], at=turn.at, project=turn.project)
            for name, span in spans.items()
            if (turn := turns.get(span.episode_id)) is not None
        }

    def _change(self) -> str:
        with self._deps.store.read() as view:
            return read_queue_state(view).change

    def _read(self, change: str) -> QueueSnapshot:
        with self._deps.store.read() as view:
            contradicted = contradicted_bullets(view)
            items = list_queue(view, limit=_EVERYTHING)
        rows = tuple(make_row(item, contradicted) for item in items)
        return QueueSnapshot(
            change=change,
            rows=rows,
            flagged=sum(not row.is_clear for row in rows),
            confident=len(select_confident(rows, self.least_confidence, _EVERYTHING)),
        )


def read_queue_state(view: ReadView) -> QueueState:
    """How many proposals wait, and the store's change counter."""
    return QueueState(waiting=view.count_proposals(ProposalState.STAGED), change=view.meta("change_seq") or "")


def contradicted_bullets(view: ReadView) -> frozenset[str]:
    """Ids of waiting bullets that another bullet contradicts."""
    where = RecordFilter(statuses=(Status.STAGED,), kinds=(Kind.BULLET,), namespace=None, tag=CONFLICT_TAG)
    return frozenset(record.id for record in view.list_records(where, _EVERYTHING))
