"""What a store in a file promises: durability, check, repair, compact, backup and restoration.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from pathlib import Path

from dopejar.errors import InputError, StoreDamagedError
from dopejar.ports.store import FileAdministration, Store
from dopejar.testing.builders import a_record, append_entry, insert_record, raising
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.testing.store_contract_search import find_ids


def _file_of(store: Store) -> FileAdministration:
    assert store.file is not None
    return store.file


class FilePromises(StoreContractBase):
    """What holds for the data file. A store without a file does not inherit these."""

    def test_what_was_written_is_there_after_closing(self, tmp_path: Path) -> None:
        """Opened again, a closed store holds everything."""
        with self.opened(tmp_path) as store, store.write() as tx:
            insert_record(tx, a_record("one", "Honey one."))
        with self.opened(tmp_path) as again, again.read() as view:
            assert find_ids(view, "honey") == ["m_one"]

    def test_compacting_and_repairing_change_no_answer(self, tmp_path: Path) -> None:
        """A sound store has nothing to mend; compacting it keeps every row."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
            assert _file_of(store).repair() == ()
            _file_of(store).compact()
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_one"]

    def test_a_backup_is_the_store_of_its_moment(self, tmp_path: Path) -> None:
        """A backup holds what was committed, can be taken in the middle of a write, and replaces no file."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
            copy = tmp_path / "copy"
            with store.write() as tx:
                tx.append_episodes([])
                insert_record(tx, a_record("two", "Honey two."))
                _file_of(store).backup(copy)
            assert copy.stat().st_size > 0
            with raising(InputError, "copy"):
                _file_of(store).backup(copy)
            assert not [file for file in tmp_path.iterdir() if file.name.startswith("copy") and file != copy]

    def test_taking_a_backup_over_is_seen_by_every_handle(self, tmp_path: Path) -> None:
        """What came after the backup is gone, for a handle that was open all along as well, and both write on."""
        with self.opened(tmp_path) as store, self.opened(tmp_path) as other:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
            copy = tmp_path / "copy"
            _file_of(store).backup(copy)
            with other.write() as tx:
                insert_record(tx, a_record("two", "Honey two."))
            with other.read() as view:
                assert find_ids(view, "honey") == ["m_one", "m_two"]
                before = int(view.meta("change_seq") or 0)
            _file_of(store).take_over(copy)
            for handle in (store, other):
                with handle.read() as view:
                    assert find_ids(view, "honey") == ["m_one"]
                    assert int(view.meta("change_seq") or 0) > before
                with handle.write() as tx:
                    append_entry(tx, "m_x")
            assert _file_of(store).check() == ()

    def test_what_is_no_backup_is_not_taken_over(self, tmp_path: Path) -> None:
        """A file of something else leaves the store as it was."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
            other = tmp_path / "notes.txt"
            other.write_bytes(b"no store at all " * 1000)
            with raising(StoreDamagedError, "notes"):
                _file_of(store).take_over(other)
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_one"]
