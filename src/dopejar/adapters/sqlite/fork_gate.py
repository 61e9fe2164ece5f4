"""A fork waits until no other thread reads or writes a store.

Takes: the threads that enter, and the hooks of `os.register_at_fork`. Gives: forks between reads and writes. Never:
keeps a fork waiting for long: a thread that does not leave is left behind.

The child has a copy of every lock and none of the threads that would release it: those of SQLite, which then hold up
every other process as well, and those of Python, where a thread was reading a lexicon for the first time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_WRITE_SECONDS: Final = 15.0
_READ_SECONDS: Final = 1.0  # a snapshot may be held for as long as somebody looks at it


class ForkGate:
    """The gate of this process. A thread that is inside may enter again while the gate is closed."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._changed = threading.Condition(threading.Lock())
        self._inside = {True: 0, False: 0}  # threads that write, and threads that read
        self._is_closed = False

    @contextmanager
    def entered(self, *, to_write: bool = False) -> Iterator[None]:
        """Be inside for the block; a fork of another thread then waits."""
        depth = getattr(self._own, "depth", 0)
        if depth and not to_write:
            yield
            return
        with self._changed:
            while self._is_closed and not depth:
                self._changed.wait()
            self._inside[to_write] += 1
        self._own.depth = depth + 1
        try:
            yield
        finally:
            self._own.depth = depth
            with self._changed:
                self._inside[to_write] = max(
                    self._inside[to_write] - 1, 0
                )  # in a child, it was the parent that counted
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody in, and wait for those who are inside. A thread that is inside itself does not wait."""
        if getattr(self._own, "depth", 0):
            return
        begun = time.monotonic()
        with self._changed:
            self._is_closed = True
            while any(self._inside.values()):
                limit = _WRITE_SECONDS if self._inside[True] else _READ_SECONDS
                if not self._changed.wait(begun + limit - time.monotonic()) and time.monotonic() >= begun + limit:
                    return

    def open(self) -> None:
        """Let everybody in again."""
        with self._changed:
            self._is_closed = False
            self._changed.notify_all()

    def reset(self) -> None:
        """In a forked child: none of the parent's threads is inside."""
        self._changed = threading.Condition(threading.Lock())
        self._inside = {True: 0, False: 0}
        self._is_closed = False


fork_gate: Final = ForkGate()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=fork_gate.close, after_in_parent=fork_gate.open, after_in_child=fork_gate.reset)
