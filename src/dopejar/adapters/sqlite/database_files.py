"""Whole files: copied with their log, or put in the place of one that cannot be opened any more.

Takes: paths. Gives: a copy, or the name under which a damaged file is kept. Never: leaves a store's place empty.
"""

from __future__ import annotations

import os
from pathlib import Path

from dopejar.adapters.sqlite.writer_lock import WriterLock
from dopejar.errors import StoreError


def has_wal(path: Path) -> bool:
    """Whether a part of the store is in its log."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def copy_with_wal(path: Path) -> Path:
    """A copy of the file and its log in a directory of our own: read in place, the log's commits would be missed."""
    import shutil
    import tempfile

    copy = Path(tempfile.mkdtemp(prefix="dopejar-")) / path.name
    for suffix in ("", "-wal"):
        shutil.copyfile(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
    return copy


def replace_database(fresh: Path, target: Path) -> Path:
    """Give `target`'s place to `fresh`; what stood there is kept as `<name>.before-restore`, its log beside it.

    For files that cannot be opened: nobody can be at work in them. Raises StoreError, StoreBusyError.
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
    """Make the new name last through a loss of power, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
