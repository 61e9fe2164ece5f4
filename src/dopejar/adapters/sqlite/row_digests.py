"""Keyed digests of the rows of truth: each row's own, and a sum per table.

Takes: the keys of rows that a transaction writes. Gives: digests beside the rows, sums bound to the ledger's head, and
what does not match them. Never: makes a row match again that was changed outside the program.

A digest names a changed row; a sum (of secret weights of the digests, modulo 2^128) shows a row that was added or
removed together with its digest. The key is the store's secret, which lies in the same file: somebody who reads it can
make digests, and is found out only by a head of the ledger that was noted elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from dopejar.adapters.sqlite.codec import EPISODE_COLUMNS, Cell, Row, dumps
from dopejar.adapters.sqlite.digest_sums import Sums, mac
from dopejar.adapters.sqlite.transaction import Transaction, no_body_reader

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import apsw

    from dopejar.adapters.sqlite.process_cache import ProcessCache
    from dopejar.ports.store.held_rows import BodyReaders

META_KEY: Final = "row_digests"
_UNDIGESTED: Final = ("change_seq", META_KEY)  # values that every commit changes
_ALTERED: Final = b""  # the digest of a row that was found altered when it was written again


class DigestedTable(NamedTuple):
    """A table whose rows have digests; rows of one key have one together.

    `whole` selects every row, those of one key one after the other; `one` those of one key. Their first columns are the
    key. `label` is how a row is named to a person.
    """

    number: int
    name: str
    keys: tuple[str, ...]
    whole: str
    one: str
    label: str


def _table(
    number: int, name: str, keys: str, *, columns: str = "*", label: str = "", order: str = "", only: str = "1"
) -> DigestedTable:
    parts = tuple(keys.split(", "))
    select, ordered = f"SELECT {keys}, {columns} FROM {name} WHERE {only}", f"ORDER BY {order or keys}"
    return DigestedTable(
        number=number,
        name=name,
        keys=parts,
        whole=f"{select} {ordered}",
        one=f"{select} AND {' AND '.join(f'{part} = ?' for part in parts)} {ordered}",
        label=label or " || ' ' || ".join(parts),
    )


# The count of asserting turns is left out, and so is the end of a state: both follow from other rows and are compared
# with them.
_RECORD_COLUMNS: Final = (
    "id, namespace, scope, status, kind, side, valid_from, valid_to, temporary, key, slot, chain, value, layer,"
    " sublayer, confidence, certainty, trust, tags, pinned, created_at, content_hash, version, made_by, supersedes,"
    " superseded_by, approved_by, helpful_count, harmful_count, last_accessed_at, attributes, text"
)
_STATE_COLUMNS: Final = "record_id, from_seq, act_id, status, valid_from, valid_to, image"
_WITH_LINKS: Final = (
    "*, (SELECT group_concat(ref || ' ' || kind, ' ' ORDER BY ref, kind) FROM proposal_links WHERE proposal_id = id)"
)

META: Final = _table(1, "meta", "key", only=f"key NOT IN {_UNDIGESTED}")
REVIEWERS: Final = _table(2, "reviewers", "name")
TOMBSTONES: Final = _table(3, "tombstones", "kind, digest")
CONVERSATIONS: Final = _table(4, "conversations", "id")
EPISODES: Final = _table(5, "episodes", "rowid", columns=EPISODE_COLUMNS, label="id")
RECORDS: Final = _table(6, "records", "rowid", columns=_RECORD_COLUMNS, label="id")
STATES: Final = _table(
    7, "record_states", "rowid", columns=_STATE_COLUMNS, label="record_id || ' from entry ' || from_seq"
)
EVIDENCE: Final = _table(8, "evidence", "record_id", order="record_id, at, place")
PROPOSALS: Final = _table(9, "proposals", "id", columns=_WITH_LINKS)
HELD: Final = _table(10, "held", "kind, key")
REFERENCES: Final = _table(11, "shared_references", "key, version")
TABLES: Final = (
    META, REVIEWERS, TOMBSTONES, CONVERSATIONS, EPISODES, RECORDS, STATES, EVIDENCE, PROPOSALS, HELD, REFERENCES,
)  # fmt: skip


def _digest_of_rows(key: bytes, table: DigestedTable, rows: Sequence[Row]) -> bytes:
    # ascii, since it writes a value the same way in every version of Python
    return mac(key, f"{table.number}{rows!a}".encode(), b"row")


class RowDigests(Transaction):
    """Computes and reads digests."""

    def digest_key(self) -> bytes:
        """The store's secret as the key of its digests."""
        row = self._row("SELECT value FROM meta WHERE key = 'secret'")
        return b"" if row is None else str(row[0]).encode("utf-8", "surrogatepass")[:64]

    def sums(self, key: bytes) -> Sums:
        """The stored sums."""
        return Sums.of(self._stored_sums(), key)

    def _stored_sums(self) -> str:
        row = self._row("SELECT value FROM meta WHERE key = ?", (META_KEY,))
        return "" if row is None else str(row[0])

    def computed_digests(self, key: bytes, table: DigestedTable) -> Iterator[tuple[Cell, bytes]]:
        """The digests of what every row says now."""
        width = len(table.keys)
        for row_key, group in groupby(self._each_row(table.whole), key=lambda row: row[:width]):
            yield stored_key(row_key), _digest_of_rows(key, table, list(group))

    def computed_digest(self, key: bytes, table: DigestedTable, row_key: Sequence[Cell]) -> bytes | None:
        """The digest of what the rows of one key say now; None where there is none."""
        rows = list(self._each_row(table.one, row_key))
        return _digest_of_rows(key, table, rows) if rows else None

    def stored_digests(self, table: DigestedTable) -> dict[Cell, bytes]:
        """The digests that lie beside the rows of a table; none where somebody removed them all with their table."""
        if not self._rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'row_digests'"):
            return {}
        rows = self._rows("SELECT row, digest FROM row_digests WHERE source = ?", (table.number,))
        return {row: bytes(cast("bytes", digest)) for row, digest in rows}

    def label(self, table: DigestedTable, row: Cell) -> str:
        """How a person knows the row of a stored key."""
        row_key = _key_of(table, row)
        condition = " AND ".join(f"{part} = ?" for part in table.keys)
        names = self._each_row(f"SELECT {table.label} FROM {table.name} WHERE {condition}", row_key)
        return next((str(name[0]) for name in names), str(row))


