"""Backups: consistent copies of the data file, and the list of those that this store made.

Takes: a target path. Gives: the copy's path. Never: overwrites a file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from dopejar.engine.dependencies import Dependencies
from dopejar.errors import InputError, StoreError
from dopejar.memory.hold import update_row
from dopejar.ports.store import FileAdministration, Store
from dopejar.values.versioned_rows import KeyValueRow

BACKUP_ROW: Final = "backup"  # the kind of the key-value rows that name the backups
EXPORT_ROW: Final = "export"  # likewise, the exports


def backup(deps: Dependencies, to: Path) -> Path:
    """Make a consistent copy while other processes write. It is recorded, so that an erasure can name it.

    Raises:
        InputError: the target exists already, or its directory does not. StoreError: it could not be written.
    """
    file = require_file(deps.store)
    target = to / f"dopejar-{deps.clock.now():%Y%m%d-%H%M%S}.db" if to.is_dir() else to
    require_new(target)
    try:
        file.backup(target)
    except OSError as fault:
        raise StoreError(f"{target} could not be written ({fault.strerror}). Name another place.") from fault
    note_copy(deps, target, BACKUP_ROW)
    return target


def note_copy(deps: Dependencies, path: Path, kind: str) -> None:
    """Note a file that holds what the store holds, so that an erasure can name it."""
    if deps.store.is_read_only:
        return
    body, key = json.dumps({"at": deps.clock.now().isoformat()}), str(path.absolute())

    def next_row(old: KeyValueRow | None) -> KeyValueRow:
        return KeyValueRow(kind=kind, key=key, body=body, version=old.version if old else 0)

    update_row(deps.store, kind, key, next_row)


def known_backups(deps: Dependencies) -> tuple[Path, ...]:
    """The backups that this store made and that still exist where they were written."""
    return _known(deps, BACKUP_ROW)


def known_exports(deps: Dependencies) -> tuple[Path, ...]:
    """The exports that this store made and that still exist where they were written."""
    return _known(deps, EXPORT_ROW)


def _known(deps: Dependencies, kind: str) -> tuple[Path, ...]:
    with deps.store.read() as view:
        rows = view.held_of(kind)
    return tuple(path for row in rows if (path := Path(row.key)).exists())


def require_file(store: Store) -> FileAdministration:
    """The administration of the store's data file; InputError where the store has none."""
    if store.file is None:
        raise InputError("This memory is held in the process and has no data file. Open one with a data directory.")
    return store.file


def require_new(path: Path) -> None:
    """Raises InputError where the file exists already, or its directory does not."""
    if path.exists():
        raise InputError(f"{path} already exists. Name a new file.")
    if not path.parent.is_dir():
        raise InputError(f"The directory {path.parent} does not exist. Create it, or name another place.")
