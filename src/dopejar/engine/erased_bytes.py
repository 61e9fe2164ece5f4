"""Scrubbing: erased bytes leave the data file and its log, at once or as soon as they can.

Takes: a store in which something was erased. Gives: why bytes are still there, or nothing. Never: claims that they are
gone where they are not; a held row says that it is to be done until it is.
"""

from __future__ import annotations

import json
from datetime import datetime

from dopejar.engine.dependencies import Dependencies
from dopejar.errors import StoreBusyError, StoreError, StoreFullError
from dopejar.memory.hold import hold
from dopejar.ports.store import SCRUB_ROW, ReadView, WriteTransaction
from dopejar.values.held_bodies import object_of, time_in
from dopejar.values.versioned_rows import KeyValueRow


def note_scrub(tx: WriteTransaction, now: datetime) -> None:
    """Note, in the transaction of an erasure, that its bytes are to be taken out of the files."""
    kind, key = SCRUB_ROW
    old = tx.held(kind, key)
    body = old.body if old else json.dumps({"since": now.isoformat()})
    hold(tx, KeyValueRow(kind=kind, key=key, body=body, version=old.version if old else 0))


def scrub_due_since(view: ReadView) -> datetime | None:
    """Since when erased bytes may lie in the files; None where none do."""
    row = view.held(*SCRUB_ROW)
    return read_scrub(row) if row else None


def read_scrub(row: KeyValueRow) -> datetime:
    """Since when the row is there. Raises as `values.held_bodies` does."""
    return time_in(object_of(row), "since")


def scrub(deps: Dependencies, *, wait: bool = True) -> str:
    """Take erased bytes out of the files where that is due; why they are still there, or "".

    Without waiting it fails at once where another process reads a snapshot from before.
    """
    if deps.store.file is None or deps.store.is_read_only:
        return ""
    with deps.store.read() as view:
        if view.held(*SCRUB_ROW) is None:
            return ""
    try:
        deps.store.file.compact(wait=wait)
    except StoreBusyError:
        return "another process was still reading or writing the data file"
    except StoreFullError:
        return "the disk is full, so the data file could not be written anew"
    except StoreError as fault:
        return str(fault)
    return ""
