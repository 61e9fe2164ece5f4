"""Use notes: which records were used, and digests of what recall returned.

Takes: record ids and digests with a time. Gives: what was noted. Never: a belief.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dopejar.ports.protocol import Protocol
from dopejar.values.ids import RecordId


class UsageReader(Protocol):
    """Reads what was used, and the digests of what recall returned."""

    def used_since(self, at: datetime, limit: int) -> tuple[tuple[RecordId, int], ...]:
        """Records that were used then or later, each with all its uses, the most used first."""

    def has_injected(self) -> bool:
        """Whether recall ever returned anything."""

    def injected(self, digests: Sequence[str], before: datetime | None = None) -> tuple[str, ...]:
        """Those of the digests that recall returned before; with a time, before that."""


class UsageWriter(Protocol):
    """Writes use notes. `memory.note_use` alone calls it; `memory.commit` removes them with an erased record."""

    def note_used(self, ids: Sequence[RecordId], at: datetime) -> None:
        """Count one use of each record; ids that do not exist are skipped."""

    def drop_uses(self, record_id: RecordId) -> None:
        """Remove the use count and the time of the last use of a record."""

    def note_injected(self, digests: Sequence[str], at: datetime) -> None:
        """Remember digests of what recall returned; one that is known keeps its first time."""
