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
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from dopejar.adapters.sqlite.codec import Cell, dumps
from dopejar.adapters.sqlite.session import Session

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import apsw

    from dopejar.adapters.sqlite.process_cache import ProcessCache

META_KEY: Final = "row_digests"
_UNDIGESTED: Final = ("change_seq", META_KEY)  # values that every commit changes
_WIDTH: Final = 16  # bytes of a digest
_MODULUS: Final = 1 << 128
_ALTERED: Final = b""  # the digest of a row that was found altered when it was written again


@dataclass(frozen=True, kw_only=True, slots=True)
class DigestedTable:
    """A table whose rows have digests; rows of one key have one together.

    `select` ends before its condition; its first columns are the key. `label` is how a row is named to a person.
    """

    number: int
    name: str
    select: str
    keys: tuple[str, ...]
    label: str
    order: str
    only: str = "1"

    def sql(self, condition: str = "1") -> str:
        """The rows that satisfy the condition, those of one key one after the other."""
        return f"{self.select} WHERE {self.only} AND {condition} ORDER BY {self.order}"

    @property
    def is_among(self) -> str:
        """The condition that the key is one of a JSON list."""
        if len(self.keys) == 1:
            return f"{self.keys[0]} IN (SELECT value FROM json_each(?))"
        parts = ", ".join(f"value ->> {place}" for place in range(len(self.keys)))
        return f"({', '.join(self.keys)}) IN (SELECT {parts} FROM json_each(?))"


# The count of asserting turns is left out, and so is the end of a state: both follow from other rows and are compared
# with them.
_RECORD_COLUMNS: Final = (
    "rowid, id, namespace, scope, status, kind, side, valid_from, valid_to, temporary, key, slot, chain, value, layer,"
    " sublayer, confidence, certainty, trust, tags, pinned, created_at, content_hash, version, made_by, supersedes,"
    " superseded_by, approved_by, helpful_count, harmful_count, last_accessed_at, attributes, text"
)


def _table(
    number: int, name: str, keys: str, *, columns: str = "*", label: str = "", order: str = "", only: str = "1"
) -> DigestedTable:
    return DigestedTable(
        number=number,
        name=name,
        select=f"SELECT {keys}, {columns} FROM {name}",
        keys=tuple(keys.split(", ")),
        label=label or keys.replace(", ", " || ' ' || "),
        order=order or keys,
        only=only,
    )


META: Final = _table(1, "meta", "key", only=f"key NOT IN {_UNDIGESTED}")
REVIEWERS: Final = _table(2, "reviewers", "name")
TOMBSTONES: Final = _table(3, "tombstones", "kind, digest")
CONVERSATIONS: Final = _table(4, "conversations", "id")
EPISODES: Final = _table(5, "episodes", "rowid", label="id")
RECORDS: Final = _table(6, "records", "rowid", columns=_RECORD_COLUMNS, label="id")
STATES: Final = _table(
    7,
    "record_states",
    "rowid",
    columns="record_id, from_seq, act_id, status, valid_from, valid_to, image",
    label="record_id || ' from entry ' || from_seq",
)
EVIDENCE: Final = _table(8, "evidence", "record_id", order="record_id, at, place")
PROPOSALS: Final = _table(9, "proposals", "id")
PROPOSAL_LINKS: Final = _table(10, "proposal_links", "proposal_id", order="proposal_id, ref, kind")
HELD: Final = _table(11, "held", "kind, key")
REFERENCES: Final = _table(12, "shared_references", "key, version")
TABLES: Final = (
    META, REVIEWERS, TOMBSTONES, CONVERSATIONS, EPISODES, RECORDS, STATES, EVIDENCE, PROPOSALS, PROPOSAL_LINKS, HELD,
    REFERENCES,
)  # fmt: skip


