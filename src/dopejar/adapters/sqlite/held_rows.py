"""Held rows: working sets, shared references, versioned rows, reviewers, use notes, and values about the store itself.

Takes: keys and rows. Gives: rows. Never: a belief.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import Row, time_or_none, when, when_or_none
from dopejar.adapters.sqlite.row_digests import HELD, META, REFERENCES, REVIEWERS, RowDigestWrites
from dopejar.adapters.sqlite.transaction import UNREADABLE, Transaction, listed, prefix_range
from dopejar.errors import StaleProposalError, StoreDamagedError

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store.held_rows import BodyReader, BodyReaders
    from dopejar.values.ids import RecordId
    from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet

_HEXADECIMAL: Final = frozenset("0123456789abcdefABCDEF")
_REFERENCE: Final = "SELECT key, value, version, source, updated_by, updated_at FROM shared_references"
_WORKING_SET: Final = "SELECT problem_id, lane_id, body, expires_at, version FROM working_sets"
HELD_COLUMNS: Final = "kind, key, body, version, expires_at"
_HELD: Final = f"SELECT {HELD_COLUMNS} FROM held"


def _stale_row_error(what: str, mine: int, theirs: int) -> StaleProposalError:
    return StaleProposalError(
        f"{what} is at version {theirs} now, and this change was made from version {mine}. Read it again and"
        " apply the change to what it says now."
    )


def _working_set_of(row: Row) -> "WorkingSet":
    from dopejar.values.versioned_rows import WorkingSet

    problem_id, lane_id, body, expires_at, version = cast("tuple[str, str, str, str, int]", row)
    until = time_or_none(expires_at)
    assert until is not None  # noqa: S101 - the column is NOT NULL
    return WorkingSet(problem_id=problem_id, lane_id=lane_id, body=body, expires_at=until, version=version)


def _reference_of(row: Row) -> "SharedReference":
    from dopejar.values.versioned_rows import SharedReference  # loaded by a process that reads held rows

    key, value, version, source, updated_by, updated_at = cast("tuple[str, str, int, str, str, str]", row)
    at = time_or_none(updated_at)
    assert at is not None  # noqa: S101 - the column is NOT NULL
    return SharedReference(key=key, value=value, version=version, source=source, updated_by=updated_by, updated_at=at)


def held_of(row: Row) -> "KeyValueRow":
    """The held row of a row in the order of `HELD_COLUMNS`."""
    from dopejar.values.versioned_rows import KeyValueRow

    kind, key, body, version, expires_at = cast("tuple[str, str, str, int, str | None]", row)
    return KeyValueRow(kind=kind, key=key, body=body, version=version, expires_at=time_or_none(expires_at))


def read_held(row: Row, readers: "BodyReaders") -> "KeyValueRow":
    """The held row of a row; with what is read instead of its body, where that cannot be read.

    Raises as a codec does where nothing is read instead.
    """
    held = held_of(row)
    reader = readers(held.kind)
    if reader is None:
        return held
    try:
        reader.read(held)
    except UNREADABLE:
        if not reader.instead:
            raise
        return replace(held, body=reader.instead)
    return held


class HeldRowReads(Transaction):
    """`ports.store.HeldRowReader` and `UsageReader`, the reviewers and the store's own values."""

    def working_set(self, problem_id: str, lane_id: str = "") -> "WorkingSet | None":
        """The working set of this problem and lane alone."""
        sql = f"{_WORKING_SET} WHERE problem_id = ? AND lane_id = ?"
        return self._require_decoded("working set", _working_set_of, self._row(sql, (problem_id, lane_id)))

    def working_sets(self) -> "tuple[WorkingSet, ...]":
        """Every working set, by problem and lane."""
        return self._decoded(_working_set_of, self._rows(f"{_WORKING_SET} ORDER BY problem_id, lane_id"))

    def reference(self, key: str, version: int | None = None) -> "SharedReference | None":
        """A shared reference, its newest version unless one is named."""
        if version is None:
            row = self._row(f"{_REFERENCE} WHERE key = ? ORDER BY version DESC LIMIT 1", (key,))
        else:
            row = self._row(f"{_REFERENCE} WHERE key = ? AND version = ?", (key, version))
        return self._require_decoded("reference", _reference_of, row)

    def references(self, prefix: str = "") -> "tuple[SharedReference, ...]":
        """Newest versions of the references whose key begins so."""
        rows = self._rows(
            f"{_REFERENCE} s WHERE key >= ? AND key < ? AND version ="
            " (SELECT max(version) FROM shared_references n WHERE n.key = s.key) ORDER BY key",
            prefix_range(prefix),
        )
        return self._decoded(_reference_of, rows)

    def held(self, kind: str, key: str) -> "KeyValueRow | None":
        """One held row."""
        row = self._row(f"{_HELD} WHERE kind = ? AND key = ?", (kind, key))
        if row is None:
            return None
        found, reader = self._held_or_none(row), self._body_readers(kind)
        if found is None and (reader is None or reader.is_kept):
            raise StoreDamagedError(f"The held row {kind} {key} has a value that cannot be read. Run `dopejar doctor`.")
        return found

    def held_of(self, kind: str) -> "tuple[KeyValueRow, ...]":
        """Every held row of a kind, by key."""
        rows = self._rows(f"{_HELD} WHERE kind = ? ORDER BY key", (kind,))
        return tuple(held for row in rows if (held := self._held_or_none(row)) is not None)

    def _held_or_none(self, row: Row) -> "KeyValueRow | None":
        """The held row; None, noted by kind and key, for one that cannot be read."""
        try:
            held = read_held(row, self._body_readers)
        except UNREADABLE:
            held = None
        if held is None or held.body != row[2]:
            self._cache.unreadable.add(f"{row[0]!s} {row[1]!s}")
        return held

    def odd_held_rows(self) -> "Iterator[tuple[str, str, BodyReader | None]]":
        """Kind, key and reader of each held row of which a value cannot be read; no reader where its name is odd."""
        for row in self._each_row(f"{_HELD} ORDER BY kind, key"):
            kind, key = row[:2]
            reader = self._body_readers(kind) if isinstance(kind, str) and isinstance(key, str) else None
            try:
                if bytes not in map(type, row) and read_held(row, self._body_readers) == held_of(row):
                    continue
            except UNREADABLE:
                pass
            yield str(kind), str(key), reader

    def held_kinds(self) -> tuple[str, ...]:
        """The kinds of which there is a held row, in order."""
        return tuple(self._texts("SELECT DISTINCT kind FROM held ORDER BY kind"))

    def used_since(self, at: "datetime", limit: int) -> "tuple[tuple[RecordId, int], ...]":
        """Records that were used then or later, each with all its uses, the most used first."""
        rows = self._rows(
            "SELECT r.id, u.count FROM uses u JOIN records r ON r.rowid = u.record_row WHERE u.last_at >= ?"
            " ORDER BY u.count DESC, r.id LIMIT ?",
            (when(at), limit),
        )
        return tuple(cast("list[tuple[RecordId, int]]", rows))

    def has_injected(self) -> bool:
        """Whether recall ever returned anything."""
        return bool(self._texts("SELECT digest FROM injected LIMIT 1"))

    def injected(self, digests: Sequence[str], before: "datetime | None" = None) -> tuple[str, ...]:
        """Those of the digests that recall returned before, or before a time, in the order asked for."""
        sql = "SELECT digest FROM injected WHERE digest IN (SELECT value FROM json_each(?))"
        if before is None:
            known = set(self._texts(sql, (listed(digests),)))
        else:
            known = set(self._texts(f"{sql} AND at < ?", (listed(digests), when(before))))
        return tuple(digest for digest in digests if digest in known)

    def reviewer(self, name: str) -> str | None:
        """The scrypt hash of a reviewer's passphrase."""
        row = self._row("SELECT passphrase_hash FROM reviewers WHERE name = ?", (name,))
        return None if row is None else cast("str", row[0])

    def reviewers(self) -> tuple[str, ...]:
        """Names of the reviewers."""
        return tuple(self._texts("SELECT name FROM reviewers ORDER BY name"))

    def meta(self, key: str) -> str | None:
        """A value about the store itself: `secret` (hex), `change_seq`, ..."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (key,))
        value = None if row is None else cast("str", row[0])
        if key == "secret" and value and set(value) - _HEXADECIMAL:
            raise StoreDamagedError("The store's secret was changed, so nothing can be verified. Restore a backup.")
        return value


class HeldRowWrites(RowDigestWrites, HeldRowReads):
    """The same rows, written."""

    def put_working_set(self, working: "WorkingSet") -> None:
        """Write the version after `working.version`; StaleProposalError where another one was written since."""
        there = self._number(
            "SELECT version FROM working_sets WHERE problem_id = ? AND lane_id = ?",
            (working.problem_id, working.lane_id),
        )
        if there != working.version:
            raise _stale_row_error(f"The working set of {working.problem_id}", working.version, there)
        self._run(
            "INSERT OR REPLACE INTO working_sets (problem_id, lane_id, body, expires_at, version)"
            " VALUES (?, ?, ?, ?, ?)",
            (working.problem_id, working.lane_id, working.body, when(working.expires_at), there + 1),
        )

    def drop_working_set(self, problem_id: str, lane_id: str = "") -> None:
        """Remove a working set."""
        self._run("DELETE FROM working_sets WHERE problem_id = ? AND lane_id = ?", (problem_id, lane_id))

    def put_reference(self, reference: "SharedReference") -> None:
        """Write this version of a shared reference; StaleProposalError where its version is taken."""
        there = self._number("SELECT max(version) FROM shared_references WHERE key = ?", (reference.key,))
        if reference.version <= there:
            raise _stale_row_error(f"The reference {reference.key}", reference.version, there)
        self.touch(REFERENCES, reference.key, reference.version)
        self._run(
            "INSERT INTO shared_references (key, version, value, source, updated_by, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                reference.key,
                reference.version,
                reference.value,
                reference.source,
                reference.updated_by,
                when(reference.updated_at),
            ),
        )

    def drop_reference(self, key: str) -> None:
        """Remove a shared reference in all its versions."""
        for (version,) in self._rows("SELECT version FROM shared_references WHERE key = ?", (key,)):
            self.touch(REFERENCES, key, version)
        self._run("DELETE FROM shared_references WHERE key = ?", (key,))

    def put_held(self, row: "KeyValueRow") -> None:
        """Write the version after `row.version`; StaleProposalError where another one was written since."""
        there = self._number("SELECT version FROM held WHERE kind = ? AND key = ?", (row.kind, row.key))
        if there != row.version and (row.version or self.held(row.kind, row.key) is not None):
            raise _stale_row_error(f"The {row.kind} row {row.key}", row.version, there)
        self.touch(HELD, row.kind, row.key)
        self._run(
            "INSERT OR REPLACE INTO held (kind, key, body, version, expires_at) VALUES (?, ?, ?, ?, ?)",
            (row.kind, row.key, row.body, row.version + 1, when_or_none(row.expires_at)),
        )

    def renew_held(self, kind: str, key: str, instead: str) -> None:
        """Write what is read in place of a row that cannot be read; remove it where that is nothing."""
        self.touch(HELD, kind, key)
        if instead:
            self._run("UPDATE held SET body = ?, expires_at = NULL WHERE kind = ? AND key = ?", (instead, kind, key))
        else:
            self._run("DELETE FROM held WHERE kind = ? AND key = ?", (kind, key))

    def drop_held(self, kind: str, key: str) -> None:
        """Remove a held row."""
        self.touch(HELD, kind, key)
        self._run("DELETE FROM held WHERE kind = ? AND key = ?", (kind, key))

    def drop_expired(self, now: "datetime") -> int:
        """Remove working sets and held rows that have expired; how many."""
        limit = (when(now),)
        for row in self._rows("SELECT kind, key FROM held WHERE expires_at IS NOT NULL AND expires_at <= ?", limit):
            self.touch(HELD, *row)
        return self._run("DELETE FROM working_sets WHERE expires_at <= ?", limit) + self._run(
            "DELETE FROM held WHERE expires_at IS NOT NULL AND expires_at <= ?", limit
        )

    def put_reviewer(self, name: str, passphrase_hash: str) -> None:
        """Insert or replace a reviewer."""
        self.touch(REVIEWERS, name)
        self._run("INSERT OR REPLACE INTO reviewers (name, passphrase_hash) VALUES (?, ?)", (name, passphrase_hash))

    def drop_reviewer(self, name: str) -> None:
        """Remove a reviewer."""
        self.touch(REVIEWERS, name)
        self._run("DELETE FROM reviewers WHERE name = ?", (name,))

    def note_used(self, ids: "Sequence[RecordId]", at: "datetime") -> None:
        """Count one use of each record; ids that do not exist are skipped."""
        moment = when(at)
        self._run_many(
            "INSERT INTO uses (record_row, count, last_at) SELECT rowid, 1, ? FROM records WHERE id = ?"
            " ON CONFLICT (record_row) DO UPDATE SET count = count + 1, last_at = max(last_at, excluded.last_at)",
            [(moment, record_id) for record_id in ids],
        )

    def drop_uses(self, record_id: "RecordId") -> None:
        """Remove the use count and the time of the last use of a record."""
        self._run("DELETE FROM uses WHERE record_row = (SELECT rowid FROM records WHERE id = ?)", (record_id,))

    def note_injected(self, digests: Sequence[str], at: "datetime") -> None:
        """Remember digests of what recall returned, and when first."""
        moment = when(at)
        self._run_many(
            "INSERT INTO injected (digest, at) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
            [(digest, moment) for digest in digests],
        )

    def set_meta(self, key: str, value: str) -> None:
        """Write a value about the store itself."""
        self.touch(META, key)
        self._run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
