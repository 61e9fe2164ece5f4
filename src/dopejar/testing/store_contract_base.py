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


class StoreContractBase(ABC):
    """What every group of promises builds on."""

    @abstractmethod
    def open_store(self, directory: Path, clock: Clock) -> Store:
        """A handle on the one store of a directory, made where there is none; each call gives another handle."""

    def check(self, store: Store) -> None:
        """What was done to a store in a file must have left nothing that its own check finds."""
        if store.file is not None:
            faults = store.file.check()
            assert not faults, faults

    @contextmanager
    def opened(self, directory: Path, clock: Clock | None = None) -> Iterator[Store]:
        """An open store, checked when it is closed."""
        store = self.open_store(directory, clock or FixedClock())
        try:
            yield store
            self.check(store)
        finally:
            store.close()
