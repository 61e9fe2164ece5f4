"""The store in a file and the one in this process: what memory writes must read the same from each."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from dopejar.adapters.sqlite import SqliteStore
from dopejar.adapters.sqlite.in_process import InProcessStore
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
def _in_process(_directory: Path) -> Iterator[Store]:
    yield InProcessStore(clock=FixedClock())


@pytest.fixture(params=[_in_process, _sqlite], ids=["in_process", "sqlite"])
def opened(request: pytest.FixtureRequest) -> Opened:
    """Opens a store on a directory, and checks it when it is closed."""
    return request.param
