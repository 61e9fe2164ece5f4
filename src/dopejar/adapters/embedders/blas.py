"""Keeping numpy's linear algebra to one thread for a while.

Takes: nothing. Gives: a context. Never: a lasting change; the setting goes back when the last user leaves.

With several threads, each small product ends at a barrier where threads spin for one another; on a busy machine one
query then takes twenty times as long. Embedding is background work, so one thread is what it may use.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_NAMES = tuple(f"{prefix}openblas_{{}}_num_threads{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", ""))


@dataclass(slots=True)
class _Users:
    """How many are inside, and what the first of them found."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    inside: int = 0
    before: int = 0


_USERS = _Users()


@contextmanager
def one_thread() -> Iterator[bool]:
    """Inside, OpenBLAS uses one thread; gives whether it could be told. Nests, and counts users over threads."""
    library = _openblas()
    if library is None:
        yield False  # another library (Accelerate, MKL), or one linked by a distribution: its own choice stands
        return
    read, write = library
    with _USERS.lock:
        _USERS.inside += 1
        if _USERS.inside == 1:
            _USERS.before = read()
            write(1)
    try:
        yield True
    finally:
        with _USERS.lock:
            _USERS.inside -= 1
            if not _USERS.inside:
                write(_USERS.before)


@cache
def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Reader and writer of the number of threads in the OpenBLAS that numpy's wheel brought along."""
    import numpy as np

    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))  # the one that is loaded already
            except OSError:  # not for this machine after all
                continue
            for name in _NAMES:
                if hasattr(library, name.format("set")):
                    return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None
