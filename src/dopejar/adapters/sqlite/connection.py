"""Opening the file, and the readers that wait in a pool.

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
    """A connection with our settings. The writer's may create nothing: `create_file` made the file.

    Checkpoints are ours to start, inside the writer's place; freed bytes are overwritten.
    """
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE if is_writer else apsw.SQLITE_OPEN_READONLY
    name = str(path)
    if is_immutable:
        name, flags = f"{path.absolute().as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(name, flags=flags, statementcachesize=256)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    # a plan that may depend on the values is made anew for each call, which costs ten times the search by an index
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(_SETTINGS)
    return connection


def create_file(path: Path) -> None:
    """Make the directory (0700) and the file (0600) where they are not there; what is there keeps its mode."""
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


class ReaderPool:
    """Idle read connections of one handle. Each is lent to one thread at a time."""

    def __init__(self, path: Path, *, is_immutable: bool) -> None:
        self._path = path
        self._is_immutable = is_immutable
        self._lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._is_closed = False

    def take(self) -> "apsw.Connection":
        """A connection of one's own, until it is given back."""
        with self._lock:
            if self._is_closed:
                raise StoreError(f"The store at {self._path} is closed. Open it again.")
            if self._idle:
                return self._idle.pop()
        return connect(self._path, is_immutable=self._is_immutable)

    def give_back(self, connection: "apsw.Connection") -> None:
        """Return it; more than a few idle ones are closed."""
        with self._lock:
            if not self._is_closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close the idle ones; those that are lent close when they come back."""
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
    """Keep connections of the parent process from ever being closed here: closing could undo the parent's log."""
    import ctypes

    for connection in connections:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
