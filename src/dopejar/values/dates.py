"""Parsing of dates and times: ISO 8601, and the spellings of transcripts. Dates in words are read by `text.dates`.

Takes: a text, or a number from a transcript. Gives: aware datetimes, and the names of months and days. Never: reads a
clock, or guesses a date.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import Final

MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
MONTH_NAMES: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
FULL_MONTH_NAMES: Final = (  # "Jan" and "Mar" are names of people and seas
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
DAY_NAMES: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAYS: Final = {name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_END_OF_DAY: Final = time(23, 59, 59, 999999)

_LONGEST_TIMESTAMP: Final = 80  # characters; a longer string is text, not a time
_FIRST_YEAR, _LAST_YEAR = 1990, 2100  # of transcripts; any other number only looks like a time
_MILLIS, _MICROS = 1e11, 1e14  # epoch numbers above these count milliseconds, or microseconds


# -- ISO 8601 ----------------------------------------------------------------------------------------------------------


def parse_moment(text: str) -> datetime:
    """The moment that a person means: a date is the end of that day; without an offset the machine's time zone applies.

    Raises:
        ValueError: the text is neither an ISO date nor an ISO time (a space may stand for the T).
    """
    if len(text) <= len("2026-03-15"):
        return datetime.combine(date.fromisoformat(text), _END_OF_DAY).astimezone()
    moment = datetime.fromisoformat(text.replace(" ", "T", 1))
    return moment if moment.tzinfo else moment.astimezone()


def parse_utc(text: str) -> datetime:
    """An ISO time, in UTC where it has no offset. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def month_after(day: date, months: int = 1) -> date:
    """The first day of a later month. Raises ValueError beyond the calendar."""
    later = day.year * 12 + day.month - 1 + months
    return date(later // 12, later % 12 + 1, 1)


# -- transcripts -------------------------------------------------------------------------------------------------------


def parse_timestamp(value: object) -> datetime | None:
    """The time that a transcript's field names, in UTC; UTC is assumed without an offset. None where it names none.

    Accepts ISO 8601, the spellings of the known formats with words around them, and epoch numbers (seconds, milli- or
    microseconds). Times outside 1990 to 2100 are not accepted.
    """
    if isinstance(value, str):
        return _timestamp_of_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _timestamp_of_number(value)


def parse_file_name_time(name: str) -> datetime | None:
    """The time in a file's name (`2025-10-14_22-20Z-title.md`), or None."""
    match = _timestamp_patterns()[1].search(name[:200])  # the first pattern would read the date and drop the time
    return _timestamp_of_match(match) if match else None


@lru_cache(maxsize=1)
def _timestamp_patterns() -> tuple[re.Pattern[str], ...]:
    clock = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
    zone = r"\s*(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b)?"
    weekday = r"(?:\s*\([^()\d]{1,12}\))?"
    month = r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
    patterns = (
        # 2025-10-14 22:25Z, 2025/04/28 (Mon) 14:53, 2025-07-15 11:38:37-0700, 2024-03-15
        rf"(?<!\d)(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?!\d){weekday}"
        rf"(?:[T\s,_]+{clock}{zone})?",
        # 2025-10-14_22-20Z, the way file names spell it
        r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})[_T](?P<hour>\d{2})-(?P<minute>\d{2})"
        r"(?:-(?P<second>\d{2}))?(?P<half>)(?P<zone>Z)?",
        # 1:56 pm on 8 May, 2023
        rf"(?<!\d){clock}{zone}\s+on\s+(?P<day>\d{{1,2}})\s+{month},?\s+(?P<year>\d{{4}})",
        # 8 May 2023 13:56
        rf"(?<!\d)(?P<day>\d{{1,2}})\s+{month},?\s+(?P<year>\d{{4}})(?:[,\s]+(?:at\s+)?{clock}{zone})?",
        # May 8, 2023, 1:56 PM
        rf"\b{month}\s+(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}})(?:[,\s]+(?:at\s+)?{clock}{zone})?",
        # 11/30/2025, 11:38:19 PM: only with AM or PM is it certain that the month comes first
        r"(?<!\d)(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}),?\s+"
        r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[AaPp]\.?[Mm]\.?)(?P<zone>)",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def _timestamp_of_text(value: str) -> datetime | None:
    if len(value) > _LONGEST_TIMESTAMP:
        return None
    text = value.strip()
    if text.isdecimal() and text.isascii():
        return _timestamp_of_number(int(text)) if 9 <= len(text) <= 16 else None
    try:
        return _plausible(datetime.fromisoformat(text))
    except ValueError:
        pass
    for pattern in _timestamp_patterns():
        match = pattern.search(text)
        if match is not None:
            return _timestamp_of_match(match)
    return None


def _timestamp_of_number(value: float) -> datetime | None:
    if not 0 < value < 1e17:  # also false for NaN and infinities
        return None
    seconds = float(value)
    if seconds > _MICROS:
        seconds /= 1e6
    elif seconds > _MILLIS:
        seconds /= 1e3
    return _plausible(datetime.fromtimestamp(seconds, UTC))


def _timestamp_of_match(match: re.Match[str]) -> datetime | None:
    parts = match.groupdict()
    month = parts["month"]
    hour = int(parts["hour"] or 0)
    half = (parts["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    try:
        moment = datetime(
            int(parts["year"]),
            int(month) if month.isdecimal() else MONTHS[month[:3].lower()],
            int(parts["day"]),
            hour,
            int(parts["minute"] or 0),
            int(parts["second"] or 0),
            tzinfo=_offset(parts["zone"] or ""),
        )
    except ValueError:
        return None
    return _plausible(moment)


def _offset(text: str) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _plausible(moment: datetime) -> datetime | None:
    """The moment in UTC; None outside the years that transcripts can be from."""
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
