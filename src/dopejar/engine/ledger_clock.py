"""The clock of the memory: time that never runs behind its ledger.

Takes: a store and the clock of the system. Gives: the time of a statement, a decision or a search. Never: measures how
long something lasts; while the system's clock lags behind the ledger, this one hardly moves.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dopejar.ports.clock import Clock
    from dopejar.ports.store import Store


_STEP = timedelta(microseconds=1)


class LedgerClock:
    """What is said now comes after all that was committed, though the system's clock was set back."""

    def __init__(self, store: Store, system: Clock) -> None:
        self._store = store
        self.system = system

    def now(self) -> datetime:
        """The time of the system, or just after the newest ledger entry where that is later."""
        now = self.system.now()
        with self._store.read() as view:
            newest = view.head().at
        return now if newest is None or newest < now else newest + _STEP