@dataclass(kw_only=True, slots=True)
class Sums:
    """Count and sum of the digests of each table, and the ledger's head that they belong to.

    `since` is the ledger's length when the digests began. `is_sound` says whether the store's own mark verified.
    """

    since: int = 0
    head: tuple[int, str] = (0, "")
    tables: dict[str, tuple[int, int]] = field(default_factory=dict)
    is_sound: bool = True

    def change(self, key: bytes, table: DigestedTable, old: bytes | None, new: bytes | None) -> None:
        """Take the old digest of a row out and the new one in."""
        count, total = self.tables.get(table.name, (0, 0))
        if old is not None:
            count, total = count - 1, total - _weight(key, old)
        if new is not None:
            count, total = count + 1, total + _weight(key, new)
        self.tables[table.name] = count, total % _MODULUS

    def text(self, key: bytes) -> str:
        """As they are stored, with the mark that only the secret makes; sums that were altered get none again."""
        body = dumps([self.since, self.head, {name: [n, hex(total)] for name, (n, total) in self.tables.items()}])
        mark = _mac(key, body.encode(), b"sums").hex() if self.is_sound else ""
        return f"{mark} {body}"

    @classmethod
    def of(cls, text: str | None, key: bytes) -> Sums:
        """The stored sums; unsound ones where they are missing, cannot be read or are not marked by the secret."""
        mark, _, body = (text or "").partition(" ")
        try:
            since, head, tables = json.loads(body)
            sums = cls(
                since=int(since),
                head=(int(head[0]), str(head[1])),
                tables={str(name): (int(count), int(total, 16)) for name, (count, total) in tables.items()},
            )
        except (ValueError, TypeError, AttributeError, IndexError):
            return cls(is_sound=False)
        sums.is_sound = mark == _mac(key, body.encode(), b"sums").hex()
        return sums


def _mac(key: bytes, message: bytes, purpose: bytes) -> bytes:
    return blake2b(message, digest_size=_WIDTH, key=key, person=purpose).digest()


def _weight(key: bytes, digest: bytes) -> int:
    return int.from_bytes(_mac(key, digest, b"weight"), "big")


def _plain(cell: object) -> str:
    return f"bytes {bytes(cast('bytes', cell)).hex()}"


_encode: Final = json.JSONEncoder(separators=(",", ":"), default=_plain).encode
_Wanted = Cell | Sequence[Cell]


