"""The SQLite store keeps every promise of the store's port, and those that only a file can break."""

from pathlib import Path

from dopejar.adapters.sqlite import SqliteStore
from dopejar.ports.clock import Clock
from dopejar.ports.store import Store
from dopejar.testing.store_contract import StoreContract


class TestSqliteStore(StoreContract):
    """The whole contract on SQLite."""

    def open_store(self, directory: Path, clock: Clock) -> Store:
        """The file `store.db` of the directory."""
        return SqliteStore.open(directory / "store.db", clock=clock)
