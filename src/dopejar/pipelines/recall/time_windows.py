"""Time windows that a question names.

Takes: a question and its date. Gives: `TimeWindow` values, and the question without the words that named them. Never:
reads a clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

SLACK_DAYS: Final = 7
"""People speak of a day in the days around it: the window of a single day is widened by this on both sides."""

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_WEEKDAYS: Final = {name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_COUNTS: Final = {name: number for number, name in enumerate(("one", "two", "three", "four", "five", "six"), start=1)}
_UNITS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)\b"
_DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_ABSOLUTE: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<iso>(?:19|20)\d\d-[01]\d-[0-3]\d)\b",
        rf"\b{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?",
        rf"\b{_MONTH} {_DAY}(?:,? {_YEAR})?",
        rf"\b{_MONTH},?(?: of)? {_YEAR}",
        rf"\b(?:in|of|during|by|since|until|before|after|early|late|mid|last|this|around)[ -]{_MONTH}",
        rf"\b(?:in|of|during|since|until|before|after|early|late) {_YEAR}",
    )
)
# Every absolute time contains one of these. Most questions contain none, which saves trying six patterns.
_MAY_BE_ABSOLUTE: Final = re.compile(
    r"\d\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE
)
_RELATIVE: Final = re.compile(
    r"\b(?:(?P<named>today|yesterday)"
    r"|(?P<count>\d{1,3}|an?|one|two|three|four|five|six) (?P<unit>day|week|month|year)s? ago"
    r"|(?P<which>last|past|this) (?P<span>week(?:end)?|month|year)"
    r"|(?:last|on) (?P<weekday>mon|tues?|wednes|thurs?|fri|satur|sun)day)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeWindow:
    """From `first` to `last`, both inclusive. `is_yearly`: no year was named, so any year matches."""

    first: date
    last: date
    is_yearly: bool = False

    def contains(self, day: date) -> bool:
        """Whether the day lies in the window."""
        if not self.is_yearly:
            return self.first <= day <= self.last
        return any(
            self.first <= day + timedelta(days=round(365.25 * (self.first.year + shift - day.year))) <= self.last
            for shift in (-1, 0, 1)
        )


def parse_time_windows(text: str, asked_on: date) -> tuple[tuple[TimeWindow, ...], str]:
    """The windows that the text names, relative ones counted from `asked_on`, and the text without their words."""
    windows: list[TimeWindow] = []
    rest = text
    for words, window in _absolute_windows(text) if _MAY_BE_ABSOLUTE.search(text) else ():
        windows.append(window)
        rest = rest.replace(words, " ", 1)
    windows += [_relative_window(match, asked_on) for match in _RELATIVE.finditer(rest)]
    return tuple(windows), _RELATIVE.sub(" ", rest)


def _absolute_windows(text: str) -> Iterator[tuple[str, TimeWindow]]:
    rest = text
    for pattern in _ABSOLUTE:
        for match in pattern.finditer(rest):
            window = _absolute_window(match)
            if window is not None:
                yield match.group(0), window
                rest = rest.replace(match.group(0), " ", 1)


def _absolute_window(match: re.Match[str]) -> TimeWindow | None:
    """The window of a match; None where the digits make no date, as in 31 June."""
    parts = match.groupdict()
    try:
        if parts.get("iso"):
            return _around(date.fromisoformat(parts["iso"]), is_yearly=False)
        year = int(parts.get("year") or 2000)  # a leap year, so that every day of a year exists
        is_yearly = not parts.get("year")
        if not parts.get("month"):
            return TimeWindow(first=date(year, 1, 1), last=date(year, 12, 31))
        month = _MONTHS[parts["month"][:3].casefold()]
        if parts.get("day"):
            return _around(date(year, month, int(parts["day"])), is_yearly=is_yearly)
        following = date(year + month // 12, month % 12 + 1, 1)
        return TimeWindow(first=date(year, month, 1), last=following - timedelta(days=1), is_yearly=is_yearly)
    except ValueError:
        return None


def _around(day: date, *, is_yearly: bool) -> TimeWindow:
    slack = timedelta(days=SLACK_DAYS)
    return TimeWindow(first=day - slack, last=day + slack, is_yearly=is_yearly)


def _relative_window(match: re.Match[str], asked_on: date) -> TimeWindow:
    """The window of a relative expression, widened in proportion to how vaguely such words are used."""
    parts = match.groupdict()
    if parts["named"]:
        days, width = (0, 0) if parts["named"].casefold() == "today" else (1, 1)
    elif parts["unit"]:
        unit = _UNITS[parts["unit"].casefold()]
        count = parts["count"].casefold()
        days, width = (int(count) if count.isdigit() else _COUNTS.get(count, 1)) * unit, max(1, unit // 2)
    elif parts["weekday"]:
        days, width = (asked_on.weekday() - _WEEKDAYS[parts["weekday"][:3].casefold()]) % 7 or 7, 0
    else:
        unit = _UNITS[parts["span"].casefold().removesuffix("end")]
        days, width = (unit, unit) if parts["which"].casefold() != "this" else (unit // 2, (unit + 1) // 2)
    days, width = min(days, 36_500), min(width, 36_500)
    middle = asked_on - timedelta(days=min(days, asked_on.toordinal() - 1))
    first = max(middle.toordinal() - width, 1)
    return TimeWindow(first=date.fromordinal(first), last=min(middle + timedelta(days=width), asked_on))
