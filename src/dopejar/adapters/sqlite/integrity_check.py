"""Looking after the file: check, repair, compact, back up.

Takes: a connection or a session. Gives: faults, or a smaller or second file. Never: changes what is believed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.driver_errors import translate_driver_error
from dopejar.adapters.sqlite.schema import refuse_newer
from dopejar.adapters.sqlite.session import Session
from dopejar.errors import InputError, StoreBusyError
from dopejar.ports.store import Fault

if TYPE_CHECKING:
    import apsw

    from dopejar.adapters.sqlite.views import WriteSession

_SHOWN: Final = 20  # messages of one kind
_INDEX_WORDS: Final = ("missing from index", "wrong # of entries in index", "non-unique entry in index")
_TEXT_INDEX: Final = "text index"
_INDEX: Final = "index"

# Each finds what a projection has too much or too little of; the words say what the rows are.
_PROJECTIONS: Final = (
    (
        _TEXT_INDEX,
        "records that full text does not know",
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
        "episodes that full text does not know",
        "SELECT id FROM episodes WHERE text <> '' AND rowid NOT IN (SELECT id FROM episodes_text_docsize)",
    ),
    (
        _TEXT_INDEX,
        "full-text rows of no episode",
        "SELECT id FROM episodes_text_docsize WHERE id NOT IN (SELECT rowid FROM episodes WHERE text <> '')",
    ),
    (
        "vectors",
        "vectors of nothing that is there",
        "SELECT number FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM records r WHERE v.owner = 'record' AND"
        " r.rowid = v.owner_row AND r.text <> '' AND r.content_hash = v.content_hash) AND NOT EXISTS (SELECT 1 FROM"
        " episodes e WHERE v.owner = 'episode' AND e.rowid = v.owner_row AND e.text <> ''"
        " AND e.content_hash = v.content_hash)",
    ),
    (
        "vectors",
        "vectors without a sign code",
        "SELECT number FROM vectors WHERE number NOT IN (SELECT number FROM vector_codes)",
    ),
    (
        "outbox",
        "outbox lines about nothing that is there",
        "SELECT seq FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM records WHERE o.owner = 'record' AND id = owner_id)"
        " AND NOT EXISTS (SELECT 1 FROM episodes WHERE o.owner = 'episode' AND id = owner_id)",
    ),
    (
        "edges",
        "edges of records that are not there",
        "SELECT DISTINCT record_id FROM edges WHERE record_id <> '' AND record_id NOT IN (SELECT id FROM records)",
    ),
    (
        "counts",
        "records whose count of asserting episodes is wrong",
        "SELECT id FROM records r WHERE assertions <>"
        " (SELECT count(DISTINCT episode_id) FROM evidence v WHERE v.record_id = r.id AND role = 'asserts')",
    ),
)
_TRUTHS: Final = (
    (
        "states",
        "records without exactly one present state",
        "SELECT id FROM records r WHERE (SELECT count(*) FROM record_states s WHERE s.record_id = r.id"
        " AND s.to_seq IS NULL) <> 1",
    ),
    (
        "states",
        "records whose present state says another status or version",
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
        "evidence in episodes that are not there",
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


class Checks(Session):
    """The checks of one snapshot."""

    def faults(self) -> tuple[Fault, ...]:
        """Everything that is not as it should be. What cannot even be read is a fault as well."""
        found = list(self._file())
        if any(not fault.repairable for fault in found):
            return tuple(found)
        found += self._of(_PROJECTIONS, repairable=True)
        found += self._of(_TRUTHS, repairable=False)
        return tuple(found)

    def _file(self) -> Iterator[Fault]:
        for row in self._rows(f"PRAGMA integrity_check({_SHOWN})"):
            message = str(row[0])
            if message == "ok":
                continue
            is_text = "FTS5" in message or "fts5" in message
            is_index = any(words in message for words in _INDEX_WORDS)
            what = _TEXT_INDEX if is_text else _INDEX if is_index else "file"
            yield Fault(what=what, detail=message, repairable=is_text or is_index)
        for row in cast("list[tuple[str, int, str, int]]", self._rows("PRAGMA foreign_key_check")[:_SHOWN]):
            detail = f"A row of {row[0]!s} names a row of {row[2]!s} that is not there."
            yield Fault(what="references", detail=detail, repairable=False)

    def _of(self, checks: tuple[tuple[str, str, str], ...], *, repairable: bool) -> Iterator[Fault]:
        from dopejar.values.ledger import GENESIS  # recall checks nothing

        for what, words, sql in checks:
            values = (GENESIS,) if "?1" in sql else ()
            ids = [str(row[0]) for row in self._rows(sql, values)]
            if ids:
                shown = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
                yield Fault(what=what, detail=f"{len(ids)} {words}: {shown}", repairable=repairable)


def mend(session: "WriteSession", faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """Mend the projections that these faults are about; a damaged text index is left empty."""
    broken = {fault.what for fault in faults if fault.repairable}
    if _INDEX in broken:
        session.run("REINDEX")
    if _TEXT_INDEX in broken:
        session.drop_terms()
    if "vectors" in broken:
        orphans = next(sql for what, words, sql in _PROJECTIONS if words.startswith("vectors of"))
        session.run(f"DELETE FROM vectors WHERE number IN ({orphans})")
        session.run("DELETE FROM vectors WHERE number NOT IN (SELECT number FROM vector_codes)")
        session.run("INSERT INTO vector_drops (number) VALUES (0)")
    if "outbox" in broken:
        orphans = next(sql for what, _, sql in _PROJECTIONS if what == "outbox")
        session.run(f"DELETE FROM outbox WHERE seq IN ({orphans})")
    if "edges" in broken:
        session.run("DELETE FROM edges WHERE record_id <> '' AND record_id NOT IN (SELECT id FROM records)")
    if "counts" in broken:
        session.run(
            "UPDATE records SET assertions = (SELECT count(DISTINCT episode_id) FROM evidence v"
            " WHERE v.record_id = records.id AND role = 'asserts')"
        )
    return tuple(fault for fault in faults if fault.repairable)


def squeeze(connection: "apsw.Connection", path: Path) -> None:
    """Merge full text, give free pages back, and empty the log: what was blanked is then in neither file.

    Full text keeps the terms of deleted rows until its segments are merged, hence the merge. Raises StoreBusyError
    where a reader of another process still needs the log.
    """
    import apsw

    for table in ("records_text", "episodes_text"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("VACUUM")
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError as fault:
        raise StoreBusyError(
            f"Another process is still reading {path}, so its log could not be emptied and may hold erased text."
            " Run `dopejar maintain` when it is done."
        ) from fault


def copy_to(source: "apsw.Connection", to: Path) -> None:
    """A consistent copy of the source's snapshot, made beside `to` and then given its name.

    Raises InputError where `to` exists.
    """
    import apsw

    if to.exists():
        raise InputError(f"{to} exists already. Name a new file for the backup.")
    part = to.with_name(to.name + ".part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        copy = apsw.Connection(str(part))
        try:
            with copy.backup("main", source, "main") as work:
                work.step(-1)
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)


def overwrite(target: "apsw.Connection", source: Path) -> None:
    """Put the source's pages in the place of the target's, in one commit, and raise the counts that caches follow.

    Readers keep the snapshot they have. Raises StoreDamagedError, SchemaTooNewError, and the driver's errors about the
    target; then the target is as it was.
    """
    import apsw

    original = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        _accept(original, source)
        before = _counts(target)
        with target.backup("main", original, "main") as work:
            work.step(-1)
    finally:
        original.close()
    change_seq, drops = (max(pair) + 1 for pair in zip(before, _counts(target), strict=True))
    with target:
        target.execute("UPDATE meta SET value = ? WHERE key = 'change_seq'", (str(change_seq),))
        target.execute("INSERT INTO vector_drops (seq, number) VALUES (?, 0)", (drops,))
    with suppress(apsw.BusyError):  # a reader still needs the log; the next checkpoint folds it in
        target.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _accept(original: "apsw.Connection", source: Path) -> None:
    import apsw

    try:
        version = original.pragma("user_version")
        _counts(original)
    except apsw.Error as fault:
        raise translate_driver_error(fault, source) from fault
    refuse_newer(version, source)


def _counts(connection: "apsw.Connection") -> tuple[int, int]:
    """The count of changes, and the number of the last vector drop."""
    row = connection.execute(
        "SELECT (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'change_seq'),"
        " (SELECT coalesce(max(seq), 0) FROM vector_drops)"
    ).fetchone()
    return cast("tuple[int, int]", row)
