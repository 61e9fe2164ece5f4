"""Dates in words, which are read here alone: "next Friday", "the 9th", "2 December", "May 2027", "two weeks ago".

Takes: an expression or a question, and the day on which it is said. Gives: the days that it names, and the windows of a
question. Never: reads a clock, decides what a sentence tells of these days, or reads "12/3", which means either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.number_words import NUMBER_WORDS
from dopejar.values.dates import DAY_NAMES, MONTH_NAMES, MONTHS, WEEKDAYS, month_after

Toward = Literal["ahead", "running", "past", "near"]

WEEKDAY: Final = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
NTH: Final = r"\d{1,2}(?:st|nd|rd|th)"
DATE: Final = (
    rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH_NAMES}\b(?:,? \d{{4}}\b)?"
    rf"|{MONTH_NAMES} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?)"
)
MONTH: Final = rf"(?:{MONTH_NAMES}\b(?:,? \d{{4}}\b)?)"
NUMBERS: Final = {**NUMBER_WORDS, "few": 3, "a few": 3, "couple of": 2, "a couple of": 2}
COUNT: Final = rf"(?:\d+|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
UNIT_DAYS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_SHIFTS: Final = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1,
    "yesterday": -1, "last night": -1, "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip
_A_YEAR: Final = timedelta(days=366)
_MONTHS_LONG: Final = {"month": 1, "quarter": 3, "year": 12}
_COUNTED: Final = lazy_pattern(rf"(?:in )?(?P<count>{COUNT}) (?P<unit>day|week|month|year)s?(?P<ago> ago)?")
_PERIOD: Final = lazy_pattern(
    rf"(?:(?P<which>last|next|this past|this|past) )?(?:(?P<day>{WEEKDAY})"
    r"|(?P<unit>(?<= )(?:day|week(?:end)?|sprint|month|quarter|year)))"
)
_WRITTEN: Final = lazy_pattern(rf"{DATE}|{MONTH}|\d{{4}}-\d\d|(?:19|20)\d\d", re.IGNORECASE)
_PART: Final = lazy_pattern(
    rf"\b(?P<year>\d{{4}})(?:-(?P<month>\d\d)(?:-(?P<on>\d\d))?)?|\b(?P<day>\d{{1,2}})|\b(?P<name>{MONTH_NAMES})\b",
    re.IGNORECASE,
)


class Days(NamedTuple):
    """Days in a row: the first, and the one behind the last."""

    first: date
    behind: date


def named_days(words: str, today: date, toward: Toward = "running") -> Days:
    """The days that an expression names, seen from the day on which it is said.

    Without a year they are the next ones `ahead`, the next that are not over (`running`), the last that have begun
    (`past`), or the nearest. A weekday alone is never today; a week begins on Monday; "two weeks ago" is one day.

    Raises:
        ValueError: the words name no day, or none of the calendar. OverflowError: it lies too far off for one.
    """
    words = words.casefold().removeprefix("the ").replace("new year", "next year")
    if words in _SHIFTS:
        return _from(today + timedelta(days=_SHIFTS[words]), "day")
    if counted := _COUNTED.fullmatch(words):
        return _counted(number_of(counted["count"]) * (-1 if counted["ago"] else 1), counted["unit"], today)
    if period := _PERIOD.fullmatch(words):
        which = period["which"] or ("last" if toward == "past" else "")
        return _one_of_a_row(which, period["day"], period["unit"], today)
    return _from_calendar(words, today, toward)


def _from_calendar(words: str, today: date, toward: Toward) -> Days:
    if re.fullmatch(NTH, words):
        return _of_several(((day.year, day.month, int(words[:-2])) for day in _months_around(today)), today, toward)
    if not _WRITTEN.fullmatch(words):
        raise ValueError(f"names no day: {words}")
    year, month, day = date_parts(words)
    if year is not None:
        return _from(date(year, month or 1, day or 1), "day" if day else "month" if month else "year")
    return _of_several(((today.year + shift, month or 1, day) for shift in range(-8, 9)), today, toward)


def date_parts(words: str) -> tuple[int | None, int | None, int | None]:
    """Year, month and day of a written date or month, each None where it is not named."""
    found = {name: part for one in _PART.finditer(words) for name, part in one.groupdict().items() if part}
    month = MONTHS[found["name"][:3].casefold()] if "name" in found else found.get("month")
    year, day = found.get("year"), found.get("day") or found.get("on")
    return year and int(year), month and int(month), day and int(day)  # type: ignore[return-value]


def number_of(count: str) -> int:
    """The number that digits or a word for one name: "3", "three", "a few"."""
    return int(count) if count.isdigit() else NUMBERS[count.casefold()]


def days_long(count: str, unit: str) -> int:
    """How many days a time of so many days, weeks or months takes."""
    return number_of(count) * UNIT_DAYS[unit.casefold()]


def _from(first: date, unit: str) -> Days:
    if unit in ("day", "week"):
        return Days(first, first + timedelta(days=UNIT_DAYS[unit]))
    return Days(first, month_after(first, _MONTHS_LONG[unit]))


def _counted(number: int, unit: str, today: date) -> Days:
    if unit in ("day", "week"):
        return _from(today + timedelta(days=number * UNIT_DAYS[unit]), "day")
    return _period(number, unit, today)


def _one_of_a_row(which: str, weekday: str | None, unit: str, today: date) -> Days:
    """The last, this, or the next weekday, week, month, quarter or year."""
    step = {"next": 1, "": 1, "this": 0}.get(which, -1)
    if weekday is None:
        return _period(step, unit, today)
    days = (WEEKDAYS[weekday[:3]] - today.weekday()) % 7
    return _from(today + timedelta(days=days - 7 if step < 0 else days or 7 * step), "day")


def _period(step: int, unit: str, today: date) -> Days:
    """The week, month, quarter or year that lies so many of them from the one of today."""
    if unit == "day":
        return _from(today, "day")
    if unit not in _MONTHS_LONG:  # a week end, a sprint
        return _from(today + timedelta(days=7 * step - today.weekday()), "week")
    long = _MONTHS_LONG[unit]
    return _from(month_after(today, long * step - (today.month - 1) % long), unit)


def _months_around(today: date) -> Iterator[date]:
    for shift in range(-2, 3):
        with suppress(ValueError):
            yield month_after(today, shift)


def _of_several(dates: Iterable[tuple[int, int, int | None]], today: date, toward: Toward) -> Days:
    """The one of several years or months that is meant; a date that one of them lacks (29 February) is in another."""
    found = []
    for year, month, day in dates:
        with suppress(ValueError):
            found.append(_from(date(year, month, day or 1), "day" if day else "month"))
    if toward == "near":
        # of leap days, which are far between, the next one rather than one long past
        found = sorted(found, key=lambda one: (today - one.first > _A_YEAR, abs(one.first - today)))
    elif toward == "past":
        found = [one for one in found if one.first <= today][::-1]
    else:
        found = [one for one in found if today < (one.first if toward == "ahead" else one.behind)]
    if not found:
        raise ValueError("no such date in the calendar")
    return found[0]


# -- time windows of questions -----------------------------------------------------------------------------------------

SLACK_DAYS: Final = 7
"""People speak of a day in the days around it: the window of a single day is widened by this on both sides."""

# Every absolute time contains one of these. Most questions contain none, which saves trying six patterns.
_MAY_BE_ABSOLUTE: Final = re.compile(r"\d\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_RELATIVE: Final = re.compile(
    r"\b(?:(?P<named>today|yesterday)"
    r"|(?P<count>\d{1,3}|an?|one|two|three|four|five|six) (?P<unit>day|week|month|year)s? ago"
    r"|(?P<which>last|past|this) (?P<span>week(?:end)?|month|year)"
    rf"|(?:last|on) (?P<weekday>{DAY_NAMES}))\b",
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


@lru_cache(maxsize=1)
def _absolute_patterns() -> tuple[re.Pattern[str], ...]:
    month, year, day = rf"{MONTH_NAMES}\b\.?", r"(?:19|20)\d\d\b", r"[0-3]?\d(?:st|nd|rd|th)?\b"
    patterns = (
        r"\b(?:19|20)\d\d-[01]\d-[0-3]\d\b",
        rf"\b{day}(?: of)? {month}(?:,? {year})?",
        rf"\b{month} {day}(?:,? {year})?",
        rf"\b{month},?(?: of)? {year}",
        rf"\b(?:in|of|during|by|since|until|before|after|early|late|mid|last|this|around)[ -]{month}",
        rf"\b(?:in|of|during|since|until|before|after|early|late) {year}",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def _absolute_windows(text: str) -> Iterator[tuple[str, TimeWindow]]:
    rest = text
    for pattern in _absolute_patterns():
        for match in pattern.finditer(rest):
            window = _absolute_window(match[0])
            if window is not None:
                yield match.group(0), window
                rest = rest.replace(match.group(0), " ", 1)


def _absolute_window(words: str) -> TimeWindow | None:
    """The window of a written date; None where the digits make no date, as in 31 June."""
    year, month, day = date_parts(words)
    try:
        first = date(year or 2000, month or 1, day or 1)  # a leap year, so that every day of a year exists
        if day:
            return _around(first, is_yearly=year is None)
        behind = _from(first, "month" if month else "year").behind
        return TimeWindow(first=first, last=behind - timedelta(days=1), is_yearly=year is None)
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
        unit = UNIT_DAYS[parts["unit"].casefold()]
        days, width = number_of(parts["count"]) * unit, max(1, unit // 2)
    elif parts["weekday"]:
        days, width = (asked_on.weekday() - WEEKDAYS[parts["weekday"][:3].casefold()]) % 7 or 7, 0
    else:
        unit = UNIT_DAYS[parts["span"].casefold().removesuffix("end")]
        days, width = (unit, unit) if parts["which"].casefold() != "this" else (unit // 2, (unit + 1) // 2)
    days, width = min(days, 36_500), min(width, 36_500)
    middle = asked_on - timedelta(days=min(days, asked_on.toordinal() - 1))
    first = max(middle.toordinal() - width, 1)
    return TimeWindow(first=date.fromordinal(first), last=min(middle + timedelta(days=width), asked_on))
