"""Caches that the handles of one process share for one file.

Takes: a path. Gives: caches that follow the file's change count. Never: holds a row that a filter could leak; every
candidate is joined back to the store.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from dopejar.adapters.sqlite.digest_sums import Sums
    from dopejar.adapters.sqlite.sign_codes import CachedVectors, Numbers
    from dopejar.values.recall import SearchFilter


class ProcessCache:
    """Caches of one file in this process. `lock` is held while one of them is brought up to date."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sums: tuple[bytes, str, Sums] | None = None  # those that this process wrote last, with their key and text
        self.unreadable: set[str] = set()  # rows that reads left out, by their first column
        self.vectors: dict[tuple[int, str], CachedVectors] = {}  # by embedder and source
        self.narrow: set[SearchFilter] = set()  # filters that few rows pass
        self.allowed: dict[
            SearchFilter, tuple[int, Numbers]
        ] = {}  # rows that pass a selective filter, as of a change count


# Weak, because an inode number is reused once its file is deleted: caches without an open handle are freed.
_shared: WeakValueDictionary[tuple[int, int], ProcessCache] = WeakValueDictionary()
_lock = threading.Lock()


def process_cache_of(path: Path) -> ProcessCache:
    """The caches of a file, the same for every open handle of this process."""
    status = path.stat()
    with _lock:
        return _shared.setdefault((status.st_dev, status.st_ino), ProcessCache())


def _forget() -> None:
    """In a forked child: the parent's threads may have been changing the caches and held their locks."""
    global _lock  # noqa: PLW0603 - a lock of the parent would never be released
    _lock = threading.Lock()
    _shared.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
