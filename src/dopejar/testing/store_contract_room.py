"""Where the promises of a store are tried: a directory, a clock, a store.

Takes: a way to open a store. Gives: an opened one, checked when it closes. Never: knows an adapter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dopejar.ports.clock import Clock
from dopejar.ports.store import Store
from dopejar.testing.fixed_clock import FixedClock


class StoreRoom(ABC):
    """What every group of promises builds on."""

    @abstractmethod
    def open_store(self, directory: Path, clock: Clock) -> Store:
        """A handle on the one store of a directory, made where there is none; each call gives another handle."""

    @contextmanager
    def opened(self, directory: Path, clock: Clock | None = None) -> Iterator[Store]:
        """An open store; what was done to it must have left nothing that its own check finds."""
        store = self.open_store(directory, clock or FixedClock())
        try:
            yield store
            faults = store.check()
            assert not faults, faults
        finally:
            store.close()
