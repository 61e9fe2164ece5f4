"""A snapshot of the tables, which is refused once its block has ended.

Takes: tables and the time. Gives: tables, while the block lasts. Never: commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from dopejar.adapters.in_memory.tables import Tables
from dopejar.errors import InputError, StoreError
from dopejar.values.record import EvidenceRole, Record

PREFIX_MATCHES = 10


class Snapshot:
    """What every group of reads and writes works on. `now` is called where a search needs the time."""

    def __init__(self, tables: Tables, now: Callable[[], datetime]) -> None:
        self._snapshot: Tables | None = tables
        self._now = now

    @property
    def _tables(self) -> Tables:
        if self._snapshot is None:
            raise StoreError("This snapshot or transaction is over. Read inside the block that opened it.")
        return self._snapshot

    def end(self) -> None:
        """Refuse every later call."""
        self._snapshot = None

    def _shown(self, record: Record) -> Record:
        """The record with its access count, which is counted from evidence and uses, and its last access."""
        tables = self._tables
        evidence = tables.evidence.get(record.id) or ()
        count = max(len({row.episode_id for row in evidence if row.role is EvidenceRole.ASSERTS}), 1)
        last = record.last_accessed_at
        if uses := tables.uses.get(record.id):
            count += uses.count
            last = uses.last_at if last is None else max(last, uses.last_at)
        if (count, last) == (record.access_count, record.last_accessed_at):
            return record
        return replace(record, access_count=count, last_accessed_at=last)


def require_text(text: str) -> None:
    """Raises InputError for half of a surrogate pair, which no store in a file can hold either."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise InputError(
            f"The text has an invalid character at position {fault.start} (not UTF-8, or half of a surrogate pair)."
            " Save it as UTF-8, or replace it, and try again."
        ) from fault


def with_prefix(names: Iterable[str], prefix: str) -> list[str]:
    """At most ten names that begin with the prefix, sorted."""
    return sorted(name for name in names if name.startswith(prefix))[:PREFIX_MATCHES]
