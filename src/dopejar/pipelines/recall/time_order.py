"""The order of time of what a pack tells: by the one day that its words name, else by when it was said or began.

Takes: a ranked item. Gives: the moment that it is of. Never: reads the store, or a day that had not come when it was
said.
"""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING

from dopejar.pipelines.recall.asked_changes import days_of
from dopejar.text.dates import parse_time_windows

if TYPE_CHECKING:
    from dopejar.pipelines.recall.ranked_item import RankedItem


def time_of(item: RankedItem) -> datetime:
    """When what an item tells happened: "I ran in March", told in May, is of March.

    Of several days in one text it is not known which is meant.
    """
    record, turn = item.record, item.episode
    told = record.valid_from if record is not None else turn.at if turn is not None else None
    if told is None:
        raise AssertionError("a ranked item is a record or an episode")
    windows, _ = parse_time_windows(item.text, told.date())
    if len(windows) != 1:
        return told
    first, last = days_of(windows[0], told.date())
    return datetime.combine(first, time.min, told.tzinfo) if last <= told.date() else told
