"""Both stores: what memory writes must read the same from each."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from dopejar.adapters.in_memory import InMemoryStore
from dopejar.adapters.sqlite import SqliteStore
from dopejar.ports.store import Store
from dopejar.testing.fixed_clock import FixedClock

Opened = Callable[[Path], AbstractContextManager[Store]]


@contextmanager
def _sqlite(directory: Path) -> Iterator[Store]:
    store = SqliteStore.open(directory / "store.db", clock=FixedClock())
    try:
        yield store
        assert store.check() == ()
    finally:
        store.close()


@contextmanager
def _in_memory(_directory: Path) -> Iterator[Store]:
    yield InMemoryStore(clock=FixedClock())


@pytest.fixture(params=[_in_memory, _sqlite], ids=["in_memory", "sqlite"])
def opened(request: pytest.FixtureRequest) -> Opened:
    """Opens a store on a directory, and checks it when it is closed."""
    return request.param
