"""The schema's numbered migrations.

Takes: a connection that holds the writer lock. Gives: a store of the newest schema. Never: changes a migration that was
released; the file keeps a checksum of each that was applied.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from dopejar.adapters.sqlite.codec import when
from dopejar.adapters.sqlite.driver_errors import damaged_file_error
from dopejar.adapters.sqlite.row_digests import digest_everything
from dopejar.errors import SchemaTooNewError, StoreDamagedError

if TYPE_CHECKING:
    from datetime import datetime

    import apsw

CURRENT: Final = 6
"""The schema's number: that of the newest migration, kept in `PRAGMA user_version`."""

_FIRST_WITH_DIGESTS: Final = 4

_MIGRATIONS_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,"
    " applied_at TEXT NOT NULL) STRICT"
)


class Migration(NamedTuple):
    """One numbered step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The sha256 of the step's text, line ends unified."""
        return hashlib.sha256(self.sql.replace("\r\n", "\n").encode()).hexdigest()


@cache
def migrations() -> tuple[Migration, ...]:
    """Every step, in order."""
    directory = Path(__file__).with_name("migrations")
    steps = [
        Migration(number=int(file.name[:4]), name=file.name.removesuffix(".sql"), sql=file.read_text(encoding="utf-8"))
        for file in directory.iterdir()
        if file.name.endswith(".sql")
    ]
    return tuple(sorted(steps, key=lambda step: step.number))


def fresh_schema() -> str:
    """The whole newest schema in one text; a migrated store has the same (tested)."""
    return Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")


def refuse_newer(version: int, path: Path) -> None:
    """Raise SchemaTooNewError where the file was written by a newer program."""
    if version > CURRENT:
        raise SchemaTooNewError(
            f"{path} has schema {version}, and this program knows {CURRENT}. Upgrade DoPeJar; nothing was changed."
        )


def prepare(connection: "apsw.Connection", path: Path, now: "datetime", tenant: str) -> None:
    """Create the schema in an empty file, or migrate an older store. Raises as `migrate` does.

    Raises StoreDamagedError, and changes nothing, where the file is a database of something else.
    """
    version = connection.pragma("user_version")
    if version == 0 and connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
        raise damaged_file_error(path)
    connection.pragma("journal_mode", "wal")
    migrate(connection, path, now, tenant)


def migrate(connection: "apsw.Connection", path: Path, now: "datetime", tenant: str) -> None:
    """Bring the store to the newest schema in one transaction, with its secret and tenant where it is new.

    Raises SchemaTooNewError, and StoreDamagedError where an applied step is not the one this program has.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.pragma("user_version")
        refuse_newer(version, path)
        connection.execute(_MIGRATIONS_TABLE)
        _require_same_steps(connection, path)
        if version == 0:
            connection.execute(fresh_schema())
            _insert_meta(connection, tenant)
        for step in migrations():
            if step.number > version:
                if version > 0:
                    connection.execute(step.sql)
                connection.execute(
                    "INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)",
                    (step.number, step.name, step.checksum, when(now)),
                )
        if version < _FIRST_WITH_DIGESTS:
            digest_everything(connection, path)
        connection.pragma("user_version", CURRENT)
    except BaseException:  # an interruption must leave no partial step either
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _insert_meta(connection: "apsw.Connection", tenant: str) -> None:
    connection.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [("secret", os.urandom(32).hex()), ("change_seq", "0"), ("tenant", tenant)],
    )


def _require_same_steps(connection: "apsw.Connection", path: Path) -> None:
    known = {step.number: step.checksum for step in migrations()}
    applied = connection.execute("SELECT number, name, checksum FROM migrations").fetchall()
    for number, name, checksum in cast("list[tuple[int, str, str]]", applied):
        if known.get(number) != checksum:
            raise StoreDamagedError(
                f"{path} was built with a different version of the migration {name}. Restore a backup, or export"
                " with the program that wrote it and import here."
            )
