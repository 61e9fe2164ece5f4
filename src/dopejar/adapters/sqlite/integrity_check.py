"""Integrity check of the file, its references and its projections, and repair of the projections.

Takes: a snapshot, or the writer's transaction. Gives: faults. Never: changes what is believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.held_rows import HeldRowReads, HeldRowWrites
from dopejar.adapters.sqlite.row_digests import TABLES, RowDigests
from dopejar.adapters.sqlite.row_writer import RowWriter
from dopejar.errors import StoreError

if TYPE_CHECKING:
    from dopejar.ports.store import Fault

_SHOWN: Final = 20  # messages of one kind
_SHOWN_IDS: Final = 5
_INDEX_MESSAGES: Final = ("missing from index", "wrong # of entries in index", "non-unique entry in index")
_TEXT_INDEX: Final = "text index"
_INDEX: Final = "index"
_VECTORS: Final = "vectors"
_OUTBOX: Final = "outbox"
_EDGES: Final = "edges"
_COUNTS: Final = "counts"
_HELD: Final = "held"
_LEFT_OUT: Final = (
    "{} rows have a value that cannot be read, and count as missing: {}. A repair removes them; a key, a session or a"
    " trusted terminal among them has to be made again."
)
_KEPT: Final = (
    "{} rows have a value that cannot be read, and are not made anew: {}. A host removes its note with `drop_notes`; a"
    " day's count of the language model's use goes by itself, after a month."
)

# Each query finds rows that a projection has too many or too few of; the words name the rows.
_PROJECTIONS: Final = (
    (
        _TEXT_INDEX,
        "records that the full-text index does not hold",
        "SELECT id FROM records WHERE text <> '' AND status <> 'erased'"
        " AND rowid NOT IN (SELECT id FROM records_text_docsize)",
    ),
    (
        _TEXT_INDEX,
        "full-text rows of no record",
        "SELECT id FROM records_text_docsize WHERE id NOT IN"
        " (SELECT rowid FROM records WHERE text <> '' AND status <> 'erased')",
    ),
    (
        _TEXT_INDEX,
        "episodes that the full-text index does not hold",
        "SELECT id FROM episodes WHERE text <> '' AND rowid NOT IN (SELECT id FROM episodes_text_docsize)",
    ),
    (
        _TEXT_INDEX,
        "full-text rows of no episode",
        "SELECT id FROM episodes_text_docsize WHERE id NOT IN (SELECT rowid FROM episodes WHERE text <> '')",
    ),
    (
        _VECTORS,
        "vectors of texts that do not exist",
        "SELECT number FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM records r WHERE v.owner = 'record' AND"
        " r.rowid = v.owner_row AND r.text <> '' AND r.content_hash = v.content_hash) AND NOT EXISTS (SELECT 1 FROM"
        " episodes e WHERE v.owner = 'episode' AND e.rowid = v.owner_row AND e.text <> ''"
        " AND e.content_hash = v.content_hash)",
    ),
    (
        _VECTORS,
        "vectors without a sign code",
        "SELECT number FROM vectors WHERE number NOT IN (SELECT number FROM vector_codes)",
    ),
    (
        _VECTORS,
        "vectors whose sign code is that of another text",
        "SELECT v.number FROM vectors v JOIN vector_codes c ON c.number = v.number"
        " WHERE (c.embedder, c.owner, c.owner_row) <> (v.embedder, v.owner, v.owner_row)",
    ),
    (
        _OUTBOX,
        "outbox lines about texts that do not exist",
        "SELECT seq FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM records WHERE o.owner = 'record' AND id = owner_id)"
        " AND NOT EXISTS (SELECT 1 FROM episodes WHERE o.owner = 'episode' AND id = owner_id)",
    ),
    (
        _EDGES,
        "edges of records that do not exist",
        "SELECT DISTINCT record_id FROM edges WHERE record_id <> '' AND record_id NOT IN (SELECT id FROM records)",
    ),
    (
        _COUNTS,
        "records whose count of asserting episodes is wrong",
        "SELECT id FROM records r WHERE assertions <>"
        " (SELECT count(DISTINCT episode_id) FROM evidence v WHERE v.record_id = r.id AND role = 'asserts')",
    ),
)
_INVARIANTS: Final = (
    (
        "states",
        "records without exactly one present state",
        "SELECT id FROM records r WHERE (SELECT count(*) FROM record_states s WHERE s.record_id = r.id"
        " AND s.to_seq IS NULL) <> 1",
    ),
    (
        "states",
        "records whose present state has another status or version",
        "SELECT r.id FROM records r JOIN record_states s ON s.record_id = r.id AND s.to_seq IS NULL"
        " WHERE s.status <> r.status"
        " OR iif(json_valid(s.image), json_extract(s.image, '$[22]'), NULL) IS NOT r.version",
    ),
    (
        "states",
        "records with a state that does not end where the next one begins",
        "SELECT record_id FROM (SELECT record_id, to_seq, lead(from_seq) OVER (PARTITION BY record_id"
        " ORDER BY from_seq) AS next_seq FROM record_states) WHERE to_seq IS NOT next_seq",
    ),
    (
        "evidence",
        "records that rest on no evidence",
        "SELECT id FROM records r WHERE status <> 'erased'"
        " AND NOT EXISTS (SELECT 1 FROM evidence v WHERE v.record_id = r.id)",
    ),
    (
        "evidence",
        "evidence in episodes that do not exist",
        "SELECT record_id FROM evidence WHERE episode_id NOT IN (SELECT id FROM episodes)",
    ),
    (
        "ledger",
        "ledger entries that do not follow the one before",
        "SELECT seq FROM (SELECT seq, previous, lag(hash, 1, ?1) OVER (ORDER BY seq) AS before,"
        " lag(seq, 1, 0) OVER (ORDER BY seq) AS number FROM ledger) WHERE previous <> before OR seq <> number + 1",
    ),
    (
        "states",
        "states that begin at no ledger entry",
        "SELECT record_id FROM record_states WHERE from_seq > (SELECT coalesce(max(seq), 0) FROM ledger)",
    ),
)


class IntegrityChecks(RowDigests, HeldRowReads):
    """The checks of one snapshot."""

    def faults(self) -> tuple[Fault, ...]:
        """Every fault of the file, and of the rows that can still be read where the file itself is not intact."""
        faults = list(self._file_faults())
        is_intact = all(fault.repairable for fault in faults)
        try:
            faults += self._digest_faults()
            faults += self._unreadable_rows()
        except StoreError:
            if is_intact:
                raise
        if not is_intact:
            return tuple(faults)
        faults += self._faults_of(_PROJECTIONS, repairable=True)
        faults += self._faults_of(_INVARIANTS, repairable=False)
        return tuple(faults)

    def _has_logged_pages(self) -> bool:
        """Whether the log holds pages: a loss of power may tear what they make whole at the next checkpoint."""
        log = self._path.with_name(f"{self._path.name}-wal")
        return log.exists() and log.stat().st_size > 0

    def _file_faults(self) -> Iterator[Fault]:
        from dopejar.ports.store import Fault

        if self._path.stat().st_size % self._number("PRAGMA page_size") and not self._has_logged_pages():
            yield Fault(
                what="file", detail="The end of the file was cut: its last page is not whole.", repairable=False
            )
        for row in self._rows(f"PRAGMA integrity_check({_SHOWN})"):
            message = str(row[0])
            if message == "ok":
                continue
            is_text = "FTS5" in message or "fts5" in message
            is_index = any(phrase in message for phrase in _INDEX_MESSAGES)
            what = _TEXT_INDEX if is_text else _INDEX if is_index else "file"
            yield Fault(what=what, detail=message, repairable=is_text or is_index)
        for row in cast("list[tuple[str, int, str, int]]", self._rows("PRAGMA foreign_key_check")[:_SHOWN]):
            detail = f"A row of {row[0]!s} names a row of {row[2]!s} that does not exist."
            yield Fault(what="references", detail=detail, repairable=False)

    def _faults_of(self, checks: tuple[tuple[str, str, str], ...], *, repairable: bool) -> Iterator[Fault]:
        from dopejar.ports.store import Fault
        from dopejar.values.ledger import GENESIS  # loaded by a check alone

        for what, words, sql in checks:
            values = (GENESIS,) if "?1" in sql else ()
            ids = [str(row[0]) for row in self._rows(sql, values)]
            if ids:
                yield Fault(what=what, detail=f"{len(ids)} {words}: {_some(ids)}", repairable=repairable)

    def _digest_faults(self) -> Iterator[Fault]:
        """Rows that were changed, added or removed outside the program."""
        from dopejar.adapters.sqlite.digest_comparison import compare_table  # loaded by a check alone
        from dopejar.ports.store import Fault

        key = self.digest_key()
        sums = self.sums(key)
        found = [compare_table(self, key, table, sums) for table in TABLES]
        if all(table.is_all_altered for table in found):
            yield Fault(
                what="meta",
                detail="No row has the digest that the store's secret makes: the secret or the digests were replaced.",
                repairable=False,
            )
            return
        for table in found:
            for detail in table.details():
                yield Fault(what=table.name, detail=detail, repairable=False)
        if not sums.is_sound:
            detail = (
                "The sums of the row digests were changed outside DoPeJar: rows may have been removed or brought back."
            )
            yield Fault(what="meta", detail=detail, repairable=False)
            return
        seq, digest = sums.head
        row = self._row("SELECT hash FROM ledger WHERE seq = ?", (seq,))
        if seq and (row is None or row[0] != digest):
            yield Fault(what="ledger", detail=f"Ledger entry {seq} is not the one last written.", repairable=False)
        if self._number("SELECT max(seq) FROM ledger") > seq:
            detail = f"The ledger has entries after {seq}, the last one that DoPeJar wrote."
            yield Fault(what="ledger", detail=detail, repairable=False)

    def _unreadable_rows(self) -> Iterator[Fault]:
        """Rows with a value that no codec reads: every command leaves them out."""
        from dopejar.adapters.sqlite.decoded_tables import DECODED_TABLES
        from dopejar.ports.store import Fault

        for table, columns, decode in DECODED_TABLES:
            names = [
                str(row[0])
                for row in self._each_row(f"SELECT {columns} FROM {table}")
                if bytes in map(type, row) or self._decoded_or_none(decode, row[1:]) is None
            ]
            if names:
                detail = f"{len(names)} rows have a value that cannot be read: {_some(names)}"
                yield Fault(what=table.split()[0], detail=detail, repairable=False)
        yield from self._unreadable_held()

    def _unreadable_held(self) -> Iterator[Fault]:
        """Held rows that no reader reads: what can be made anew, and what holds somebody's words or a count."""
        from dopejar.ports.store import Fault

        found = list(self.odd_held_rows())
        for is_kept, detail in ((False, _LEFT_OUT), (True, _KEPT)):
            names = [f"{kind} {key}" for kind, key, reader in found if is_kept is (reader is None or reader.is_kept)]
            if names:
                yield Fault(what=_HELD, detail=detail.format(len(names), _some(names)), repairable=not is_kept)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN_IDS]) + (", ..." if len(names) > _SHOWN_IDS else "")


