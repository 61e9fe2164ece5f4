"""The day's cap: shared, hard, and kept in the store."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.language_models.token_usage_log import KIND, StoredSpendLog, read_spent
from dopejar.adapters.sqlite.in_process import InProcessStore
from dopejar.errors import (
    SettingError,
    SpendCapError,
    StoreBusyError,
    StoreDamagedError,
)
from dopejar.values.versioned_rows import KeyValueRow


@dataclass
class FixedClock:
    """A clock that is set by hand."""

    at: datetime = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The time it was set to."""
        return self.at


class OvertakenStore(InProcessStore):
    """A store in whose next `stale` transactions another writer is faster."""

    stale = 0

    @contextmanager
    def write(self):
        """The writer's transaction; where it is overtaken, the row that it writes has a newer version."""
        with super().write() as tx:
            if self.stale:
                self.stale -= 1
                tx.put_held = lambda row: type(tx).put_held(tx, replace(row, version=row.version + 1))
            yield tx


def row_of(store: InProcessStore, day: str = "2031-05-04") -> KeyValueRow | None:
    """The row of a day."""
    with store.read() as view:
        return view.held(KIND, day)


def used(store: InProcessStore, day: str = "2031-05-04") -> int:
    """Tokens counted on a day."""
    return read_spent(row_of(store, day)).tokens


def test_a_reservation_counts_at_once_and_settles_later():
    """Reserved tokens are gone for others until settling gives the rest back; purposes are told apart."""
    store = InProcessStore()
    log = StoredSpendLog(store, FixedClock(), daily_cap=1000)
    log.reserve(400, "naming")
    assert used(store) == 400
    log.reserve(500, "titles")
    log.settle(400, 150, "naming")
    log.settle(500, 500, "titles")
    spent = read_spent(row_of(store))
    assert (spent.tokens, spent.by_purpose) == (650, {"naming": 150, "titles": 500})


def test_the_cap_is_hard_and_a_refusal_takes_nothing():
    """Exactly the cap is allowed, one token more is not, and the refusal says how much is left to know."""
    store = InProcessStore()
    log = StoredSpendLog(store, FixedClock(), daily_cap=100)
    log.reserve(60, "a")
    with pytest.raises(SpendCapError, match=r"100 tokens.*60 are used.*midnight UTC"):
        log.reserve(41, "b")
    assert used(store) == 60
    log.reserve(40, "b")
    assert used(store) == 100


def test_another_process_sees_the_same_day():
    """A second log on the same store shares the cap."""
    store = InProcessStore()
    StoredSpendLog(store, FixedClock(), daily_cap=100).reserve(80, "a")
    with pytest.raises(SpendCapError):
        StoredSpendLog(store, FixedClock(), daily_cap=100).reserve(30, "a")


def test_the_day_turns_at_midnight_utc():
    """Local time does not matter, and a call over midnight is settled on the day it was reserved."""
    store, clock = InProcessStore(), FixedClock()
    log = StoredSpendLog(store, clock, daily_cap=100)
    clock.at = datetime(2031, 5, 5, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    log.reserve(90, "a")
    clock.at = datetime(2031, 5, 5, 0, 0, 1, tzinfo=UTC)
    log.reserve(50, "a")
    log.settle(90, 10, "a")
    assert (used(store), used(store, "2031-05-05")) == (10, 50)


def test_stale_rows_are_read_again():
    """Where another writer was faster, the count is made on the new row; without end it gives up in one sentence."""
    store = OvertakenStore()
    store.stale = 3
    log = StoredSpendLog(store, FixedClock(), daily_cap=100)
    log.reserve(10, "a")
    assert used(store) == 10
    store.stale = 1000
    with pytest.raises(StoreBusyError):
        log.reserve(10, "a")


def test_threads_never_pass_the_cap_together():
    """Many at once: as many reservations succeed as fit, not one more."""
    store = InProcessStore()
    log = StoredSpendLog(store, FixedClock(), daily_cap=50)
    taken = []

    def work():
        try:
            log.reserve(10, "a")
        except SpendCapError:
            return
        taken.append(1)

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), used(store)) == (5, 50)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 80)), max_size=12), st.integers(0, 200))
def test_the_count_is_what_was_used(calls, cap):
    """After settling everything the count is the sum of what was used, and no reservation ever began past the cap."""
    store = InProcessStore()
    log = StoredSpendLog(store, FixedClock(), daily_cap=cap)
    total = 0
    for reserved, cost in calls:
        try:
            log.reserve(reserved, "a")
        except SpendCapError:
            assert total + reserved > cap
            continue
        assert total + reserved <= cap
        log.settle(reserved, cost, "a")
        total += cost
        assert used(store) == total


def test_settling_what_was_never_reserved_cannot_lift_the_cap():
    """No count falls below nothing."""
    store = InProcessStore()
    log = StoredSpendLog(store, FixedClock(), daily_cap=100)
    log.settle(80, 0, "a")
    assert used(store) == 0
    with pytest.raises(SpendCapError):
        log.reserve(101, "a")


def test_rows_expire_after_a_month():
    """A day's row says when it may go, so that the store does not gather them for ever."""
    store = InProcessStore()
    StoredSpendLog(store, FixedClock(), daily_cap=10).reserve(1, "a")
    assert row_of(store).expires_at == datetime(2031, 6, 4, tzinfo=UTC)


def test_a_read_only_store_means_no_call():
    """What cannot be counted is not allowed, in the language model's own error."""
    log = StoredSpendLog(InProcessStore(is_read_only=True), FixedClock(), daily_cap=10)
    with pytest.raises(SpendCapError, match="read-only"):
        log.reserve(1, "a")


@pytest.mark.parametrize("body", ["", "[]", '{"tokens": "x", "by_purpose": {}}', '{"tokens": 1}', "null"])
def test_a_damaged_row_is_named(body):
    """A row that cannot be read stops the call; it is not taken for nothing."""
    store = InProcessStore()
    with store.write() as tx:
        tx.put_held(KeyValueRow(kind=KIND, key="2031-05-04", body=body, version=0))
    with pytest.raises(StoreDamagedError, match="2031-05-04"):
        StoredSpendLog(store, FixedClock(), daily_cap=10).reserve(1, "a")


def test_a_negative_cap_is_refused():
    """Nought means no call; less means nothing."""
    with pytest.raises(SettingError):
        StoredSpendLog(InProcessStore(), FixedClock(), daily_cap=-1)


def test_two_processes_share_the_cap_in_one_file(tmp_path):
    """Over the embedded store the count is in the file: another process's log starts where this one stands."""
    from dopejar.adapters.sqlite import SqliteStore

    path = tmp_path / "store.db"
    store = SqliteStore.open(path)
    StoredSpendLog(store, FixedClock(), daily_cap=100).reserve(80, "a")
    program = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from dopejar.adapters.language_models.token_usage_log import StoredSpendLog
from dopejar.adapters.sqlite import SqliteStore
from dopejar.errors import SpendCapError
class Noon:
    def now(self):
        return datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
store = SqliteStore.open(Path(sys.argv[1]))
log = StoredSpendLog(store, Noon(), daily_cap=100)
try:
    log.reserve(30, "b")
except SpendCapError:
    log.reserve(15, "b")
store.close()
"""
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    with store.read() as view:
        spent = read_spent(view.held(KIND, "2031-05-04"))
    store.close()
    assert (spent.tokens, spent.by_purpose) == (95, {"a": 80, "b": 15})
