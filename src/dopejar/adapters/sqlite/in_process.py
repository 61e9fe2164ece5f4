"""The store in the memory of this process alone.

Takes: a clock. Gives: `ports.store.Store`. Never: writes a file, or outlives its handles.

SQLite keeps no log of a database in memory, so nobody could write beside an open snapshot. A write that finds one goes
to a copy of the database, and the snapshot keeps what it reads. A snapshot waits for the end of another thread's write.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.sqlite.connection import connect_in_process
from dopejar.adapters.sqlite.fork_gate import fork_gate
from dopejar.adapters.sqlite.process_cache import ProcessCache
from dopejar.adapters.sqlite.schema import migrate
from dopejar.adapters.sqlite.sessions import StoreSessions, SystemTime
from dopejar.adapters.sqlite.writer_lock import WAIT_SECONDS, WRITES_ALREADY
from dopejar.errors import StoreBusyError, StoreError, StoreReadOnlyError

if TYPE_CHECKING:
    import apsw

    from dopejar.ports.clock import Clock

_PATH: Final = Path(":memory:")  # in errors
_numbers: Final = count(1)


class _Pages:
    """One database in memory. It is freed with the last of its connections."""

    def __init__(self) -> None:
        self._name = f"dopejar-{next(_numbers)}"
        self.writer = connect_in_process(self._name)
        self.idle: list[apsw.Connection] = []
        self.snapshots = 0  # that are open

    def reader(self) -> "apsw.Connection":
        """A connection for one snapshot."""
        return self.idle.pop() if self.idle else connect_in_process(self._name)

    def committed(self) -> "apsw.Connection":
        """A connection to what was committed before the write in progress; to be closed before that one ends."""
        return connect_in_process(self._name, is_beside_writer=True)

    def copy(self) -> "_Pages":
        """A database of its own with the same content."""
        copy = _Pages()
        with copy.writer.backup("main", self.writer, "main") as pages:
            pages.step(-1)
        return copy


class Database:
    """What the handles of one store share: its pages and caches, and whose turn it is to write."""

    def __init__(self, clock: "Clock | None" = None) -> None:
        self.cache = ProcessCache()
        self._pages = _Pages()
        self._changed = threading.Condition()
        self._writing: int | None = None  # the thread that writes
        migrate(self._pages.writer, _PATH, (clock or SystemTime()).now(), "local")

    @property
    def writer(self) -> "apsw.Connection":
        """The connection of the writer, whose turn it is."""
        return self._pages.writer

    @contextmanager
    def turn(self, *, wait: bool) -> Iterator[None]:
        """The turn of this thread to write; open snapshots are left the pages that they read."""
        with fork_gate.entered(to_write=True):
            with self._changed:
                self._await_writer(WAIT_SECONDS if wait else 0.0)
                if self._pages.snapshots:
                    self._pages = self._pages.copy()
                self._writing = threading.get_ident()
            try:
                yield
            finally:
                with self._changed:
                    self._writing = None
                    self._changed.notify_all()

    @contextmanager
    def snapshot(self) -> Iterator["apsw.Connection"]:
        """A connection to the pages that are current now; within a write of this thread, to what was committed."""
        if self._writing == threading.get_ident():
            with closing(self._pages.committed()) as connection:
                yield connection
            return
        with self._changed:
            self._await_writer(WAIT_SECONDS)
            pages = self._pages
            connection = pages.reader()
            pages.snapshots += 1
        try:
            yield connection
        finally:
            with self._changed:
                pages.snapshots -= 1
                pages.idle.append(connection)

    def _await_writer(self, seconds: float) -> None:
        if self._writing == threading.get_ident():
            raise StoreBusyError(WRITES_ALREADY)
        if not self._changed.wait_for(lambda: self._writing is None, seconds):
            raise StoreBusyError("Another thread has been writing for too long; nothing was done. Try again.")


class InProcessStore(StoreSessions):
    """A handle on a database in memory, its own one where none is given. Safe to use from several threads."""

    file: Final[None] = None

    def __init__(
        self, database: Database | None = None, *, clock: "Clock | None" = None, is_read_only: bool = False
    ) -> None:
        self._database: Database | None = database or Database(clock)
        super().__init__(_PATH, clock=clock, is_read_only=is_read_only, cache=self._database.cache)
        self._refusal = _refusal

    def _opened(self) -> Database:
        if self._database is None:
            raise StoreError("This store is closed. Open it again.")
        return self._database

    def _reader(self) -> AbstractContextManager["apsw.Connection"]:
        return self._opened().snapshot()

    def _turn(self, *, wait: bool) -> AbstractContextManager[None]:
        return self._opened().turn(wait=wait)

    def _writer_connection(self) -> "apsw.Connection":
        return self._opened().writer

    def _follow_commit(self, connection: "apsw.Connection", *, wait: bool) -> None:
        """Nothing is due: there is no log."""

    def _follow_fork(self) -> None:
        """Nothing is due: the child has the memory, and with it a store of its own."""

    def close(self) -> None:
        """Let go of the database; it is gone with its last handle."""
        self._database = None
        self._cache = ProcessCache()


def _refusal(_path: Path) -> StoreReadOnlyError:
    return StoreReadOnlyError("This handle was opened for reading alone, so nothing was changed.")
