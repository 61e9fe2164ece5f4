"""What holds for now before what lasts, and what is announced behind what holds.

Takes: ranked items and a time. Gives: the same, a temporary record in force before the lasting one of its chain, one of
a day to come behind the records that hold. Never: reads the store, or drops an item.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.record import Record


def temporary_first(items: Sequence[RankedItem], at: datetime) -> list[RankedItem]:
    """A temporary record in force comes before the lasting record of its chain, with at least that record's score."""
    if not any(item.record is not None and item.record.temporary for item in items):
        return list(items)
    lasting: dict[tuple[str, ...], int] = {}
    ordered: list[RankedItem] = []
    for item in items:
        record = item.record
        chain = _chain_of(record)
        if record is None or not chain:
            ordered.append(item)
        elif record.temporary and _is_valid_at(record, at) and chain in lasting:
            place = lasting[chain]
            ordered.insert(place, replace(item, score=ordered[place].score, reasons=(*item.reasons, "holds for now")))
            lasting = {key: index + (index >= place) for key, index in lasting.items()}
        else:
            if not record.temporary:
                lasting.setdefault(chain, len(ordered))
            ordered.append(item)
    return ordered


def announced_last(items: Sequence[RankedItem], at: datetime) -> list[RankedItem]:
    """What holds only from a later day on comes behind every record that holds; quotations keep their places."""
    to_come = [item for item in items if _is_to_come(item, at)]
    if not to_come:
        return list(items)
    held = [item for item in items if item.record is not None and not _is_to_come(item, at)]
    most = min((item.score for item in held), default=1.0)
    behind = [replace(item, score=min(item.score, most)) for item in to_come]
    records = iter([*held, *behind])
    return [item if item.record is None else next(records) for item in items]


def _is_to_come(item: RankedItem, at: datetime) -> bool:
    return item.record is not None and item.record.begins_later(at)


def _chain_of(record: Record | None) -> tuple[str, ...]:
    if record is None or not record.chain:
        return ()
    return (record.namespace.value, record.side.value, record.chain)


def _is_valid_at(record: Record, at: datetime) -> bool:
    return record.valid_from <= at and (record.valid_to is None or at < record.valid_to)
