"""What the driver says, as errors of the tree.

Takes: the driver's exceptions. Gives: one of ours, with a sentence and the next step. Never: swallows one.
"""

from __future__ import annotations

import errno
import shutil
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
        return shutil.disk_usage(path.parent).free < _ROOM_TO_WRITE
    except OSError:
        return False


def full(path: Path) -> StoreFullError:
    """The disk is full."""
    return StoreFullError(f"The disk that holds {path} is full; nothing was written. Make room and try again.")


def busy(path: Path) -> StoreBusyError:
    """The writer's place was not free in time."""
    return StoreBusyError(
        f"Another process has been writing to {path} for too long; nothing was written. Try again when it is done."
    )


def read_only(path: Path) -> StoreReadOnlyError:
    """The file cannot be written."""
    return StoreReadOnlyError(
        f"{path} cannot be written, so nothing was changed. Recall works; writing needs write permission on the"
        " file and on its directory."
    )


def damaged(path: Path) -> StoreDamagedError:
    """The file is no intact database."""
    return StoreDamagedError(
        f"{path} is not an intact DoPeJar file. Run `dopejar doctor` to see what is broken, or restore a backup."
    )


def translated(fault: "apsw.Error", path: Path) -> DopejarError:
    """The error of the tree that a driver's exception stands for; the caller raises it from the cause."""
    import apsw  # noqa: PLC0415 - the driver is loaded where a store is opened

    if isinstance(fault, apsw.FullError):
        return full(path)
    if isinstance(fault, apsw.BusyError | apsw.LockedError):
        return busy(path)
    if isinstance(fault, apsw.ReadOnlyError | apsw.PermissionsError | apsw.AuthError):
        return read_only(path)
    if isinstance(fault, apsw.NotADBError | apsw.CorruptError | apsw.FormatError):
        return damaged(path)
    if isinstance(fault, apsw.IOError):
        if _is_full(fault, path):
            return full(path)
        return StoreError(f"Reading or writing {path} failed ({fault}). Check the disk, then run `dopejar doctor`.")
    if isinstance(fault, apsw.CantOpenError):
        return StoreError(f"{path} cannot be opened. Check that its directory exists and that you may read it.")
    if isinstance(fault, apsw.ConstraintError):
        return StoreError(
            f"The change does not fit what the store holds ({fault}); nothing was written. Write the conversation"
            " before its episodes and the record before its evidence."
        )
    return StoreError(f"The store at {path} could not do this ({fault}). Run `dopejar doctor`.")
