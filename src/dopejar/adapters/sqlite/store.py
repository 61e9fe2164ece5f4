"""`SqliteStore`: the store in one SQLite file.

Takes: a path. Gives: snapshots and the one writer's transaction. Never: acknowledges what is not durable.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from dopejar.adapters.sqlite.connection import ReaderPool, connect, keep_unclosed
from dopejar.adapters.sqlite.database_files import (
    back_up,
    can_read_beside_writers,
    compact,
    copy_with_wal,
    has_wal,
    note_made,
    prepare_file,
    refuse_emptied,
    replace_content,
)
from dopejar.adapters.sqlite.driver_errors import disk_full_error, read_only_error
from dopejar.adapters.sqlite.process_cache import ProcessCache, process_cache_of
from dopejar.adapters.sqlite.schema import CURRENT, prepare, refuse_newer
from dopejar.adapters.sqlite.sessions import StoreSessions
from dopejar.adapters.sqlite.views import ReadSession
from dopejar.adapters.sqlite.writer_lock import WriterLock
from dopejar.errors import NotFoundError, StoreDamagedError, StoreError, StoreFullError, StoreReadOnlyError

if TYPE_CHECKING:
    import apsw

    from dopejar.ports.clock import Clock
    from dopejar.ports.store import Fault, FileAdministration

CHECKPOINT_PAGES: Final = 1000  # about 4 MB of log


class SqliteStore(StoreSessions):
    """One file, one tenant. Safe to use from several threads, and from several processes with one handle each."""

    def __init__(self, path: Path, *, clock: "Clock | None", is_read_only: bool, is_immutable: bool) -> None:
        super().__init__(path, clock=clock, is_read_only=is_read_only, cache=process_cache_of(path))
        self._is_immutable = is_immutable
        self._process = os.getpid()
        self._readers = ReaderPool(path, is_immutable=is_immutable)
        self._writer_lock = WriterLock(path)
        self._is_scrub_due = False  # erased bytes could not be taken out of the files
        self._log_pages = 0  # pages in the log after the last commit
        self._writer: apsw.Connection | None = None
        self._is_closed = False
        self._copied_from: Path | None = None  # the original, where the file and its log had to be copied to be read
        self._fork_guard = threading.Lock()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        tenant: str = "local",
        read_only: bool = False,
        clock: "Clock | None" = None,
    ) -> Self:
        """Open the store at the path; make it where there is none; open it read-only where it cannot be written.

        Raises NotFoundError (read-only, and there is none), StoreDamagedError, SchemaTooNewError, StoreFullError,
        StoreBusyError, StoreReadOnlyError (an older schema that cannot be migrated), StoreError.
        """
        if not read_only:
            try:
                return cls._open_to_write(path, tenant, clock)
            except StoreReadOnlyError:
                if not path.is_file():
                    raise
            except StoreFullError:
                if not path.is_file():
                    raise
                return cls._open_to_read(path, tenant, clock, refusal=disk_full_error)
        return cls._open_to_read(path, tenant, clock)

    @classmethod
    def _open_to_write(cls, path: Path, tenant: str, clock: "Clock | None") -> Self:
        prepare_file(path)
        store = cls(path, clock=clock, is_read_only=False, is_immutable=False)
        try:
            store._prepare_schema(tenant)
        except BaseException:  # an interruption must leave no open connection either
            store._abandon_opening()
            raise
        return store

    @classmethod
    def _open_to_read(
        cls, path: Path, tenant: str, clock: "Clock | None", refusal: "Callable[[Path], StoreError]" = read_only_error
    ) -> Self:
        if not path.is_file():
            raise NotFoundError(f"There is no store at {path}. Learn or remember something first, or name another one.")
        refuse_emptied(path)
        is_immutable = not can_read_beside_writers(path)
        copy = copy_with_wal(path) if is_immutable and has_wal(path) else None
        store = cls(copy or path, clock=clock, is_read_only=True, is_immutable=is_immutable and copy is None)
        store._copied_from = None if copy is None else path
        store._refusal = refusal
        try:
            with store.read() as view:
                store._verify(view, tenant)
        except BaseException:  # as above
            store.close()
            raise
        return store

    @property
    def path(self) -> Path:
        """The data file."""
        return self._copied_from or self._path

    @property
    def file(self) -> "FileAdministration":
        """Administration of the data file."""
        return self

    @contextmanager
    def _reader(self) -> Iterator["apsw.Connection"]:
        connection = self._readers.acquire()
        try:
            yield connection
        finally:
            self._readers.release(connection)

    def _turn(self, *, wait: bool) -> AbstractContextManager[None]:
        return self._writer_lock.hold(wait=wait)

    def _follow_commit(self, connection: "apsw.Connection", *, wait: bool) -> None:
        if self._is_scrub_due and wait:
            self._try_to_scrub(connection)
        self._checkpoint_when_due(connection)

    @property
    def unreadable_rows(self) -> int:
        """How many rows reads had to leave out, since they have a value that cannot be read."""
        return len(self._cache.unreadable)

    def check(self) -> tuple[Fault, ...]:
        """Integrity of the file, of the foreign keys and of every projection but the edges read from words."""
        import apsw

        from dopejar.ports.store import Fault  # recall finds none

        self._follow_fork()
        with self._translating():
            # A connection of its own: the check of FTS5 trusts what an older snapshot left cached in the connection.
            connection = connect(self._path, is_immutable=self._is_immutable)
            try:
                connection.execute("BEGIN")
                return ReadSession(connection, self._path, self._now, self._cache, self._body_readers).faults()
            except (apsw.CorruptError, apsw.NotADBError, StoreDamagedError) as fault:
                return (Fault(what="file", detail=str(fault.__cause__ or fault), repairable=False),)
            finally:
                connection.close()

    def repair(self) -> tuple[Fault, ...]:
        """Mend broken projections; what was mended. A damaged full-text index is left empty, to be refilled."""
        faults = self.check()
        if not any(fault.repairable for fault in faults):
            return ()
        with self.write() as session:
            session.mend(faults)
        return tuple(fault for fault in faults if fault.repairable)

    def compact(self, *, wait: bool = True) -> None:
        """Give freed pages back and checkpoint, so that blanked bytes leave the file and its log; drop `SCRUB_ROW`.

        Where it fails, this handle tries it again after its writes. Raises StoreBusyError where a reader still needs
        the log, at once where `wait` is False; StoreFullError where the disk has no room for it.
        """
        self._follow_fork()
        if self._is_read_only:
            raise self._refusal(self._path)
        with self._writer_lock.hold(), self._translating():
            self._scrub(self._writer_connection(), wait=wait)

    def _scrub(self, connection: "apsw.Connection", *, wait: bool) -> None:
        from dopejar.ports.store import SCRUB_ROW  # recall scrubs nothing

        self._is_scrub_due = True
        compact(connection, self._path, wait=wait)
        with self._transaction(connection) as session:
            session.drop_held(*SCRUB_ROW)
        self._is_scrub_due = False

    def _try_to_scrub(self, connection: "apsw.Connection") -> None:
        import apsw

        with suppress(apsw.Error, StoreError):  # the next write tries again
            self._scrub(connection, wait=False)

    def backup(self, to: Path) -> None:
        """A consistent copy, while others write. Raises InputError where `to` exists, StoreFullError."""
        self._follow_fork()
        with self._translating(), self._reader() as connection:
            back_up(connection, to)

    def take_over(self, source: Path) -> None:
        """Replace the content by a backup's in one commit; other open handles continue with it."""
        self._follow_fork()
        if self._is_read_only:
            raise self._refusal(self._path)
        with self._writer_lock.hold(), self._translating():
            replace_content(self._writer_connection(), source)

    def close(self) -> None:
        """Close every connection; the log is copied into the file where no other process needs it."""
        if self._process != os.getpid() or self._is_closed:
            return
        self._is_closed = True
        self._cache = ProcessCache()  # the caches are freed with the last open handle
        self._readers.close()
        if self._writer is not None:
            self._close_writer(self._writer)
        self._writer_lock.close()
        if self._copied_from is not None:
            _remove(self._path.parent)

    def _close_writer(self, writer: "apsw.Connection") -> None:
        # Closing the last connection is a checkpoint, so it needs the writer lock; a read does not wait for it.
        try:
            with self._writer_lock.hold(wait=False):
                writer.close()
        except StoreError:
            import apsw

            writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            writer.close()
        self._writer = None

    def _abandon_opening(self) -> None:
        self._is_closed = True
        if self._writer is not None:
            self._writer.close()
        self._writer_lock.close()

    def _prepare_schema(self, tenant: str) -> None:
        with self._translating():
            refuse_emptied(self._path)
            self._writer = self._connected_writer()
            version = self._writer.pragma("user_version")
            refuse_newer(version, self._path)
            if version < CURRENT:
                with self._writer_lock.hold():
                    prepare(self._writer, self._path, self._now(), tenant)
            row = self._writer.execute("SELECT value FROM meta WHERE key = 'tenant'").fetchone()
        _require_tenant(row[0] if row else None, self._path, tenant)
        note_made(self._path)

    def _verify(self, view: ReadSession, tenant: str) -> None:
        version = view.schema_version()
        refuse_newer(version, self._path)
        if version < CURRENT:
            raise StoreReadOnlyError(
                f"{self._path} has the older schema {version} and cannot be written."
                " Open it once with write permission, to upgrade it."
            )
        _require_tenant(view.meta("tenant"), self._path, tenant)

    def _writer_connection(self) -> "apsw.Connection":
        if self._is_closed:
            raise StoreError(f"The store at {self._path} is closed. Open it again.")
        if self._writer is None:
            self._writer = self._connected_writer()
        return self._writer

    def _connected_writer(self) -> "apsw.Connection":
        writer = connect(self._path, is_writer=True)
        writer.set_wal_hook(self._note_log)
        return writer

    def _note_log(self, _connection: "apsw.Connection", _name: str, pages: int) -> int:
        # Not the size of the log file: a checkpoint restarts the log and leaves the file as long as it was.
        self._log_pages = pages
        return 0  # SQLITE_OK

    def _checkpoint_when_due(self, connection: "apsw.Connection") -> None:
        """Checkpoint once the log is long. The commit is durable whether the checkpoint succeeds or not."""
        import apsw

        try:
            if self._log_pages >= CHECKPOINT_PAGES:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.Error:
            return  # the log stays longer: the next write tries again, and a full disk is reported by its commit

    def _follow_fork(self) -> None:
        """After a fork the child opens connections of its own and leaves the parent's untouched."""
        if self._process == os.getpid():
            return
        with self._fork_guard:
            if self._process == os.getpid():
                return
            self._readers.abandon()
            if self._writer is not None:
                keep_unclosed([self._writer])
                self._writer = None
            self._cache = process_cache_of(self._path)
            self._process = os.getpid()


def _remove(directory: Path) -> None:
    import shutil

    shutil.rmtree(directory, ignore_errors=True)


def _require_tenant(found: object, path: Path, tenant: str) -> None:
    if found != tenant:
        raise StoreError(f"{path} belongs to another tenant than {tenant!r}. Open it as its own tenant.")
