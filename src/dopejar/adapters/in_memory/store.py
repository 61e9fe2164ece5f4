"""`InMemoryStore`: a store for one process, with snapshots and one writer at a time.

Takes: a clock. Gives: snapshots and the writer's transaction. Never: writes a file, or survives its process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from dopejar.adapters.in_memory.tables import Tables
from dopejar.adapters.in_memory.views import InMemoryReadView, InMemoryTransaction
from dopejar.errors import StoreBusyError, StoreError, StoreReadOnlyError

if TYPE_CHECKING:
    from dopejar.ports.clock import Clock
    from dopejar.ports.store import Store

_WAIT_SECONDS: Final = 15.0


class _Database:
    """What the handles of one store share: the tables of the last commit, and the writer's lock."""

    def __init__(self) -> None:
        self.tables = Tables()
        self.lock = threading.Lock()
        self.writer: int | None = None  # the thread that is writing


class InMemoryStore:
    """One tenant's store. Safe to use from several threads; `another_handle` gives a second handle on it."""

    file: Final[None] = None

    def __init__(self, *, clock: Clock | None = None, is_read_only: bool = False) -> None:
        self._now: Callable[[], datetime] = clock.now if clock is not None else lambda: datetime.now(UTC)
        self._is_read_only = is_read_only
        self._database = _Database()
        self._is_closed = False

    def another_handle(self, *, clock: Clock | None = None, is_read_only: bool = False) -> InMemoryStore:
        """A handle on the same store, open whether this one is closed or not."""
        handle = InMemoryStore(clock=clock, is_read_only=is_read_only)
        handle._database = self._database
        return handle

    @property
    def is_read_only(self) -> bool:
        """Whether this handle reads alone."""
        return self._is_read_only

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreError("This store is closed. Open it again.")

    @contextmanager
    def read(self) -> Iterator[InMemoryReadView]:
        """A snapshot to read from."""
        self._require_open()
        view = InMemoryReadView(self._database.tables, self._now)
        try:
            yield view
        finally:
            view.end()

    @contextmanager
    def write(self, *, wait: bool = True) -> Iterator[InMemoryTransaction]:
        """The writer's transaction; waits its turn. Raises StoreBusyError, StoreReadOnlyError."""
        self._require_open()
        if self._is_read_only:
            raise StoreReadOnlyError("This handle was opened for reading alone, so nothing was changed.")
        with self._writer_lock(_WAIT_SECONDS if wait else 0.0):
            before = self._database.tables
            tables = before.fork()
            tx = InMemoryTransaction(tables, self._now)
            try:
                yield tx
                if tables.is_changed:
                    _require_references(tables)
                    tables.meta.put("change_seq", str(int(tables.meta.get("change_seq") or "0") + 1))
                    self._database.tables = tables
            finally:
                tx.end()

    @contextmanager
    def _writer_lock(self, seconds: float) -> Iterator[None]:
        database = self._database
        if database.writer == threading.get_ident():
            raise StoreBusyError(
                "This thread is in the middle of a write to this store already. Use the transaction it has."
            )
        if not database.lock.acquire(timeout=seconds):
            raise StoreBusyError("Another thread has been writing for too long; nothing was written. Try again.")
        database.writer = threading.get_ident()
        try:
            yield
        finally:
            database.writer = None
            database.lock.release()

    def close(self) -> None:
        """Refuse every later read and write of this handle."""
        self._is_closed = True


def _require_references(tables: Tables) -> None:
    """Raises StoreError where a written row names a row that does not exist."""
    episodes = ((episode_id, tables.episodes.get(episode_id)) for episode_id in tables.episodes.written)
    orphans: list[str] = [
        episode_id
        for episode_id, episode in episodes
        if episode is not None and episode.conversation not in tables.conversations
    ]
    orphans += [record_id for record_id in tables.evidence.written if record_id not in tables.records]
    if orphans:
        raise StoreError(
            f"The change is inconsistent with the store ({orphans[0]}); nothing was written. Write the conversation"
            " before its episodes and the record before its evidence."
        )


if TYPE_CHECKING:

    def _implements_the_port(store: InMemoryStore) -> Store:
        return store
