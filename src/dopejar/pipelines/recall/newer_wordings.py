"""What was said since a memory of the asker's own slot, with a key that only a digest tells from it.

Takes: a record or ranked items, what may be read, and a snapshot. Gives: the newer records. Never: puts one in the
place of the memory, which nobody has decided.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.key_names import title_of
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import SearchFilter
    from dopejar.values.record import Record
    from dopejar.values.scope import ReadScope

_MOST_FOUND: Final = 8


def newer_wordings(record: Record, scope: ReadScope, view: ReadView, *statuses: Status) -> list[Record]:
    """What was said since with a key that only a digest tells from that of the asker's own slot, newest first.

    A doubt about the slot makes such a key: "I moved to Brno", or "I moved the sofa" beside "I live in Prague".
    """
    if not record.slot.startswith("self.") or "#" in record.slot:
        return []
    where = replace(RecordFilter.readable(scope, statuses), key_prefix=f"{title_of(record.key)}-")
    return [
        one
        for one in view.list_records(where, _MOST_FOUND)
        if title_of(one.key) == title_of(record.key) and one.valid_from > record.valid_from
    ]


def with_newer_wordings(items: Sequence[RankedItem], where: SearchFilter, view: ReadView) -> Sequence[RankedItem]:
    """The items, and behind a first one that fills the asker's own slot what may have taken its place since."""
    first = items[0] if items else None
    if first is None or first.record is None:
        return items
    newer = [one.id for one in newer_wordings(first.record, where.read_scope, view, Status.ACTIVE, Status.SUPERSEDED)]
    found = view.load_records([name for name in newer if all(item.id != name for item in items)], where)
    beside = [replace(first, record=one, reasons=("may have taken its place",)) for one in found.values()]
    return [first, *beside, *items[1:]] if beside else items
