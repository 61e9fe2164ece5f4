"""Snapshots and the writer's transaction, over the connections of a store.

Takes: connections. Gives: read and write sessions. Never: opens a connection, or commits a block that failed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.sqlite.connection import begin_to_write
from dopejar.adapters.sqlite.driver_errors import read_only_error, translate_driver_error
from dopejar.adapters.sqlite.fork_gate import fork_gate
from dopejar.adapters.sqlite.transaction import no_body_reader
from dopejar.adapters.sqlite.views import ReadSession, WriteSession

if TYPE_CHECKING:
    import apsw

    from dopejar.adapters.sqlite.process_cache import ProcessCache
    from dopejar.errors import StoreError
    from dopejar.ports.clock import Clock
    from dopejar.ports.store.held_rows import BodyReaders

_RAISE_CHANGE_SEQ: Final = "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'change_seq'"


class SystemTime:
    """The clock of the machine, in UTC."""

    def now(self) -> datetime:
        """The aware time, in UTC."""
        return datetime.now(UTC)


class StoreSessions(ABC):
    """What the store in a file and the one in this process alone have in common."""

    def __init__(self, path: Path, *, clock: "Clock | None", is_read_only: bool, cache: "ProcessCache") -> None:
        self._path = path
        self._now: Callable[[], datetime] = (clock or SystemTime()).now
        self._is_read_only = is_read_only
        self._cache = cache
        self._refusal: Callable[[Path], StoreError] = read_only_error  # the error of a write through a read-only handle
        self._body_readers: BodyReaders = no_body_reader

    def read_bodies_with(self, readers: "BodyReaders") -> None:
        """Leave out the held rows whose body these cannot read, and let the check name them."""
        self._body_readers = readers

    @property
    def is_read_only(self) -> bool:
        """Whether the store could be opened for reading alone."""
        return self._is_read_only

    @contextmanager
    def read(self) -> Iterator[ReadSession]:
        """A snapshot to read from; the first read fixes it."""
        self._follow_fork()
        with self._translating(), fork_gate.entered(), self._reader() as connection:
            connection.execute("BEGIN")
            session = ReadSession(connection, self._path, self._now, self._cache, self._body_readers)
            try:
                yield session
            finally:
                session.end()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self, *, wait: bool = True) -> Iterator[WriteSession]:
        """The writer's transaction; waits its turn. Raises StoreBusyError, StoreFullError, StoreReadOnlyError."""
        self._follow_fork()
        if self._is_read_only:
            raise self._refusal(self._path)
        with self._translating(), self._turn(wait=wait):
            connection = self._writer_connection()
            with self._transaction(connection, wait=wait) as session:
                yield session
            self._follow_commit(connection, wait=wait)

    @contextmanager
    def _transaction(self, connection: "apsw.Connection", *, wait: bool = True) -> Iterator[WriteSession]:
        """One transaction of the writer, whose turn it is."""
        begin_to_write(connection, wait=wait)
        session = WriteSession(connection, self._path, self._now, self._cache, self._body_readers)
        before = connection.total_changes()
        try:
            yield session
            session.write_digests()
            if connection.total_changes() != before:
                connection.execute(_RAISE_CHANGE_SEQ)
            connection.execute("COMMIT")
        except BaseException:  # an interruption must leave no partial write either
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            session.end()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        import apsw

        try:
            yield
        except apsw.Error as fault:
            raise translate_driver_error(fault, self._path) from fault

    @abstractmethod
    def _reader(self) -> AbstractContextManager["apsw.Connection"]:
        """A connection for one snapshot."""

    @abstractmethod
    def _turn(self, *, wait: bool) -> AbstractContextManager[None]:
        """The turn of this thread to write. Raises StoreBusyError."""

    @abstractmethod
    def _writer_connection(self) -> "apsw.Connection":
        """The connection of the writer, whose turn it is."""

    @abstractmethod
    def _follow_commit(self, connection: "apsw.Connection", *, wait: bool) -> None:
        """What is due after a commit, while it is still this thread's turn."""

    @abstractmethod
    def _follow_fork(self) -> None:
        """What is due in a forked child before its first read or write."""
