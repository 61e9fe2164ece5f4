"""The schema's history: a fresh store equals a migrated one, and what was released never changes."""

import hashlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from dopejar.adapters.sqlite import SqliteStore, schema
from dopejar.errors import StoreDamagedError, StoreReadOnlyError
from dopejar.testing.builders import a_record, insert_record, raising
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.ids import ConversationId, RecordId
from dopejar.values.scope import Namespace

RELEASED = {
    1: "8ba43b53170a5b516fa534e1aec384b5ed63486393d8a24900f773b1bd54649a",
    2: "94d587604a18ccbb3b08c646db3bc1434b549a39462cc1c6207e56a20b49b803",
    3: "6f8e44bc3ecc6a2e3dcf9f586332bd0cfb95c46444068b0ce9d1f5b872403ca2",
    4: "d8b9941d39a6a3ccb46ca2c838869b4eaaf6515970ec9823eea1905a1bc20e3a",
    5: "1c0126a59d309d0b8409417c3a206b94956d6b24b073ca67701bfbac6f9c43d2",
    6: "ed7eac1e7cbb1954f1ded2958c55f12e5aadbfe3a0b01d1529db6c1d51c191aa",
}
"""The sha256 of each released migration, line ends unified. A new migration adds a line; no line changes."""


def _shape(connection: apsw.Connection) -> set[tuple[str, str, str]]:
    """Every object of the schema with its columns; the wording and its comments do not matter."""
    found = set()
    for kind, name, sql in connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema"):
        lines = [line.split("--")[0] for line in sql.splitlines()]
        words = " ".join(" ".join(lines).split())
        found.add((kind, name, words.replace(" ,", ",").replace(" )", ")")))
    return found


def _migrated() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for step in schema.migrations():
        connection.execute(step.sql)
    return connection


def test_a_fresh_schema_equals_a_migrated_one() -> None:
    """`schema.sql` makes exactly what all migrations make one after the other."""
    fresh = apsw.Connection(":memory:")
    fresh.execute(schema.fresh_schema())
    assert _shape(fresh) == _shape(_migrated())


def test_migrations_are_numbered_without_a_gap() -> None:
    """Numbers run from one to the newest, which is the program's own schema number."""
    assert [step.number for step in schema.migrations()] == list(range(1, schema.CURRENT + 1))


def test_released_migrations_never_change() -> None:
    """Each migration's text is the one that was released."""
    assert {step.number: step.checksum for step in schema.migrations()} == RELEASED


@pytest.mark.parametrize("number", sorted(RELEASED))
def test_a_checksum_is_that_of_the_text(number: int) -> None:
    """The checksum covers the whole text, whatever its line ends."""
    step = schema.migrations()[number - 1]
    assert step.checksum == hashlib.sha256(step.sql.encode()).hexdigest()
    windows = schema.Migration(number=step.number, name=step.name, sql=step.sql.replace("\n", "\r\n"))
    assert windows.checksum == step.checksum


def test_a_new_store_notes_what_was_applied(tmp_path: Path) -> None:
    """A fresh store carries the newest number and one line per migration, with its checksum and time."""
    path = tmp_path / "store.db"
    SqliteStore.open(path, clock=FixedClock()).close()
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("user_version") == schema.CURRENT
        rows = connection.execute("SELECT number, checksum, applied_at FROM migrations").fetchall()
    assert rows == [(number, checksum, FixedClock().now().isoformat()) for number, checksum in sorted(RELEASED.items())]


def test_a_store_between_two_schemas_is_finished(tmp_path: Path) -> None:
    """An empty file, as a process leaves it that was killed while it made the store, becomes a store."""
    path = tmp_path / "store.db"
    path.touch()
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        with store.write() as tx:
            insert_record(tx, a_record("one"))
        assert store.check() == ()


def _downgrade(path: Path, sql: str) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(sql)


def test_an_older_store_is_migrated_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that a store lacks are applied in order, in one transaction, and its rows stay."""
    path = tmp_path / "store.db"
    with closing(SqliteStore.open(path, clock=FixedClock())) as store, store.write() as tx:
        insert_record(tx, a_record("one"))
    later = schema.Migration(number=schema.CURRENT + 1, name="0002_later", sql="CREATE TABLE later (a INTEGER) STRICT;")
    steps = (*schema.migrations(), later)
    with closing(apsw.Connection(str(path))) as connection:
        monkeypatch.setattr(schema, "migrations", lambda: steps)
        monkeypatch.setattr(schema, "CURRENT", later.number)
        schema.migrate(connection, path, datetime(2026, 5, 1, tzinfo=UTC), "local")
        assert connection.pragma("user_version") == later.number
        assert connection.execute("SELECT count(*) FROM later").fetchone() == (0,)
        assert connection.execute("SELECT id FROM records").fetchone() == (RecordId("m_one"),)
        applied = [row[0] for row in connection.execute("SELECT number FROM migrations")]
        assert applied == list(range(1, later.number + 1))


def test_a_store_of_the_first_schema_is_opened_with_its_rows(tmp_path: Path) -> None:
    """A file that the first schema made is brought up to date when it is opened; its conversations are in prod."""
    path = tmp_path / "store.db"
    first = schema.migrations()[0]
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("journal_mode", "wal")
        connection.execute(first.sql)
        connection.execute("INSERT INTO meta VALUES ('secret', 'ab'), ('change_seq', '0'), ('tenant', 'local')")
        connection.execute("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT")  # fmt: skip # noqa: E501 - as the first release made it
        connection.execute("INSERT INTO migrations VALUES (1, ?, ?, '')", (first.name, first.checksum))
        connection.execute(
            "INSERT INTO conversations VALUES ('c_old', 'file', 'old', 'neutral', NULL, '', '', '[]', '', 0)"
        )
        connection.pragma("user_version", 1)
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        with store.read() as view:
            old = view.conversation(ConversationId("c_old"))
            assert old is not None
            assert (old.name, old.namespace, old.cwd) == ("old", Namespace.PROD, "")
        assert store.check() == ()


def test_a_failed_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a step fails, the store keeps its old schema and number."""
    path = tmp_path / "store.db"
    SqliteStore.open(path, clock=FixedClock()).close()
    broken = schema.Migration(
        number=schema.CURRENT + 1, name="0002_broken", sql="CREATE TABLE half (a); CREATE TABLE half (a);"
    )
    steps = (*schema.migrations(), broken)
    with closing(apsw.Connection(str(path))) as connection:
        before = _shape(connection)
        monkeypatch.setattr(schema, "migrations", lambda: steps)
        monkeypatch.setattr(schema, "CURRENT", broken.number)
        with raising(apsw.SQLError, "half"):
            schema.migrate(connection, path, FixedClock().now(), "local")
        assert _shape(connection) == before
        assert connection.pragma("user_version") == broken.number - 1


def test_a_changed_migration_is_refused(tmp_path: Path) -> None:
    """A store that was built by another text of a step is not migrated further."""
    path = tmp_path / "store.db"
    SqliteStore.open(path, clock=FixedClock()).close()
    _downgrade(path, "UPDATE migrations SET checksum = 'other'")
    with closing(apsw.Connection(str(path))) as connection, raising(StoreDamagedError, "0001_store"):
        schema.migrate(connection, path, FixedClock().now(), "local")


def test_an_older_store_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Reading alone cannot migrate, and says so."""
    path = tmp_path / "store.db"
    SqliteStore.open(path, clock=FixedClock()).close()
    _downgrade(path, "PRAGMA user_version = 0")
    with raising(StoreReadOnlyError, "older schema"):
        SqliteStore.open(path, read_only=True)
