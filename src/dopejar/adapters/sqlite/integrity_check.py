"""Integrity check of the file, its references and its projections, and repair of the projections.

Takes: a snapshot, or the writer's transaction. Gives: faults. Never: changes what is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from dopejar.adapters.sqlite.row_writer import RowWriter
from dopejar.adapters.sqlite.session import Session
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
        " WHERE s.status <> r.status OR json_extract(s.image, '$[22]') <> r.version",
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


class IntegrityChecks(Session):
    """The checks of one snapshot."""

    def faults(self) -> tuple[Fault, ...]:
        """Every fault of the file; of its content only where the file itself is intact."""
        faults = list(self._file_faults())
        if any(not fault.repairable for fault in faults):
            return tuple(faults)
        faults += self._faults_of(_PROJECTIONS, repairable=True)
        faults += self._faults_of(_INVARIANTS, repairable=False)
        return tuple(faults)

    def _file_faults(self) -> Iterator[Fault]:
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
        from dopejar.values.ledger import GENESIS  # loaded by a check alone

        for what, words, sql in checks:
            values = (GENESIS,) if "?1" in sql else ()
            ids = [str(row[0]) for row in self._rows(sql, values)]
            if ids:
                shown = ", ".join(ids[:_SHOWN_IDS]) + (", ..." if len(ids) > _SHOWN_IDS else "")
                yield Fault(what=what, detail=f"{len(ids)} {words}: {shown}", repairable=repairable)


class IntegrityRepairs(RowWriter):
    """Mends projections within the writer's transaction."""

    def mend(self, faults: tuple[Fault, ...]) -> None:
        """Mend the projections that these faults are about; a damaged full-text index is left empty."""
        broken = {fault.what for fault in faults if fault.repairable}
        if _INDEX in broken:
            self._run("REINDEX")
        if _TEXT_INDEX in broken:
            self.drop_terms()
        if _VECTORS in broken:
            orphans = next(sql for _, words, sql in _PROJECTIONS if words.startswith("vectors of"))
            self._run(f"DELETE FROM vectors WHERE number IN ({orphans})")
            self._run("DELETE FROM vectors WHERE number NOT IN (SELECT number FROM vector_codes)")
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