def _key_of(table: DigestedTable, row: Cell) -> tuple[Cell, ...]:
    return (row,) if len(table.keys) == 1 else tuple(json.loads(str(row)))


def stored_key(key: Sequence[Cell]) -> Cell:
    """A key as it stands beside its digest."""
    return key[0] if len(key) == 1 else dumps(list(key))


class _Touched(NamedTuple):
    """Rows that a transaction writes, with their digest before, and what is written where that is known."""

    table: DigestedTable
    key: tuple[Cell, ...]
    digest: bytes | None = None
    is_altered: bool = False
    row: Row | None = None


class RowDigestWrites(RowDigests):
    """Keeps the digests of the rows that a transaction writes."""

    def __init__(
        self,
        connection: "apsw.Connection",
        path: "Path",
        now: "Callable[[], datetime]",
        cache: "ProcessCache",
        body_readers: "BodyReaders" = no_body_reader,
    ) -> None:
        super().__init__(connection, path, now, cache, body_readers)
        self._touched: dict[tuple[int, Cell], _Touched] = {}
        self._digest_key = b""
        self._new_head: tuple[int, str] | None = None
        self._new_records: set[str] = set()  # their evidence is new, too

    def touch(self, table: DigestedTable, *key: Cell) -> None:
        """Say that the rows of a key are about to be written.

        A row that does not match its digest by now was altered outside the program, and stays marked so.
        """
        name = table.number, stored_key(key)
        if name in self._touched:
            self._touched[name] = self._touched[name]._replace(row=None)
            return
        self._digest_key = self._digest_key or self.digest_key()
        row = self._row("SELECT digest FROM row_digests WHERE source = ? AND row = ?", name)
        stored = None if row is None else bytes(cast("bytes", row[0]))
        is_altered = self.computed_digest(self._digest_key, table, key) != stored
        self._touched[name] = _Touched(table, key, stored, is_altered)

    def touch_new(self, table: DigestedTable, key: Cell, row: Row | None = None) -> None:
        """Say that a row with a new key is written: `row` as the table's query returns it, where that is known."""
        self._touched[table.number, key] = _Touched(table, (key,), row=row)

    def accept_altered_row(self, table: str, row: str) -> bool:
        """Let a row that something else altered match again; whether there is one of that name."""
        chosen = next((one for one in TABLES if one.name == table), None)
        if chosen is None:
            return False
        key, stored = self.digest_key(), self.stored_digests(chosen)
        now = dict(self.computed_digests(key, chosen))
        altered = (name for name in {**stored, **now} if stored.get(name) != now.get(name))
        name = next((name for name in altered if self.label(chosen, name) == row), None)
        if name is not None:
            self._digest_key = key
            self._touched[chosen.number, name] = _Touched(chosen, _key_of(chosen, name), stored.get(name))
        return name is not None

    def write_digests(self) -> None:
        """Write the digests of every row that was touched, and the sums with the ledger's head."""
        if not self._touched and self._new_head is None:
            return
        key = self._digest_key or self.digest_key()
        sums = self._cached_sums(key)
        kept: list[tuple[Cell, ...]] = []
        gone: list[tuple[Cell, ...]] = []
        for name, (table, row_key, old, is_altered, row) in self._touched.items():
            known = None if row is None else _digest_of_rows(key, table, [row])
            new = known or self.computed_digest(key, table, row_key)
            if new is not None and is_altered:
                new = _ALTERED
            if new == old:
                continue
            sums.change(key, table.name, old, new)
            if new is None:
                gone.append(name)
            else:
                kept.append((*name, new))
        if kept:
            self._run_many("INSERT OR REPLACE INTO row_digests (source, row, digest) VALUES (?, ?, ?)", kept)
        if gone:
            self._run_many("DELETE FROM row_digests WHERE source = ? AND row = ?", gone)
        sums.head = self._new_head or sums.head
        text = sums.text(key)
        self._rows("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (META_KEY, text))
        self._cache.sums = key, text, sums

    def _cached_sums(self, key: bytes) -> Sums:
        """The stored sums; those that this process wrote last need no reading."""
        stored = self._stored_sums()
        cached, self._cache.sums = self._cache.sums, None  # what is taken is changed, and kept again once it is written
        return cached[2] if cached is not None and cached[:2] == (key, stored) else Sums.of(stored, key)


def digest_everything(connection: "apsw.Connection", path: "Path") -> None:
    """Make the digests of every row as it is now. For a migration alone: what was altered before is not found."""
    from datetime import UTC, datetime

    from dopejar.adapters.sqlite.process_cache import ProcessCache

    session = RowDigests(connection, path, lambda: datetime.now(UTC), ProcessCache())
    key = session.digest_key()
    sums = Sums()
    row = connection.execute("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    sums.head = (0, "") if row is None else cast("tuple[int, str]", row)
    connection.execute("DELETE FROM row_digests")
    for table in TABLES:
        digests = list(session.computed_digests(key, table))
        for _, digest in digests:
            sums.change(key, table.name, None, digest)
        connection.executemany(
            "INSERT INTO row_digests (source, row, digest) VALUES (?, ?, ?)",
            [(table.number, name, digest) for name, digest in digests],
        )
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (META_KEY, sums.text(key)))
