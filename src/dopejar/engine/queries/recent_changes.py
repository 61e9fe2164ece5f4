"""What was learned and retired since a time: the last such change of each memory.

Takes: a view, a time and a filter. Gives: memories, each with when and by whom it was changed. Never: writes, or scans
without a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dopejar.engine.queries.ledger_search import activity_column, entries_from
from dopejar.values.ids import ActId, RecordId
from dopejar.values.record import Status

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store import ReadView
    from dopejar.values.ledger import LedgerEntry
    from dopejar.values.recall import RecordFilter
    from dopejar.values.record import Record

ONCE_BELIEVED: Final = (
    Status.ACTIVE, Status.QUARANTINED, Status.SUPERSEDED, Status.DEPRECATED, Status.RETRACTED,
)  # fmt: skip
_OVER: Final = frozenset({"replaced", "removed"})
_TOLD: Final = _OVER | {"learned", "approved"}


@dataclass(frozen=True, kw_only=True, slots=True)
class RecentChange:
    """The last change of a memory. `change` is learned, approved, replaced or removed; `act_id` names it to `undo`."""

    record: Record
    change: str
    at: datetime
    approver: str
    act_id: ActId


def changes_since(
    view: ReadView, since: datetime, where: RecordFilter, limit: int, *, became_true: bool = False
) -> tuple[RecentChange, ...]:
    """What fits the filter and was learned or retired since then, newest change first.

    With `became_true`, what began or ceased to hold since then, however late it was learned, by that time.
    """
    last: dict[RecordId, LedgerEntry] = {}
    for entry in entries_from(view, 1 if became_true else view.seq_at(since) + 1):
        if entry.target.startswith("m_") and activity_column(entry) in _TOLD:
            last[RecordId(entry.target)] = entry
    if not last:
        return ()
    records = view.list_records(replace(where, ids=tuple(last)), len(last))
    changes = [
        RecentChange(
            record=record,
            change=activity_column(last[record.id]),
            at=_held(record, last[record.id]) if became_true else last[record.id].at,
            approver=last[record.id].approver,
            act_id=last[record.id].act_id,
        )
        for record in records
    ]
    told = [one for one in changes if one.at >= since] if became_true else changes
    order = (lambda one: (one.at, last[one.record.id].seq)) if became_true else (lambda one: last[one.record.id].seq)
    return tuple(sorted(told, key=order, reverse=True)[:limit])


def _held(record: Record, entry: LedgerEntry) -> datetime:
    """When the record began to hold, or ceased to; what was announced for later, when it was learned."""
    is_over = activity_column(entry) in _OVER
    at = record.valid_to if is_over and record.valid_to is not None else entry.at if is_over else record.valid_from
    return min(at, entry.at)
