"""Connections to the file, and the pool of read connections.

Takes: a path. Gives: connections with the right settings. Never: lets a connection cross a fork.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.errors import StoreError

if TYPE_CHECKING:
    import apsw

BUSY_MILLISECONDS: Final = 15_000
_IDLE_READERS: Final = 4
_SETTINGS: Final = """
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA wal_autocheckpoint = 0;
PRAGMA journal_size_limit = 16777216;
PRAGMA cache_size = -32000;
"""


def connect(path: Path, *, is_writer: bool = False, is_immutable: bool = False) -> "apsw.Connection":
    """A configured connection. The writer's creates no file: `create_file` has made it.

    Automatic checkpoints are off: `SqliteStore` starts them under the writer lock. Freed bytes are overwritten.
    """
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE if is_writer else apsw.SQLITE_OPEN_READONLY
    name = str(path)
    if is_immutable:
        name, flags = f"{path.absolute().as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    return _configured(apsw.Connection(name, flags=flags, statementcachesize=256))


def connect_in_process(name: str, *, is_beside_writer: bool = False) -> "apsw.Connection":
    """A configured connection to the database of that name in the memory of this process, made where there is none.

    `is_beside_writer`: to read what is committed during a write, which keeps its pages to itself until its commit.
    """
    import apsw

    address, flags = f"file:/{name}?vfs=memdb", apsw.SQLITE_OPEN_URI
    if is_beside_writer:
        address, flags = f"{address}&immutable=1", flags | apsw.SQLITE_OPEN_READONLY
    else:
        flags |= apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = _configured(apsw.Connection(address, flags=flags, statementcachesize=256))
    # nothing of a write is in the database before its commit, and nothing that is sorted is in a file
    connection.execute("PRAGMA cache_spill = OFF; PRAGMA temp_store = MEMORY")
    return connection


def _configured(connection: "apsw.Connection") -> "apsw.Connection":
    import apsw

    connection.set_busy_timeout(BUSY_MILLISECONDS)
    # without QPSG, statements are planned anew for each call, which costs ten times an index search
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(_SETTINGS)
    return connection


def create_file(path: Path) -> None:
    """Make the directory (0700) and the file (0600) where they do not exist; existing ones keep their mode."""
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


class ReaderPool:
    """Idle read connections of one handle. One thread at a time uses each."""

    def __init__(self, path: Path, *, is_immutable: bool) -> None:
        self._path = path
        self._is_immutable = is_immutable
        self._lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._is_closed = False

    def acquire(self) -> "apsw.Connection":
        """A connection for the caller alone, until it is released."""
        with self._lock:
            if self._is_closed:
                raise StoreError(f"The store at {self._path} is closed. Open it again.")
            if self._idle:
                return self._idle.pop()
        return connect(self._path, is_immutable=self._is_immutable)

    def release(self, connection: "apsw.Connection") -> None:
        """Return a connection to the pool, which keeps a few."""
        with self._lock:
            if not self._is_closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close the idle connections; those in use are closed when they are released."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def abandon(self) -> None:
        """Forget connections that belong to the parent process, without closing them."""
        self._lock = threading.Lock()
        idle, self._idle = self._idle, []
        keep_unclosed(idle)


def keep_unclosed(connections: "list[apsw.Connection]") -> None:
    """Keep connections of the parent process from being closed in this one: closing could undo the parent's log."""
    import ctypes

    for connection in connections:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def begin_to_write(connection: "apsw.Connection", *, wait: bool) -> None:
    """Begin to write; without waiting also where a program that does not know the writer lock is writing."""
    if wait:
        connection.execute("BEGIN IMMEDIATE")
        return
    connection.set_busy_timeout(0)
    try:
        connection.execute("BEGIN IMMEDIATE")
    finally:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