class RowDigests(Session):
    """Computes and reads digests."""

    def digest_key(self) -> bytes:
        """The store's secret as the key of its digests."""
        row = self._row("SELECT value FROM meta WHERE key = 'secret'")
        return b"" if row is None else str(row[0]).encode("utf-8", "surrogatepass")[:64]

    def sums(self, key: bytes) -> Sums:
        """The stored sums."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (META_KEY,))
        return Sums.of(None if row is None else str(row[0]), key)

    def computed_digests(
        self, key: bytes, table: DigestedTable, keys: Sequence[_Wanted] | None = None
    ) -> Iterator[tuple[Cell, bytes]]:
        """The digests of what the rows say now, of some keys or of all."""
        if keys is None:
            rows = self._each_row(table.sql())
        else:
            rows = self._each_row(table.sql(table.is_among), (dumps(keys),))
        width = len(table.keys)
        for row_key, group in groupby(rows, key=lambda row: row[:width]):
            message = _encode([table.number, [row[width:] for row in group]]).encode()
            yield _stored_key(row_key), _mac(key, message, b"row")

    def stored_digests(self, table: DigestedTable) -> dict[Cell, bytes]:
        """The digests that lie beside the rows of a table."""
        rows = self._rows("SELECT row, digest FROM row_digests WHERE source = ?", (table.number,))
        return {row: bytes(cast("bytes", digest)) for row, digest in rows}

    def labels(self, table: DigestedTable, rows: Sequence[Cell]) -> dict[Cell, str]:
        """How a person knows the rows of these stored keys."""
        wanted = rows if len(table.keys) == 1 else [json.loads(str(row)) for row in rows]
        sql = f"SELECT DISTINCT {', '.join(table.keys)}, {table.label} FROM {table.name} WHERE {table.is_among}"
        return {_stored_key(row[:-1]): str(row[-1]) for row in self._each_row(sql, (dumps(list(wanted)),))}


def _stored_key(key: Sequence[Cell]) -> Cell:
    return key[0] if len(key) == 1 else dumps(list(key))


class _Before(NamedTuple):
    """A key that a transaction writes, as it was before."""

    wanted: _Wanted
    digest: bytes | None
    is_altered: bool


class RowDigestWrites(RowDigests):
    """Keeps the digests of the rows that a transaction writes."""

    _has_new_head = False

    def __init__(
        self, connection: "apsw.Connection", path: "Path", now: "Callable[[], datetime]", cache: "ProcessCache"
    ) -> None:
        super().__init__(connection, path, now, cache)
        self._touched: dict[DigestedTable, dict[Cell, _Before]] = {}
        self._key = b""

    def touch(self, table: DigestedTable, *key: Cell, is_new: bool = False) -> None:
        """Say that the rows of a key are about to be written, or that new ones were.

        A row that does not match its digest by now was altered outside the program, and stays marked so.
        """
        touched = self._touched.setdefault(table, {})
        name = _stored_key(key)
        if name in touched:
            return
        stored: bytes | None = None
        is_altered = False
        wanted = key[0] if len(key) == 1 else key
        if not is_new:
            self._key = self._key or self.digest_key()
            row = self._row("SELECT digest FROM row_digests WHERE source = ? AND row = ?", (table.number, name))
            stored = None if row is None else bytes(cast("bytes", row[0]))
            is_altered = dict(self.computed_digests(self._key, table, [wanted])).get(name) != stored
        touched[name] = _Before(wanted, stored, is_altered)

    def write_digests(self) -> None:
        """Write the digests of every row that was touched, and the sums with the ledger's head."""
        if not self._touched and not self._has_new_head:
            return
        key = self.digest_key()
        sums = self.sums(key)
        for table, changes in self._touched.items():
            self._write_table(key, sums, table, changes)
        row = self._row("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1")
        sums.head = (0, "") if row is None else cast("tuple[int, str]", row)
        self._rows("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (META_KEY, sums.text(key)))

    def _write_table(self, key: bytes, sums: Sums, table: DigestedTable, changes: "dict[Cell, _Before]") -> None:
        now = dict(self.computed_digests(key, table, [before.wanted for before in changes.values()]))
        kept: list[tuple[Cell, ...]] = []
        gone: list[tuple[Cell, ...]] = []
        for name, before in changes.items():
            new = now.get(name)
            if new is not None and before.is_altered:
                new = _ALTERED
            if new == before.digest:
                continue
            sums.change(key, table, before.digest, new)
            if new is None:
                gone.append((table.number, name))
            else:
                kept.append((table.number, name, new))
        self._run_many("INSERT OR REPLACE INTO row_digests (source, row, digest) VALUES (?, ?, ?)", kept)
        self._run_many("DELETE FROM row_digests WHERE source = ? AND row = ?", gone)


def digest_everything(connection: "apsw.Connection", path: "Path") -> None:
    """Make the digests of every row as it is now. For a migration alone: what was altered before is not found."""
    from datetime import UTC, datetime

    from dopejar.adapters.sqlite.process_cache import ProcessCache

    session = RowDigests(connection, path, lambda: datetime.now(UTC), ProcessCache())
    key = session.digest_key()
    sums = Sums()
    row = connection.execute("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    sums.head = (0, "") if row is None else cast("tuple[int, str]", row)
    sums.since = sums.head[0]
    connection.execute("DELETE FROM row_digests")
    for table in TABLES:
        digests = list(session.computed_digests(key, table))
        for _, digest in digests:
            sums.change(key, table, None, digest)
        connection.executemany(
            "INSERT INTO row_digests (source, row, digest) VALUES (?, ?, ?)",
            [(table.number, name, digest) for name, digest in digests],
        )
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (META_KEY, sums.text(key)))
