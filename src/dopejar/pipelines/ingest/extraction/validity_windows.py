"""Times to come that a statement names: the day on which a change begins, and the window for which a value holds.

Takes: a statement and when it was said. Gives: the beginning of an announced change, or the end of a window. Never:
dates an event ("my exam is on 3 May"), a wish, a denial, a habit or what is past. English only.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from dopejar.text.dates import COUNT, DATE, MONTH, NTH, Days, days_long, named_days
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.number_words import NUMBER_WORDS
from dopejar.values.dates import DAY_NAMES, MONTH_NAMES, MONTHS

_MONTH: Final = rf"{MONTH_NAMES}\b"
_NUMBER: Final = rf"(?:[£$€]? ?\d[\d.,]*|(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b)"
_TIME: Final = (
    rf"(?:(?:the )?{DATE}|20\d\d-\d\d|{MONTH}|20\d\d|the {NTH}|the new year|(?:next )?{DAY_NAMES}"
    rf"|next (?:week|month|year)|tomorrow|{COUNT} (?:day|week|month|year)s?)"
)
_BEGINNING: Final = lazy_pattern(
    r"\b(?:(?P<from>from|as of|as from|starting(?: from| in| on)?|effective(?: from)?|beginning(?: in| on)?|come)"
    r"|in|on|(?<!to )(?<!till )(?<!until )(?<!for )(?<!by )(?<!before )(?<!after )(?=next |tomorrow))"
    rf" ?(?P<time>{_TIME})\b(?!['’]s)(?P<on> on(?:wards?)?\b)?(?! ?(?:to|till|until|through|and|or|-|–) ?(?:{_TIME}))",
    re.IGNORECASE,
)
_ONE_DAY: Final = lazy_pattern(rf"\b(?:{DATE}|the {NTH}|(?:next )?{DAY_NAMES}|tomorrow)\b", re.IGNORECASE)
_ONLY_ON: Final = lazy_pattern(
    rf"\b(?:only|just) (?:for|on) (?P<day>{DATE})(?!['’]s)|\bon (?P<then>{DATE}) only\b", re.IGNORECASE
)
_LONGEST_LEAD: Final = 10 * 366  # days
_HALF_A_YEAR: Final = 183
_COUNTED: Final = lazy_pattern(rf"{COUNT} (?:day|week|month|year)s?$", re.IGNORECASE)
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
    rf"for (?:all of |the whole of |the rest of )?(?P<first>{_MONTH})(?:,? (?:and|to|through|until) (?P<last>{_MONTH}))"
)
_WHOLE_MONTHS: Final = (
    lazy_pattern(rf"\b{_MONTHS_LONG}(?!['’]s| \d)", re.IGNORECASE),
    lazy_pattern(rf"(?:^|[,;] |\b(?:so|and|but|just|only) ){_MONTHS_LONG}?(?!['’]s| \d)", re.IGNORECASE),
)
_RANGE: Final = lazy_pattern(
    rf"\b(?:from|between) (?:the )?(?P<first>\d{{1,2}}(?:st|nd|rd|th)?(?: of)?(?: {_MONTH})?|{_MONTH}(?: \d{{1,2}}"
    rf"(?:st|nd|rd|th)?)?) (?:to|till|until|through|and) (?:the )?(?P<last>{DATE}|{MONTH})\b",
    re.IGNORECASE,
)
_IS_HABIT: Final = lazy_pattern(r"\b(?:every|each|always|usually|was|were|had)\b", re.IGNORECASE)
_NEXT: Final = lazy_pattern(r"\bnext (?P<what>week|month)\b(?!['’]s)", re.IGNORECASE)
_SOME_NEXT: Final = lazy_pattern(rf"\bfor the next (?:(?P<count>{COUNT}) )?(?P<unit>day|week|month)s?\b", re.IGNORECASE)
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
        day = named_days(found["time"], at.date()).first
        if at.date() < day <= at.date() + timedelta(days=_reach(found["time"], text)):
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
    named = (named_days(found[0], today).first for found in _ONE_DAY.finditer(text))
    return max((day for day in named if today < day <= today + timedelta(days=_HALF_A_YEAR)), default=None)


def _reach(time: str, text: str) -> int:
    """Days within which the time lies: "as of May 1", said in autumn of what is so, means the May that is past."""
    has_month_alone = re.search(_MONTH, time, re.IGNORECASE) is not None and re.search(r"\d{4}", time) is None
    return _HALF_A_YEAR if has_month_alone and not _CHANGES.search(text) else _LONGEST_LEAD


def _months(text: str, today: date) -> Days | None:
    found = next(filter(None, (pattern.search(text) for pattern in _WHOLE_MONTHS)), None)
    return _range(found["first"], found["last"] or found["first"], today) if found else None


def _one_day(text: str, today: date) -> Days | None:
    """The date to come to which alone a statement is limited: "on 24 December only"."""
    found = _ONLY_ON.search(text)
    days = named_days(found["day"] or found["then"], today) if found else None
    return days if days and days.first >= today else None


def _days(text: str, today: date) -> Days | None:
    if dates := _RANGE.search(text):
        return _range(dates["first"], dates["last"], today)
    if ahead := _SOME_NEXT.search(text):
        return Days(today, today + timedelta(days=days_long(ahead["count"] or "one", ahead["unit"])))
    one = _NEXT.search(text)
    return named_days(one[0], today) if one else None


def _range(first: str, last: str, today: date) -> Days:
    """From the last such day or month before the end on, to the end that is not over yet."""
    end = named_days(last, today)
    if not re.search(_MONTH, first, re.IGNORECASE):  # "between 3 and 17 April"
        first = f"{re.sub('[^0-9]', '', first)} {[*MONTHS][end.first.month - 1]}"
    return Days(named_days(first, end.first, "past").first, end.behind)
