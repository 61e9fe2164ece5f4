"""What a store promises about transactions, several handles and threads.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dopejar.errors import StoreBusyError, StoreError
from dopejar.ports.store import Store
from dopejar.testing.builders import a_record, an_episode, append_conversation, append_entry, insert_record, raising
from dopejar.testing.fixed_clock import FixedClock
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.testing.store_contract_search import RECORDS, find_ids
from dopejar.values.ids import RecordId


class TransactionPromises(StoreContractBase):
    """What holds for the store as a whole."""

    def test_a_rolled_back_transaction_leaves_nothing(self, tmp_path: Path) -> None:
        """An exception out of the block undoes rows, index, ledger and the change count, and comes through itself."""
        with self.opened(tmp_path) as store:
            with store.read() as view:
                before = view.meta("change_seq"), view.sizes().records
            with raising(KeyError, "mine"), store.write() as tx:
                insert_record(tx, a_record("honey", "Honey is sweet."))
                raise KeyError("mine")
            with store.read() as view:
                assert (view.meta("change_seq"), view.sizes().records) == before
                assert view.head().seq == 0
                assert find_ids(view, "honey") == []
            with store.write() as tx:
                insert_record(tx, a_record("honey", "Honey is sweet."))

    def test_the_change_count_rises_with_every_change(self, tmp_path: Path) -> None:
        """A transaction that changed a row raises `change_seq`; one that only read does not."""
        with self.opened(tmp_path) as store:

            def count() -> int:
                with store.read() as view:
                    return int(view.meta("change_seq") or 0)

            first = count()
            with store.write() as tx:
                tx.head()
            assert count() == first
            with store.write() as tx:
                tx.note_injected(["a"], FixedClock().now())
            assert count() > first

    def test_writing_without_waiting_begins_at_once_or_not_at_all(self, tmp_path: Path) -> None:
        """`write(wait=False)` is refused while another thread writes, and begins where nobody does."""
        with self.opened(tmp_path) as store, ThreadPoolExecutor(1) as pool:

            def attempt() -> None:
                with store.write(wait=False) as tx:
                    insert_record(tx, a_record("one", "Honey one."))

            with store.write(), raising(StoreBusyError):
                pool.submit(attempt).result(timeout=10)
            pool.submit(attempt).result(timeout=10)

    def test_a_snapshot_does_not_move(self, tmp_path: Path) -> None:
        """What is committed after a snapshot's first read is not in it, and is in the next one."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_one"]
                with store.write() as tx:
                    insert_record(tx, a_record("two", "Honey two."))
                assert find_ids(view, "honey") == ["m_one"]
                assert view.record(RecordId("m_two")) is None
                with store.read() as later:
                    assert len(find_ids(later, "honey")) == 2

    def test_a_snapshot_within_a_write_is_what_was_committed(self, tmp_path: Path) -> None:
        """The thread that writes can read what stood before its transaction, beside what it has written."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
                with store.read() as view:
                    assert find_ids(view, "honey") == []
                assert find_ids(tx, "honey") == ["m_one"]
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_one"]
                with store.write() as tx:
                    insert_record(tx, a_record("two", "Honey two."))
                    with store.read() as within:
                        assert find_ids(within, "honey") == ["m_one"]

    def test_a_view_ends_with_its_block(self, tmp_path: Path) -> None:
        """Reading from a snapshot that is over is refused instead of reading another's."""
        with self.opened(tmp_path) as store:
            with store.read() as view:
                view.head()
            with raising(StoreError, "over"):
                view.head()

    def test_two_handles_see_one_store(self, tmp_path: Path) -> None:
        """What one handle commits, the other reads at once; both write in turn."""
        with self.opened(tmp_path) as one, self.opened(tmp_path) as two:
            with one.write() as tx:
                insert_record(tx, a_record("one", "Honey one."))
            with two.write() as tx:
                assert find_ids(tx, "honey") == ["m_one"]
                insert_record(tx, a_record("two", "Honey two."))
            with one.read() as view:
                assert set(find_ids(view, "honey")) == {"m_one", "m_two"}
                assert view.head().seq == 2

    def test_threads_write_in_turn_and_lose_nothing(self, tmp_path: Path) -> None:
        """Threads that write and read at once leave every acknowledged write, in one unbroken ledger."""
        each = 8
        with self.opened(tmp_path) as store, self.opened(tmp_path) as other:

            def work(number: int, through: Store) -> None:
                for place in range(each):
                    with through.write() as tx:
                        insert_record(tx, a_record(f"t{number}-{place}", f"Honey {number} {place}."))
                    with through.read() as view:
                        assert view.record(RecordId(f"m_t{number}-{place}")) is not None
                        view.lexical(["honey"], RECORDS, 5)

            with ThreadPoolExecutor(4) as pool:
                for done in [pool.submit(work, number, (store, other)[number % 2]) for number in range(4)]:
                    done.result()
            with store.read() as view:
                assert view.sizes().records == {"active": 4 * each}
                assert [entry.seq for entry in view.entries()] == list(range(1, 4 * each + 1))

    def test_a_waiting_writer_gets_its_turn(self, tmp_path: Path) -> None:
        """A second writer waits for the first one's commit and then sees it."""
        with self.opened(tmp_path) as store:
            is_in, seen = threading.Event(), []

            def second() -> None:
                is_in.wait()
                with store.write() as tx:
                    seen.append(tx.head().seq)

            waiting = threading.Thread(target=second)
            waiting.start()
            with store.write() as tx:
                is_in.set()
                append_entry(tx, "m_x")
            waiting.join()
            assert seen == [1]

    def test_a_write_inside_a_write_is_refused(self, tmp_path: Path) -> None:
        """One thread cannot begin a second transaction in its first one; the first stays whole."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                append_entry(tx, "m_x")
                with raising(StoreError), store.write():
                    pass
            with store.read() as view:
                assert view.head().seq == 1

    def test_a_closed_store_refuses_to_be_read(self, tmp_path: Path) -> None:
        """Reading and writing are errors; closing twice is not."""
        with self.opened(tmp_path) as store:
            pass
        with raising(StoreError, "closed"), store.read():
            pass
        with raising(StoreError, "closed"), store.write():
            pass
        store.close()

    def test_sizes_count_what_is_there(self, tmp_path: Path) -> None:
        """Counts are by status and by kind of row; a store without a file has no bytes."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                append_conversation(tx, "a", "b")
                insert_record(tx, a_record("one"))
            with store.read() as view:
                sizes = view.sizes()
                assert (sizes.episodes, sizes.records, sizes.ledger, sizes.outbox) == (3, {"active": 1}, 1, 4)
                assert (sizes.bytes > 0) == (store.file is not None)

    def test_a_damaged_transaction_does_not_poison_the_next(self, tmp_path: Path) -> None:
        """After any refused write, the next one goes through."""
        with self.opened(tmp_path) as store:
            with raising(StoreError), store.write() as tx:
                tx.append_episodes([an_episode("Alone.")])
            with store.write() as tx:
                append_conversation(tx, "Together.")