class IntegrityRepairs(RowWriter, HeldRowWrites):
    """Mends projections within the writer's transaction."""

    def mend(self, faults: tuple[Fault, ...]) -> None:
        """Mend the projections that these faults are about; a damaged full-text index is left empty."""
        broken = {fault.what for fault in faults if fault.repairable}
        self._mend_held(is_broken=_HELD in broken)
        if _INDEX in broken:
            self._run("REINDEX")
        if _TEXT_INDEX in broken:
            self.drop_terms()
        if _VECTORS in broken:
            for what, _, sql in _PROJECTIONS:
                if what == _VECTORS:
                    self._run(f"DELETE FROM vectors WHERE number IN ({sql})")
            self._run("INSERT INTO vector_drops (number) VALUES (0)")
        if _OUTBOX in broken:
            orphans = next(sql for what, _, sql in _PROJECTIONS if what == _OUTBOX)
            self._run(f"DELETE FROM outbox WHERE seq IN ({orphans})")
        if _EDGES in broken:
            self._run("DELETE FROM edges WHERE record_id <> '' AND record_id NOT IN (SELECT id FROM records)")
        if _COUNTS in broken:
            self._run(
                "UPDATE records SET assertions = (SELECT count(DISTINCT episode_id) FROM evidence v"
                " WHERE v.record_id = records.id AND role = 'asserts')"
            )

    def _mend_held(self, *, is_broken: bool) -> None:
        for kind, key, reader in list(self.odd_held_rows()) if is_broken else ():
            if reader is not None and not reader.is_kept:
                self.renew_held(kind, key, reader.instead)
