"""How SQLite finds what is read for every turn."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from dopejar.adapters.sqlite.connection import connect
from dopejar.adapters.sqlite.store import SqliteStore
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace


def test_what_directs_the_work_is_found_by_its_kind(tmp_path: Path) -> None:
    """Rules are listed by an index over kinds, not by walking through every memory."""
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as store, store.read() as view:
        asked: list[str] = []
        plain = view._rows
        view._rows = lambda sql, values=(): asked.append(sql) or plain(sql, values)
        where = RecordFilter(statuses=(Status.ACTIVE,), kinds=(Kind.RULE, Kind.DECISION), namespace=Namespace.PROD)
        view.list_records(where, 5)
        steps = plain(f"EXPLAIN QUERY PLAN {asked[0]}", ("active", "rule", "decision", "prod", 5))
    assert "records_by_kind" in " ".join(str(step[-1]) for step in steps)


def test_a_plan_does_not_hang_on_the_values(tmp_path: Path) -> None:
    """Every connection keeps its plans: what is bound does not make them anew."""
    path = tmp_path / "store.db"
    SqliteStore.open(path, clock=FixedClock()).close()
    with closing(connect(path)) as connection:
        assert connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1


def test_what_was_said_elsewhere_is_found_by_its_content(tmp_path: Path) -> None:
    """Copies of a conversation are looked for by an index over contents, not by walking through every turn."""
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as store, store.read() as view:
        asked: list[str] = []
        view._texts = lambda sql, values=(): asked.append(sql) or []
        view.conversations_with_content(["0" * 64], 2, 5)
        steps = view._rows(f"EXPLAIN QUERY PLAN {asked[0]}", ("[]", 2, 5))
    assert "episodes_by_content" in " ".join(str(step[-1]) for step in steps)
