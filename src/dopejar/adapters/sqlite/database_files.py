"""Whole database files: copy with the log, compaction, backup, replacement.

Takes: paths and connections. Gives: a copy, a smaller file, or the name under which a damaged file is kept. Never:
leaves a store without its file.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.connection import BUSY_MILLISECONDS, connect, create_file
from dopejar.adapters.sqlite.driver_errors import disk_full_error, read_only_error, translate_driver_error
from dopejar.adapters.sqlite.schema import refuse_newer
from dopejar.adapters.sqlite.writer_lock import WriterLock
from dopejar.errors import InputError, StoreBusyError, StoreDamagedError, StoreError, StoreFullError

if TYPE_CHECKING:
    import apsw

_LEAST_BYTES: Final = 512  # of a database: its smallest page


def has_wal(path: Path) -> bool:
    """Whether the write-ahead log holds a part of the store."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _made_note(path: Path) -> Path:
    return path.with_name(path.name + ".made")


def note_made(path: Path) -> None:
    """Note beside the file that a store was made there, so that an emptied file is not taken for a new one."""
    note = _made_note(path)
    if note.exists():
        return
    text = (
        f"A DoPeJar store was made in {path.name}. If that file is empty, restore a backup: dopejar store restore FILE."
        " Delete this note to begin with an empty store.\n"
    )
    with suppress(OSError):  # a full disk or a read-only directory: the next opening writes it
        note.touch(0o600)
        note.write_text(text, encoding="utf-8")


def forget_made(path: Path) -> None:
    """Remove the note of a store whose file is gone."""
    _made_note(path).unlink(missing_ok=True)


def refuse_emptied(path: Path) -> None:
    """Raise StoreDamagedError where the file lost its content: SQLite takes such a file for a new database."""
    note = _made_note(path)
    was_made = note.exists() or has_wal(path)  # looked at before the size: another process may be making the store
    size = path.stat().st_size
    if size >= _LEAST_BYTES or (size == 0 and not was_made):
        return
    raise StoreDamagedError(
        f"{path} lost its content: {size} bytes are left of the store that was there. Restore a backup with `dopejar"
        f" restore FILE`. To begin with an empty store instead, delete {path.name} and {note.name}."
    )


def copy_with_wal(path: Path) -> Path:
    """A copy of the file and its log in a temporary directory: an immutable read in place would miss the log."""
    import shutil
    import tempfile

    copy = Path(tempfile.mkdtemp(prefix="dopejar-")) / path.name
    for suffix in ("", "-wal"):
        shutil.copyfile(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
    return copy


def replace_database(fresh: Path, target: Path) -> Path:
    """Rename `fresh` to `target`; the replaced file is kept as `<name>.before-restore`, with its log.

    For files that cannot be opened, which no process can be using. Raises StoreError, StoreBusyError.
    """
    import shutil

    kept = target.with_name(f"{target.name}.before-restore")
    with WriterLock(target).hold():
        try:
            for suffix in ("-wal", ""):
                old = target.with_name(target.name + suffix)
                if old.exists():
                    shutil.copyfile(old, kept.with_name(kept.name + suffix))
                    kept.with_name(kept.name + suffix).chmod(0o600)
            for suffix in ("-wal", "-shm"):
                target.with_name(target.name + suffix).unlink(missing_ok=True)
            fresh.chmod(0o600)
            fresh.replace(target)
            _sync(target.parent)
        except OSError as fault:
            raise StoreError(f"{target} could not be replaced: {fault.strerror}. Try again.") from fault
    return kept


def _sync(directory: Path) -> None:
    """Make the rename durable, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def compact(connection: "apsw.Connection", path: Path, *, wait: bool = True) -> None:
    """Merge the full-text index, vacuum, and truncate the write-ahead log: erased text is then in neither file.

    FTS5 keeps the terms of deleted rows until its segments are merged, hence the merge. The log is emptied first, too:
    where a reader needs it nothing else is tried, and a full disk gains the room. Raises StoreBusyError where a reader
    still needs the log, and waits for its end before, if asked to.
    """
    _empty_log(connection, path, wait=wait)
    for table in ("records_text", "episodes_text"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("VACUUM")
    _empty_log(connection, path, wait=wait)


def _empty_log(connection: "apsw.Connection", path: Path, *, wait: bool) -> None:
    import apsw

    connection.set_busy_timeout(BUSY_MILLISECONDS if wait else 0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError as fault:
        raise StoreBusyError(
            f"Another process is still reading {path}, so its log cannot be emptied and may hold erased text."
            " It is emptied after that, by the next command that writes."
        ) from fault
    finally:
        connection.set_busy_timeout(BUSY_MILLISECONDS)


def back_up(source: "apsw.Connection", to: Path) -> None:
    """A consistent copy of the source's snapshot, made beside `to` and then renamed.

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
            with copy.backup("main", source, "main") as pages:
                pages.step(-1)
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)


def replace_content(target: "apsw.Connection", source: Path) -> None:
    """Replace the target's pages by the source's in one commit, and raise the counters that caches follow.

    Readers keep their snapshots. Raises StoreDamagedError, SchemaTooNewError, and the driver's errors about the
    target; then the target is as it was.
    """
    import apsw

    original = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        _require_store(original, source)
        before = _change_counters(target)
        with target.backup("main", original, "main") as pages:
            pages.step(-1)
    finally:
        original.close()
    change_seq, drops = (max(pair) + 1 for pair in zip(before, _change_counters(target), strict=True))
    with target:
        target.execute("UPDATE meta SET value = ? WHERE key = 'change_seq'", (str(change_seq),))
        target.execute("INSERT INTO vector_drops (seq, number) VALUES (?, 0)", (drops,))
    with suppress(apsw.BusyError):  # a reader still needs the log; the next checkpoint copies it
        target.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _require_store(original: "apsw.Connection", source: Path) -> None:
    import apsw

    try:
        version = original.pragma("user_version")
        _change_counters(original)
    except apsw.Error as fault:
        raise translate_driver_error(fault, source) from fault
    refuse_newer(version, source)


def _change_counters(connection: "apsw.Connection") -> tuple[int, int]:
    """The change count, and the number of the last vector drop."""
    row = connection.execute(
        "SELECT (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'change_seq'),"
        " (SELECT coalesce(max(seq), 0) FROM vector_drops)"
    ).fetchone()
    return cast("tuple[int, int]", row)


def prepare_file(path: Path) -> None:
    """Create the file where there is none. Raises StoreError where that, or writing there, is not possible."""
    import errno

    try:
        if not path.exists():
            forget_made(path)  # deleted on purpose: a new store is wanted
        create_file(path)
    except OSError as fault:
        if fault.errno == errno.ENOSPC:
            raise disk_full_error(path) from fault
        if isinstance(fault, PermissionError) or fault.errno == errno.EROFS:
            raise read_only_error(path) from fault
        raise StoreError(f"{path} cannot be created ({fault.strerror}). Name another place.") from fault
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.parent, os.W_OK):
        raise read_only_error(path)


def can_read_beside_writers(path: Path) -> bool:
    """Whether the file can be read with its log: in a read-only directory the log's index cannot be created."""
    import apsw

    try:
        connection = connect(path)
    except apsw.Error:
        return False
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return False
    except apsw.Error as fault:
        if isinstance(error := translate_driver_error(fault, path), StoreFullError):
            return False  # no room for the log's index
        raise error from fault
    finally:
        connection.close()
    return True
