"""Times in words: since when a statement holds, until when, and relative dates made absolute.

Takes: a text and when it was said. Gives: a `Span`. Never: reads a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from dopejar.pipelines.ingest.cues import Cues

_DAYS: Final = {name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_DAY_NAMES: Final = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTH_NAMES: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_RELATIVE: Final = re.compile(
    rf"\b(?:(?P<day>yesterday|today|tomorrow|tonight|last night|this morning|this afternoon|this evening|"
    rf"the day before yesterday)"
    rf"|(?P<which>last|next|this|this past|past) (?P<what>{_DAY_NAMES}|week(?:end)?|month|year|summer|winter|"
    rf"spring|fall|autumn)"
    r"|(?P<count>\d+|an?|one|two|three|four|five|six|seven|few|couple of) (?P<unit>day|week|month|"
    r"year)s? ago)\b(?!['’]s)",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(
    rf"\b(?:since|as of|starting(?: from| in| on)?|from|effective|beginning(?: in| on)?) "
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<month>{_MONTH_NAMES})(?: (?P<day>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?\b)?(?:,? (?P<year>\d{{4}}))?|(?P<only>(?:19|20)\d\d))\b",
    re.IGNORECASE,
)
_WEEK: Final = re.compile(r"\bthis (?:week|sprint)\b", re.IGNORECASE)
_MONTH: Final = re.compile(r"\bthis month\b", re.IGNORECASE)
_UNTIL: Final = re.compile(rf"\buntil (?P<name>{_DAY_NAMES}|tomorrow|next week)\b", re.IGNORECASE)
_NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "few": 3,
    "couple of": 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The text with its dates absolute, and the time it is about. None: from when it was said; without an end."""

    text: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    temporary: bool = False


def read_time(text: str, at: datetime, words: Cues) -> Span:
    """Read the times of a statement that was made `at`."""
    temporary = words.has("time.temporary", text)
    end = _end(text, at) if temporary else None
    begin = _since(text, at) if not temporary else None
    return Span(
        text=_RELATIVE.sub(lambda found: _absolute(found, at), text),
        valid_from=begin,
        valid_to=end,
        temporary=temporary,
    )


def _end(text: str, at: datetime) -> datetime:
    until = _UNTIL.search(text)
    if until:
        name = until.group("name").casefold()
        days = 1 if name == "tomorrow" else 7 if name == "next week" else (_DAYS[name[:3]] - at.weekday()) % 7 or 7
    elif _WEEK.search(text):
        days = 7 - at.weekday()
    elif _MONTH.search(text):
        days = (at.replace(day=28) + timedelta(days=4)).replace(day=1).toordinal() - at.toordinal()
    else:
        days = 1
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=days)


def _since(text: str, at: datetime) -> datetime | None:
    found = _SINCE.search(text)
    if not found:
        return None
    try:
        day = _day_of(found, at)
    except ValueError:  # 31 February and the like: no date
        return None
    return datetime(day.year, day.month, day.day, tzinfo=at.tzinfo) if day else None


def _day_of(found: re.Match[str], at: datetime) -> date | None:
    if found.group("iso"):
        return date.fromisoformat(found.group("iso"))
    if found.group("only"):
        return date(int(found.group("only")), 1, 1)
    month = _MONTHS[found.group("month")[:3].casefold()]
    year = int(found.group("year")) if found.group("year") else at.year
    return date(year, month, int(found.group("day") or 1))


def _absolute(found: re.Match[str], at: datetime) -> str:
    if found.group("day"):
        return _named_day(found.group("day").casefold(), at)
    if found.group("unit"):
        return _ago(found.group("count").casefold(), found.group("unit").casefold(), at)
    return _period(found.group("which").casefold(), found.group("what").casefold(), at) or found.group(0)


def _named_day(name: str, at: datetime) -> str:
    shift = {"yesterday": -1, "last night": -1, "tomorrow": 1, "the day before yesterday": -2}.get(name, 0)
    return f"on {(at + timedelta(days=shift)).date().isoformat()}"


def _ago(count: str, unit: str, at: datetime) -> str:
    number = int(count) if count.isdigit() else _NUMBERS.get(count, 1)
    if unit in ("day", "week"):
        day = (at - timedelta(days=number * (7 if unit == "week" else 1))).date()
        return f"on {day.isoformat()}" if unit == "day" else f"around {day.isoformat()}"
    months = at.year * 12 + at.month - 1 - number * (12 if unit == "year" else 1)
    return f"in {months // 12}" if unit == "year" else f"in {months // 12}-{months % 12 + 1:02d}"


def _period(which: str, what: str, at: datetime) -> str:
    step = 1 if which == "next" else 0 if which == "this" else -1
    if what[:3] in _DAYS and what not in ("summer",):
        days = (_DAYS[what[:3]] - at.weekday()) % 7
        if step < 0:
            days = days - 7
        elif step > 0 and days == 0:
            days = 7
        return f"on {(at + timedelta(days=days)).date().isoformat()}"
    if what == "year":
        return f"in {at.year + step}"
    if what == "month":
        months = at.year * 12 + at.month - 1 + step
        return f"in {months // 12}-{months % 12 + 1:02d}"
    if what.startswith("week") and step:
        monday = at - timedelta(days=at.weekday()) + timedelta(days=7 * step)
        return f"in the week of {monday.date().isoformat()}"
    if what in ("summer", "winter", "spring", "fall", "autumn") and step:
        return f"in the {what} of {at.year + (step if step > 0 or at.month < 9 else 0)}"
    return ""
