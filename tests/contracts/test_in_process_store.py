"""The store in this process keeps every promise of the store's port but those about a file."""

import threading
from pathlib import Path

import pytest

from dopejar.adapters.sqlite.in_process import Database, InProcessStore
from dopejar.errors import StoreReadOnlyError
from dopejar.ports.clock import Clock
from dopejar.ports.store import Store
from dopejar.testing.builders import a_record, insert_record, raising
from dopejar.testing.store_contract import StoreContract
from dopejar.values.ids import RecordId


class TestInProcessStore(StoreContract):
    """The contract in this process; the handles of one directory share a database."""

    @pytest.fixture(autouse=True)
    def _forget_databases(self) -> None:
        self._databases: dict[Path, Database] = {}

    def open_store(self, directory: Path, clock: Clock) -> Store:
        """A handle on the database of the directory."""
        return InProcessStore(self._databases.setdefault(directory, Database(clock)), clock=clock)


def _has(store: Store, name: str) -> bool:
    with store.read() as view:
        return view.record(RecordId(f"m_{name}")) is not None


def test_a_handle_for_reading_does_not_write() -> None:
    """It reads what another handle commits, and refuses to write."""
    database = Database()
    reader = InProcessStore(database, is_read_only=True)
    with InProcessStore(database).write() as tx:
        insert_record(tx, a_record("one"))
    assert _has(reader, "one")
    with raising(StoreReadOnlyError, "reading"), reader.write():
        pass
    assert reader.file is None


def test_a_write_waits_for_no_snapshot_of_another_thread() -> None:
    """It commits while the snapshot is open, which does not see it, and whoever reads next does."""
    store, is_open, is_written, seen = InProcessStore(), threading.Event(), threading.Event(), []

    def read() -> None:
        with store.read() as view:
            is_open.set()
            is_written.wait(10)
            seen.append(view.record(RecordId("m_one")))

    reading = threading.Thread(target=read)
    reading.start()
    is_open.wait(10)
    with store.write() as tx:
        insert_record(tx, a_record("one"))
    assert _has(store, "one")
    is_written.set()
    reading.join()
    assert seen == [None]


def test_a_refused_write_beside_a_snapshot_leaves_nothing() -> None:
    """Where a write beside an open snapshot fails, the snapshot and every later one read what stood before."""
    store = InProcessStore()
    with store.write() as tx:
        insert_record(tx, a_record("one"))
    with store.read() as view:
        with raising(ZeroDivisionError), store.write() as tx:
            insert_record(tx, a_record("two"))
            raise ZeroDivisionError
        assert view.record(RecordId("m_one")) is not None
    assert _has(store, "one")
    assert not _has(store, "two")


def test_a_write_that_fills_the_cache_shows_nothing_before_its_commit() -> None:
    """Whatever a transaction rewrites, a snapshot within it reads what was committed."""
    database, keys = Database(), [str(number) for number in range(100)]
    database.writer.pragma("cache_size", -100)
    store = InProcessStore(database)
    for content in ("old " * 5000, "new " * 5000):
        with store.write() as tx:
            before = [tx.meta(key) for key in keys]
            for key in keys:
                tx.set_meta(key, content)
            with store.read() as view:
                assert [view.meta(key) for key in keys] == before
        with store.read() as view:
            assert {view.meta(key) for key in keys} == {content}
