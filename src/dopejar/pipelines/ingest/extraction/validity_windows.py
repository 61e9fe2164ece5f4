"""Times to come that a statement names: the day on which a change begins, and the window for which a value holds.

Takes: a statement and when it was said. Gives: the beginning of an announced change, or the end of a window. Never:
dates an event ("my exam is on 3 May"), a wish, a denial, a habit or what is past. English only.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.number_words import NUMBER_WORDS
from dopejar.values.dates import MONTH_NAMES, MONTHS, WEEKDAYS, month_after

_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH: Final = rf"{MONTH_NAMES}\b"
_NUMBERS: Final = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_NUMBER: Final = rf"(?:[£$€]? ?\d[\d.,]*|(?:{_NUMBERS})\b)"
_YEAR: Final = r"(?:,? (?:20\d\d))?"
_TIME: Final = (
    rf"(?:20\d\d-\d\d(?:-\d\d)?|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}{_YEAR}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?{_YEAR}|{_MONTH}{_YEAR}|20\d\d|the \d{{1,2}}(?:st|nd|rd|th)|the new year"
    rf"|{_DAY}|next (?:week|month|year|{_DAY})|tomorrow|(?:\d+|{_NUMBERS}) (?:day|week|month|year)s?)"
)
_BEGINNING: Final = lazy_pattern(
    r"\b(?:(?P<from>from|as of|as from|starting(?: from| in| on)?|effective(?: from)?|beginning(?: in| on)?|come)"
    r"|in|on|(?<!to )(?<!till )(?<!until )(?<!for )(?<!by )(?<!before )(?<!after )(?=next |tomorrow))"
    rf" ?(?P<time>{_TIME})\b(?!['’]s)(?P<on> on(?:wards?)?\b)?(?! ?(?:to|till|until|through|and|or|-|–) ?(?:{_TIME}))",
    re.IGNORECASE,
)
_DATE: Final = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}{_YEAR}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b{_YEAR}"
    r"|20\d\d-\d\d-\d\d)"
)
_ONE_DAY: Final = lazy_pattern(
    rf"\b(?:{_DATE}|the \d{{1,2}}(?:st|nd|rd|th)|(?:next )?{_DAY}|tomorrow)\b", re.IGNORECASE
)
_ONLY_ON: Final = lazy_pattern(
    rf"\b(?:only|just) (?:for|on) (?P<day>{_DATE})(?!['’]s)|\bon (?P<then>{_DATE}) only\b", re.IGNORECASE
)
_LONGEST_LEAD: Final = 10 * 366  # days
_HALF_A_YEAR: Final = 183
_COUNTED: Final = lazy_pattern(rf"(\d+|{_NUMBERS}) (day|week|month|year)s?$", re.IGNORECASE)
# a change to another value, as it is told before it happens
_CHANGES: Final = lazy_pattern(
    r"(?:[\w)]|['’](?:m|s|re)) (?:"
    rf"go(?:es|ing)? (?:up|down)(?: from \S+)?(?: to| by)? {_NUMBER}|goes to {_NUMBER}"
    r"|go(?:es|ing)? (?:over to|(?:full|part)[- ]time)\b"
    rf"|(?:ris|increas|drop|fall|climb|shrink)(?:e|es|s|ing|ping)? (?:from \S+ )?(?:to|by) {_NUMBER}"
    r"|(?:mov|chang|relocat|transfer|switch|convert)(?:e|es|s|ing|ring)? (?:[\w'’-]+ ){0,4}?(?:to|into|onto) "
    rf"(?!{_TIME})"
    r"|becom(?:e|es|ing)\b"
    rf"|start(?:s|ing)? (?:work(?:ing)? )?(?:at|as) (?!{_NUMBER}|half|noon|quarter|the\b)"
    rf"|(?:be|cost|pay|earn|work) (?:\w+ ){{0,2}}?{_NUMBER}"
    r"|(?:be|get)(?:ing|ting)? (?:mov|chang|rais|increas|reduc|lower|promot|transferr|renam|replac|switch|put|cut)"
    r"(?:ed)? (?:[\w'’-]+ ){0,2}?(?:to|by|on|onto|with)\b)",
    re.IGNORECASE,
)
_IS_UNCERTAIN: Final = lazy_pattern(
    r"(?:\b(?:was|were|had|been|might|could|would|should|must|may(?= (?:go|be|move|rise|change|switch|become|start))"
    r"|if|unless|want(?:s|ed)?|hop(?:e|es|ing)|wish(?:es)?|plan(?:s|ning)?|think(?:s|ing)?|consider(?:s|ing)?|not|never"
    r"|perhaps|maybe|need(?:s)?|let['’]?s|every|each|always|usually|normally|often|sometimes)\b|n['’]t\b|\?)",
    re.IGNORECASE,
)
_IS_SO: Final = lazy_pattern(
    r"['’](?:m|re|s|ll)\b|\b(?:am|is|are|will|works?|goes|costs?|opens?|closes?|pays?|earns?|gets?)\b", re.IGNORECASE
)
_MONTHS_LONG: Final = (
    rf"for (?:all of |the whole of |the rest of )?(?P<one>{_MONTH})(?:,? (?:and|to|through|until) (?P<last>{_MONTH}))"
)
_WHOLE_MONTHS: Final = (
    lazy_pattern(rf"\b{_MONTHS_LONG}(?!['’]s| \d)", re.IGNORECASE),
    lazy_pattern(rf"(?:^|[,;] |\b(?:so|and|but|just|only) ){_MONTHS_LONG}?(?!['’]s| \d)", re.IGNORECASE),
)
_RANGE: Final = lazy_pattern(
    rf"\b(?:from|between) (?:the )?(?P<first>\d{{1,2}}(?:st|nd|rd|th)?(?: of)?(?: {_MONTH})?|{_MONTH}(?: \d{{1,2}}"
    r"(?:st|nd|rd|th)?)?) (?:to|till|until|through|and) (?:the )?"
    rf"(?P<last>\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}{_YEAR}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?{_YEAR}"
    rf"|{_MONTH}{_YEAR})\b",
    re.IGNORECASE,
)
_IS_HABIT: Final = lazy_pattern(r"\b(?:every|each|always|usually|was|were|had)\b", re.IGNORECASE)
_NEXT: Final = lazy_pattern(r"\bnext (?P<what>week|month)\b(?!['’]s)", re.IGNORECASE)
_SOME_NEXT: Final = lazy_pattern(
    rf"\bfor the next (?:(?P<count>\d+|few|couple of|{_NUMBERS}) )?(?P<unit>day|week|month)s?\b", re.IGNORECASE
)
# how somebody lives or works in the meantime; a flight or an appointment is an event of that time
_MEANWHILE: Final = lazy_pattern(
    r"(?:['’](?:m|re|s|ll be)|\b(?:am|are|is|will be)) (?:all |both |only |just |back |still )?"
    r"(?:on|off|away|out|in|at|with|under|working|doing|covering|living|staying|based|sleeping|sharing|using|running|"
    r"open|closed)\b|\b(?:i|we|he|she|they|it|the [\w-]+(?: [\w-]+)?) (?:works?|does|uses?|opens? at|closes? at)\b",
    re.IGNORECASE,
)


class Window(NamedTuple):
    """A time for which alone something is so: from its beginning, None where it has begun, to its end."""

    begin: datetime | None
    end: datetime


def begins_later(text: str, at: datetime) -> datetime | None:
    """The day to come from which an announced change holds; None where the statement announces none."""
    if _IS_UNCERTAIN.search(text):
        return None
    for found in _BEGINNING.finditer(text):
        if _COUNTED.match(found["time"]) and not found[0].casefold().startswith("in "):
            continue
        led = found["from"] is not None and (found.start() == 0 or found["on"] is not None or _IS_SO.search(text))
        if not (led or _CHANGES.search(text)):
            continue
        day = _first_day(found["time"].casefold(), at.date())
        if day is not None and at.date() < day <= at.date() + timedelta(days=_reach(found["time"], text)):
            begin = datetime(day.year, day.month, day.day, tzinfo=at.tzinfo)
            # of two announcements for one day, the one that was made later is the later version
            return begin + timedelta(milliseconds=_LONGEST_LEAD - (begin - at) / timedelta(days=1))
    return None


def read_window(text: str, at: datetime, *, is_past: bool = False) -> Window | None:
    """The months or dates, or the next days, week or month, that a statement is for; None without any."""
    if _IS_HABIT.search(text) or (is_past and not _MEANWHILE.search(text)):
        return None
    today = at.date()
    days = _months(text, today) or _one_day(text, today)
    if days is None and _MEANWHILE.search(text):
        days = _days(text, today)
    if days is None:
        return None
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    begin, end = (midnight + (day - today) for day in days)
    return Window(begin if begin > at else None, end)


def last_day_named(text: str, today: date) -> date | None:
    """The last of the days to come that a text names, within half a year; None where it names none."""
    named = (_first_day(found[0].casefold(), today) for found in _ONE_DAY.finditer(text))
    return max((day for day in named if day and today < day <= today + timedelta(days=_HALF_A_YEAR)), default=None)


def _reach(time: str, text: str) -> int:
    """Days within which the time lies: "as of May 1", said in autumn of what is so, means the May that is past."""
    has_month_alone = re.search(_MONTH, time, re.IGNORECASE) is not None and re.search(r"\d{4}", time) is None
    return _HALF_A_YEAR if has_month_alone and not _CHANGES.search(text) else _LONGEST_LEAD


def _months(text: str, today: date) -> tuple[date, date] | None:
    found = next(filter(None, (pattern.search(text) for pattern in _WHOLE_MONTHS)), None)
    if found is None:
        return None
    last = _this_or_next(_number(found["last"] or found["one"]), today)
    return _up_to(last, _number(found["one"])), month_after(last)


def _one_day(text: str, today: date) -> tuple[date, date] | None:
    """The date to come to which alone a statement is limited: "on 24 December only"."""
    found = _ONLY_ON.search(text)
    day = _first_day((found["day"] or found["then"]).casefold(), today) if found else None
    return (day, day + timedelta(days=1)) if day and day >= today else None


def _days(text: str, today: date) -> tuple[date, date] | None:
    """The first day of the window, and the one after its last."""
    if dates := _RANGE.search(text):
        return _range(dates["first"].casefold(), dates["last"].casefold(), today)
    if ahead := _SOME_NEXT.search(text):
        word = (ahead["count"] or "one").casefold()
        count = int(word) if word.isdigit() else {"few": 3, "couple of": 2}.get(word) or NUMBER_WORDS.get(word, 1)
        return today, today + timedelta(days={"day": 1, "week": 7, "month": 30}[ahead["unit"].casefold()] * count)
    if one := _NEXT.search(text):
        monday, first = today + timedelta(days=7 - today.weekday()), month_after(today)
        is_week = one["what"].casefold() == "week"
        return (monday, monday + timedelta(days=7)) if is_week else (first, month_after(first))
    return None


def _range(first: str, last: str, today: date) -> tuple[date, date]:
    month, day = _month_and_day(last)
    if year := re.search(r"20\d\d", last):
        end = date(int(year[0]), month, day or 1)
    elif day is None:
        end = _this_or_next(month, today)
    else:
        end = date(today.year, month, day)
        end = end if end >= today else date(today.year + 1, month, day)
    from_month, from_day = (month, int(re.sub(r"\D", "", first))) if first[:1].isdigit() else (_number(first), None)
    if len(first.split()) > 1:
        from_month, from_day = _month_and_day(first)
    begin = _up_to(end, from_month).replace(day=from_day or 1)
    return begin, (month_after(end) if day is None else end + timedelta(days=1))


def _up_to(day: date, month: int) -> date:
    """The first day of the last such month up to a day."""
    return date(day.year - (month > day.month), month, 1)


def _first_day(time: str, today: date) -> date | None:
    """The first day of a time that is to come."""
    if iso := re.fullmatch(r"(20\d\d)(?:-(\d\d))?(?:-(\d\d))?", time):
        return date(int(iso[1]), int(iso[2] or 1), int(iso[3] or 1))
    if counted := _COUNTED.match(time):
        return _counted(counted[1], counted[2], today)
    named = {
        "tomorrow": today + timedelta(days=1),
        "next week": today + timedelta(days=7 - today.weekday()),
        "next month": month_after(today),
        "next year": date(today.year + 1, 1, 1),
        "the new year": date(today.year + 1, 1, 1),
    }
    return named.get(time) or _weekday(time, today) or _day_of_month(time, today) or _date(time, today)


def _weekday(time: str, today: date) -> date | None:
    word = time.removeprefix("next ")
    is_day = word.endswith("day") and word[:3] in WEEKDAYS
    return today + timedelta(days=(WEEKDAYS[word[:3]] - today.weekday()) % 7 or 7) if is_day else None


def _day_of_month(time: str, today: date) -> date | None:
    found = re.fullmatch(r"the (\d+)\w\w", time)
    if found is None:
        return None
    first = today if int(found[1]) > today.day else month_after(today)
    return date(first.year, first.month, int(found[1]))


def _date(time: str, today: date) -> date | None:
    month, day = _month_and_day(time)
    if year := re.search(r"20\d\d", time):
        return date(int(year[0]), month, day or 1)
    if day is None and month == today.month:  # "in March", said in March, is no time to come
        return None
    here = date(today.year, month, day or 1)
    return here if here > today else date(today.year + 1, month, day or 1)


def _counted(count: str, unit: str, today: date) -> date:
    number = int(count) if count.isdigit() else NUMBER_WORDS.get(count, 1)
    if unit in ("day", "week"):
        return today + timedelta(days=number * (7 if unit == "week" else 1))
    return month_after(today, number * (12 if unit == "year" else 1))


def _month_and_day(time: str) -> tuple[int, int | None]:
    month = next(word for word in re.findall(r"[a-z]+", time) if word[:3] in MONTHS)
    day = re.search(r"\b(\d{1,2})(?!\d)", time)
    return _number(month), int(day[1]) if day else None


def _number(month: str) -> int:
    return MONTHS[month[:3].casefold()]


def _this_or_next(month: int, today: date) -> date:
    return date(today.year + (month < today.month), month, 1)
