"""Rows that are held for now: working sets, references, turn state, jobs, sessions.

Takes: rows with the version they were read at. Gives: the next version. Never: changes what is believed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from dopejar.errors import InputError, StaleProposalError
from dopejar.ports.store import Store, WriteTransaction

if TYPE_CHECKING:
    from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet

DEFAULT_TTL = timedelta(hours=2)
LONGEST_TTL = timedelta(hours=24)
_TRIES = 20


def hold_working_set(tx: WriteTransaction, working: WorkingSet, now: datetime) -> None:
    """Write a working set. Raises InputError where it would outlive 24 hours, StaleProposalError where it moved."""
    if working.expires_at > now + LONGEST_TTL:
        raise InputError("A working set lives 24 hours at most; export its summary and let it go.")
    tx.put_working_set(working)


def hold_reference(tx: WriteTransaction, reference: SharedReference) -> None:
    """Write the next version of a shared reference."""
    tx.put_reference(reference)


def hold(tx: WriteTransaction, row: KeyValueRow) -> None:
    """Write the next version of a held row."""
    tx.put_held(row)


def update_row(store: Store, kind: str, key: str, change: Callable[[KeyValueRow | None], KeyValueRow]) -> KeyValueRow:
    """Read a row, change it and write it, again where another process was quicker; the row as written."""
    for _ in range(_TRIES):
        with store.write() as tx:
            row = change(tx.held(kind, key))
            try:
                tx.put_held(row)
            except StaleProposalError:
                continue
            return replace(row, version=row.version + 1)
    raise StaleProposalError(f"{kind} {key} kept changing; try again.")
