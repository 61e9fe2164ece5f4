"""The stores: embedded in a file, or in this process alone; another store is added here.

Takes: a path. Gives: a `ports.store.Store`. Never: imports an adapter before it is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from dopejar.ports.store import Store
    from dopejar.ports.store.held_rows import BodyReader


def open_store(path: Path, *, read_only: bool = False) -> Store:
    """Open the embedded store at this path; it is created where it does not exist."""
    from dopejar.adapters.sqlite import SqliteStore

    store = SqliteStore.open(path, read_only=read_only)
    store.read_bodies_with(_body_reader)
    return store


def _body_reader(kind: str) -> BodyReader | None:
    from dopejar.compose.body_readers import body_reader  # loaded by a process that reads held rows

    return body_reader(kind)


def in_memory_store(*, read_only: bool = False) -> Store:
    """A new, empty store in this process."""
    from dopejar.adapters.sqlite.in_process import InProcessStore

    store = InProcessStore(is_read_only=read_only)
    store.read_bodies_with(_body_reader)
    return store
