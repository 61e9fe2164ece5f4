"""The write of versioned rows: working sets, references, turn state, jobs, sessions.

Takes: rows with the version at which they were read. Gives: the next version. Never: changes what is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError, StaleProposalError
from dopejar.ports.store import Store, WriteTransaction
from dopejar.values.versioned_rows import NOTES

if TYPE_CHECKING:
    from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet

LONGEST_TTL = timedelta(hours=24)
_MOST_TRIES = 20
_KINDS_OF_HOSTS: Final = frozenset({"turn", "trace", "outcome", "pattern", "pattern_index"})
"""Rows of the governed turn. All others are the engine's own, as sessions and keys are."""


def hold_working_set(tx: WriteTransaction, working: WorkingSet, now: datetime) -> None:
    """Write a working set. Raises InputError where it would outlive 24 hours, StaleProposalError where it changed."""
    if working.expires_at > now + LONGEST_TTL:
        raise InputError("A working set lives 24 hours at most. Give an earlier end and keep a summary elsewhere.")
    old = None if working.version else tx.working_set(working.problem_id, working.lane_id)
    if old is not None and old.expires_at <= now:  # gone for readers, who begin a new one
        tx.drop_working_set(working.problem_id, working.lane_id)
    tx.put_working_set(working)


def hold_reference(tx: WriteTransaction, reference: SharedReference) -> None:
    """Write the next version of a shared reference."""
    tx.put_reference(reference)


def hold(tx: WriteTransaction, row: KeyValueRow) -> None:
    """Write the next version of a row."""
    tx.put_held(row)


def require_kind_of_hosts(kind: str) -> None:
    """Check that rows of a kind are a host's to read and write. Raises InputError where they are the engine's own."""
    if kind not in _KINDS_OF_HOSTS and not kind.startswith(NOTES):
        kinds = ", ".join(sorted(_KINDS_OF_HOSTS))
        raise InputError(
            f"Rows of the kind {kind!r} are the memory's own. A host has {kinds}, and notes (`workspace.put_note`)."
        )


def hold_for_host(tx: WriteTransaction, row: KeyValueRow) -> None:
    """Write the next version of a row that a host made. Raises InputError where the kind is the engine's own."""
    require_kind_of_hosts(row.kind)
    tx.put_held(row)


def update_row(store: Store, kind: str, key: str, change: Callable[[KeyValueRow | None], KeyValueRow]) -> KeyValueRow:
    """Read a row, change it and write it, and again where another process was faster; the row as written."""
    for _ in range(_MOST_TRIES):
        with store.write() as tx:
            row = change(tx.held(kind, key))
            try:
                tx.put_held(row)
            except StaleProposalError:
                continue
            return replace(row, version=row.version + 1)
    raise StaleProposalError(f"Other processes kept changing {kind} {key}. Try again.")


def drop_rows(tx: WriteTransaction, kind: str, keys: Iterable[str]) -> None:
    """Remove rows of a kind."""
    for key in keys:
        tx.drop_held(kind, key)
