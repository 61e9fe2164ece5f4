"""What changed in a time: memories that began to hold then, where a question asks for these alone.

Takes: a question and a snapshot. Gives: the memories, the latest first, each with the words that it replaced. Never:
acts on a question that names a topic, goes by the day of an import, or tells words that were taken out of use.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.text.dates import SLACK_DAYS, TimeWindow, parse_time_windows
from dopejar.text.normalisation import fold
from dopejar.values.dates import DAY_NAMES
from dopejar.values.recall import RecordFilter, Source
from dopejar.values.record import Status

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store import ReadView
    from dopejar.values.recall import Query
    from dopejar.values.record import Record

_MOST_READ: Final = 2000
_LONGEST: Final = 120  # characters of a question that asks for no more than what changed
_ASKS: Final = re.compile(
    r"(?:(?:please|and|so|ok|hey|(?:can|could) you|tell me|show me|list|give me)\b,? *)*"
    r"(?:(?:what(?:'s|s)?|anything|something|(?:has|did|have) anything)(?: *(?:is|has|have|was|did|all|else|that))*"
    r" *(?:been )?(?:changed?|new|different|(?:we|i|you) changed?|(?:(?:we|i|you) )?learn(?:ed|t)?)"
    r"|(?:(?:what|which|any|are there|is there|all|the|were|there) *)*(?:changes|news|updates))"
    r"(?: *(?:,|please|is|are|were|was|there|here|for me|with (?:me|us)|in memory|since|in|during|from|on|the|of|then"
    r"|over|after))*[ ?.!]*"
)
_TO_NOW: Final = re.compile(r"\b(?:since|after)\b")
_SINCE_DAY: Final = re.compile(rf"\b(since|after) (?={DAY_NAMES}\b)")


def asked_changes(query: Query, view: ReadView, now: datetime) -> list[RankedItem]:
    """The memories in force that began to hold in the time that a question names; none where it asks for more."""
    asked_on = (query.asked_at or now).date()
    text = _SINCE_DAY.sub(r"\1 last ", fold(query.text))
    windows, rest = parse_time_windows(text, asked_on) if len(text) <= _LONGEST else ((), text)
    if len(windows) != 1 or not _ASKS.fullmatch(" ".join(rest.split())):
        return []
    first, last = days_of(windows[0], asked_on)
    if _TO_NOW.search(text):
        last = asked_on
    where = replace(RecordFilter.readable(query.read_scope), holds_at=now)
    records = view.list_records(where, _MOST_READ)
    begun = [one for one in records if first <= one.valid_from.date() <= last and one.valid_from <= now]
    old = view.records([one.supersedes for one in begun if one.supersedes is not None])
    begun.sort(key=lambda one: one.valid_from, reverse=True)
    return [_item(one, old.get(one.supersedes) if one.supersedes else None) for one in begun[: query.limit]]


def _item(record: Record, old: Record | None) -> RankedItem:
    is_told = old is not None and old.status is Status.SUPERSEDED and old.text != record.text
    replaced = old.text if old is not None and is_told else ""
    return RankedItem(source=Source.RECORD, score=1.0, record=record, replaced=replaced, reasons=("began then",))


def days_of(window: TimeWindow, asked_on: date) -> tuple[date, date]:
    """The days of a window: the named day alone, and of a month or day without a year the last one that began."""
    slack = timedelta(days=SLACK_DAYS)
    exact = window.last - window.first == 2 * slack
    first, last = (window.first + slack, window.last - slack) if exact else (window.first, window.last)
    if not window.is_yearly:
        return first, last
    year = asked_on.year if (first.month, first.day) <= (asked_on.month, asked_on.day) else asked_on.year - 1
    begin = _in_year(first, year)
    return begin, begin + (last - first)


def _in_year(day: date, year: int) -> date:
    return day.replace(year=year) if (day.month, day.day) != (2, 29) else date(year, 3, 1) - timedelta(days=1)
