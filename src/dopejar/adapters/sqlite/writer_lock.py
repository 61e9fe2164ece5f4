"""Cross-process FIFO writer lock: one writer at a time, over threads and processes.

Takes: a path. Gives: the lock, or StoreBusyError. Never: waits without a limit, or lets a fork part a write.

SQLite's busy handler backs off with sleeps, so that one of several writers starves. A file lock of the operating system
queues its waiters, and is released when its holder dies.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dopejar.adapters.sqlite.driver_errors import disk_full_error, read_only_error, writer_busy_error
from dopejar.adapters.sqlite.fork_gate import fork_gate
from dopejar.errors import StoreBusyError

WAIT_SECONDS: Final = 15.0
WRITES_ALREADY: Final = "This thread is in the middle of a write to this store already. Use the transaction it has."

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _lock(descriptor: int) -> None:
        while not _try_lock(descriptor):
            time.sleep(0.002)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class _QueuedWait:
    """A thread that waits in the lock's queue, so that the caller can time out."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._guard = threading.Lock()
        self._is_abandoned = False
        self._has_lock = threading.Event()
        threading.Thread(target=self._acquire, name="dopejar-writer-queue", daemon=True).start()

    def _acquire(self) -> None:
        _lock(self._descriptor)
        with self._guard:
            if self._is_abandoned:
                _unlock(self._descriptor)  # closing does not, where a forked child has the descriptor too
                os.close(self._descriptor)
            else:
                self._has_lock.set()

    def acquired_within(self, seconds: float) -> bool:
        """Whether the lock was acquired in time; if not, the thread closes the descriptor when its turn comes."""
        if self._has_lock.wait(seconds):
            return True
        with self._guard:
            self._is_abandoned = not self._has_lock.is_set()
            return not self._is_abandoned


class WriterLock:
    """The lock of one store handle. `hold()` waits its turn and holds the lock for the block."""

    def __init__(self, path: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._path = path
        self._file = path.with_name(path.name + ".lock")
        self._wait_seconds = wait_seconds
        self._threads = threading.Lock()
        self._holder: int | None = None
        self._descriptor: int | None = None
        _locks.add(self)

    @contextmanager
    def hold(self, *, wait: bool = True) -> Iterator[None]:
        """Hold the lock. Raises StoreBusyError after the wait (at once without), or where this thread holds it."""
        if self._holder == threading.get_ident():
            raise StoreBusyError(WRITES_ALREADY)
        seconds = self._wait_seconds if wait else 0.0
        deadline = time.monotonic() + seconds
        threads = self._threads  # a child that is forked within the block has another one
        if not threads.acquire(timeout=seconds):
            raise writer_busy_error(self._path)
        try:
            self._acquire(deadline)
            with fork_gate.entered(to_write=True):  # not while it waits for another process
                self._holder = threading.get_ident()
                try:
                    yield
                finally:
                    self._holder = None
                    if self._descriptor is not None:
                        _unlock(self._descriptor)
        finally:
            threads.release()

    def _acquire(self, deadline: float) -> None:
        descriptor = self._descriptor = self._open() if self._descriptor is None else self._descriptor
        if _try_lock(descriptor):
            return
        seconds = deadline - time.monotonic()
        if seconds > 0:
            if _QueuedWait(descriptor).acquired_within(seconds):
                return
            self._descriptor = None  # the waiting thread owns it now
        raise writer_busy_error(self._path)

    def reset(self) -> None:
        """In a forked child: nobody holds or awaits the lock, and the parent's lock file is not this process's."""
        self.close()
        self._threads, self._holder = threading.Lock(), None

    def _open(self) -> int:
        try:
            return os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except PermissionError as fault:
            raise read_only_error(self._path) from fault
        except OSError as fault:
            import errno

            is_full = fault.errno == errno.ENOSPC
            raise (disk_full_error(self._path) if is_full else read_only_error(self._path)) from fault

    def close(self) -> None:
        """Close the lock file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


_locks: weakref.WeakSet[WriterLock] = weakref.WeakSet()  # of this process


def _after_fork_in_child() -> None:
    for lock in tuple(_locks):
        lock.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
