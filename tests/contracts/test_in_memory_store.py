"""The in-memory store keeps every promise of the store's port but those about a file."""

from pathlib import Path

import pytest

from dopejar.adapters.in_memory import InMemoryStore
from dopejar.errors import StoreReadOnlyError
from dopejar.ports.clock import Clock
from dopejar.ports.store import Store
from dopejar.testing.builders import a_record, insert_record, raising
from dopejar.testing.store_contract import StoreContract
from dopejar.values.ids import RecordId


class TestInMemoryStore(StoreContract):
    """The contract in memory; the handles of one directory share a store."""

    @pytest.fixture(autouse=True)
    def _forget_stores(self) -> None:
        self._stores: dict[Path, InMemoryStore] = {}

    def open_store(self, directory: Path, clock: Clock) -> Store:
        """A handle on the store of the directory."""
        if directory not in self._stores:
            self._stores[directory] = InMemoryStore(clock=clock)
        return self._stores[directory].another_handle(clock=clock)


def test_a_handle_for_reading_does_not_write() -> None:
    """It reads what another handle commits, and refuses to write."""
    store = InMemoryStore()
    reader = store.another_handle(is_read_only=True)
    with store.write() as tx:
        insert_record(tx, a_record("one"))
    with reader.read() as view:
        assert view.record(RecordId("m_one")) is not None
    with raising(StoreReadOnlyError, "reading"), reader.write():
        pass
    assert reader.file is None
