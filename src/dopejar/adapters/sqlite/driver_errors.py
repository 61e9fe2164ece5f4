"""The driver's exceptions as errors of the package.

Takes: the driver's exceptions. Gives: a StoreError with a sentence and the next step. Never: swallows one.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.errors import (
    DopejarError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)

if TYPE_CHECKING:
    import apsw

_ROOM_TO_WRITE = 1 << 20  # below this many free bytes a failed write is a full disk


def _is_full(fault: "apsw.Error", path: Path) -> bool:
    if getattr(fault, "errno", None) == errno.ENOSPC:
        return True
    try:
        import shutil  # for a fault alone

        return shutil.disk_usage(path.parent).free < _ROOM_TO_WRITE
    except OSError:
        return False


def disk_full_error(path: Path) -> StoreFullError:
    """The disk is full."""
    return StoreFullError(f"The disk that holds {path} is full; nothing was written. Make room and try again.")


def writer_busy_error(path: Path) -> StoreBusyError:
    """The writer lock was not free in time."""
    return StoreBusyError(
        f"Another process has been writing to {path} for too long; nothing was written. Try again when it is done."
    )


def read_only_error(path: Path) -> StoreReadOnlyError:
    """The file cannot be written."""
    return StoreReadOnlyError(
        f"{path} cannot be written, so nothing was changed. Recall works; writing needs write permission on the"
        " file and on its directory."
    )


def damaged_file_error(path: Path) -> StoreDamagedError:
    """The file is no intact database."""
    return StoreDamagedError(
        f"{path} is not an intact DoPeJar file. Run `dopejar doctor` to see what is broken, or restore a backup."
    )


def _io_error(fault: "apsw.Error", path: Path) -> StoreError:
    if _is_full(fault, path):
        return disk_full_error(path)
    return StoreError(f"Reading or writing {path} failed ({fault}). Check the disk, then run `dopejar doctor`.")


def _constraint_error(fault: "apsw.Error") -> StoreError:
    return StoreError(
        f"The change is inconsistent with the store ({fault}); nothing was written. Write the conversation before"
        " its episodes and the record before its evidence."
    )


def translate_driver_error(fault: "apsw.Error", path: Path) -> DopejarError:
    """The StoreError for a driver's exception; the caller raises it from the cause."""
    import apsw

    table: tuple[tuple[tuple[type[apsw.Error], ...], Callable[[], StoreError]], ...] = (
        ((apsw.FullError,), lambda: disk_full_error(path)),
        ((apsw.BusyError, apsw.LockedError), lambda: writer_busy_error(path)),
        ((apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError), lambda: read_only_error(path)),
        ((apsw.NotADBError, apsw.CorruptError, apsw.FormatError), lambda: damaged_file_error(path)),
        ((apsw.IOError,), lambda: _io_error(fault, path)),
        ((apsw.CantOpenError,), lambda: _cannot_open_error(path)),
        ((apsw.ConstraintError,), lambda: _constraint_error(fault)),
    )
    for kinds, error in table:
        if isinstance(fault, kinds):
            return error()
    return StoreError(f"The store at {path} could not do this ({fault}). Run `dopejar doctor`.")


def _cannot_open_error(path: Path) -> StoreError:
    return StoreError(f"{path} cannot be opened. Check that its directory exists and that you may read it.")
