"""The ledger: the append-only, hash-chained list of committed changes.

Takes: entries whose hashes `memory` computed. Gives: entries. Never: changes or removes one.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol
from dopejar.values.ids import ActId, ConversationId

if TYPE_CHECKING:  # annotations only: recall loads no module that it does not call
    from dopejar.values.ledger import LedgerEntry, LedgerHead


class LedgerReader(Protocol):
    """Reads the ledger."""

    def head(self) -> LedgerHead:
        """The newest entry's number, hash and time."""

    def entries(self, first: int = 1, limit: int = 1000) -> tuple[LedgerEntry, ...]:
        """Entries from a number on, in order."""

    def entries_of_act(self, act_id: ActId) -> tuple[LedgerEntry, ...]:
        """Entries of one act, in order."""

    def entries_about(self, target: str) -> tuple[LedgerEntry, ...]:
        """Entries about one target, in order."""

    def recent_acts(self, limit: int, before: int | None = None) -> tuple[LedgerEntry, ...]:
        """The last entry of each of the newest acts, newest first."""

    def find_act_id(self, prefix: str) -> tuple[ActId, ...]:
        """At most ten whole ids that begin with the prefix."""

    def acts_of(self, conversation: ConversationId) -> tuple[ActId, ...]:
        """Acts whose evidence lies in the conversation, newest first."""

    def seq_at(self, at: datetime) -> int:
        """The number of the last entry not younger than the time; 0 where there is none."""


class LedgerWriter(Protocol):
    """Appends to the ledger. `memory.commit` alone calls it."""

    def append_ledger(self, entry: LedgerEntry) -> None:
        """Append one entry. Raises LedgerBrokenError where its number or `previous` does not follow the head."""
