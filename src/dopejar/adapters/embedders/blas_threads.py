"""A context manager that limits numpy's OpenBLAS to one thread.

Takes: nothing. Gives: a context. Never: a lasting change; the last user to leave restores the setting.

With several threads, each small matrix product ends at a barrier where threads spin; on a busy machine a query then
takes twenty times as long. Embedding is background work and may use one thread.
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
    """How many contexts are open, and the thread count before the first of them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    inside: int = 0
    before: int = 0


_USERS = _Users()


@contextmanager
def single_blas_thread() -> Iterator[bool]:
    """Limit OpenBLAS to one thread inside; yields whether that was possible. Contexts nest, across threads too."""
    library = _openblas()
    if library is None:
        yield False  # another library (Accelerate, MKL), or one linked by a distribution, keeps its own setting
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
    """Getter and setter of the thread count of the OpenBLAS bundled with numpy's wheel."""
    import numpy as np

    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))  # already loaded by numpy
            except OSError:  # built for another machine
                continue
            for name in _NAMES:
                if hasattr(library, name.format("set")):
                    return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None
