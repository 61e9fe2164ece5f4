"""The write of use notes: use counts, and digests of what recall returned. Best effort, outside the ledger.

Takes: what a recall returned. Gives: nothing. Never: changes what is believed, fails a recall, or makes it wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.errors import StoreError
from dopejar.values.ids import RecordId

if TYPE_CHECKING:
    from dopejar.ports.store import Store


def note_use(store: Store, used: Sequence[RecordId], injected: Sequence[str], now: datetime) -> bool:
    """Count one use of each record and store the digests; whether that could be written."""
    if store.is_read_only or not (used or injected):
        return False
    try:
        with store.write(wait=False) as tx:
            tx.note_used(used, now)
            tx.note_injected(injected, now)
    except StoreError:
        return False  # a busy or full store must not fail the read that it follows
    return True
