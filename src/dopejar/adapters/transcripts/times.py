"""Times as transcripts write them.

Takes: a string or a number from a record. Gives: an aware datetime in UTC, or None. Never: guesses a date.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_LONGEST = 80  # characters; a longer string is text, not a time
_FIRST, _LAST = 1990, 2100  # years a transcript can be from; anything else is a number that only looks like a time
_MILLIS, _MICROS = 1e11, 1e14  # epoch numbers above these count thousandths, or millionths, of a second

_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
_ZONE = r"\s*(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b)?"
_WEEKDAY = r"(?:\s*\([^()\d]{1,12}\))?"
_MONTH = r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        # 2025-10-14 22:25Z, 2025/04/28 (Mon) 14:53, 2025-07-15 11:38:37-0700, 2024-03-15
        rf"(?<!\d)(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?!\d){_WEEKDAY}"
        rf"(?:[T\s,_]+{_CLOCK}{_ZONE})?",
        # 2025-10-14_22-20Z, the way file names spell it
        r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})[_T](?P<hour>\d{2})-(?P<minute>\d{2})"
        r"(?:-(?P<second>\d{2}))?(?P<half>)(?P<zone>Z)?",
        # 1:56 pm on 8 May, 2023
        rf"(?<!\d){_CLOCK}{_ZONE}\s+on\s+(?P<day>\d{{1,2}})\s+{_MONTH},?\s+(?P<year>\d{{4}})",
        # 8 May 2023 13:56
        rf"(?<!\d)(?P<day>\d{{1,2}})\s+{_MONTH},?\s+(?P<year>\d{{4}})(?:[,\s]+(?:at\s+)?{_CLOCK}{_ZONE})?",
        # May 8, 2023, 1:56 PM
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}})(?:[,\s]+(?:at\s+)?{_CLOCK}{_ZONE})?",
        # 11/30/2025, 11:38:19 PM: only with AM or PM is it certain that the month stands first
        r"(?<!\d)(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}),?\s+"
        r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[AaPp]\.?[Mm]\.?)(?P<zone>)",
    )
)
# File names are tried with the second shape first: the first would read their date and drop their time.
_FILE_NAME = _SHAPES[1]


def parse_time(value: object) -> datetime | None:
    """The time that `value` names, in UTC; UTC is assumed where no zone is given. None where it names none.

    Takes ISO 8601, the spellings of the known formats with words around them, and epoch numbers (seconds, milli- or
    microseconds). Times outside 1990 to 2100 are not believed.
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _from_number(value)


def time_in_name(name: str) -> datetime | None:
    """The time in a file's name (`2025-10-14_22-20Z-title.md`), or None."""
    found = _FILE_NAME.search(name[:200])
    return _from_match(found) if found else None


def _from_text(value: str) -> datetime | None:
    if len(value) > _LONGEST:
        return None
    text = value.strip()
    if text.isdecimal() and text.isascii():
        return _from_number(int(text)) if 9 <= len(text) <= 16 else None
    try:
        return _believed(datetime.fromisoformat(text))
    except ValueError:
        pass
    for shape in _SHAPES:
        found = shape.search(text)
        if found is not None:
            return _from_match(found)
    return None


def _from_number(value: float) -> datetime | None:
    if not 0 < value < 1e17:  # also false for NaN and infinities
        return None
    seconds = float(value)
    if seconds > _MICROS:
        seconds /= 1e6
    elif seconds > _MILLIS:
        seconds /= 1e3
    return _believed(datetime.fromtimestamp(seconds, UTC))


def _from_match(found: re.Match[str]) -> datetime | None:
    parts = found.groupdict()
    month = parts["month"]
    hour = int(parts["hour"] or 0)
    half = (parts["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    try:
        moment = datetime(
            int(parts["year"]),
            int(month) if month.isdecimal() else _MONTHS.index(month[:3].lower()) + 1,
            int(parts["day"]),
            hour,
            int(parts["minute"] or 0),
            int(parts["second"] or 0),
            tzinfo=_zone(parts["zone"] or ""),
        )
    except ValueError:
        return None
    return _believed(moment)


def _zone(spelled: str) -> timezone:
    if not spelled or spelled[0] not in "+-":
        return UTC
    digits = spelled[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if spelled[0] == "-" else offset)


def _believed(moment: datetime) -> datetime | None:
    if not _FIRST <= moment.year <= _LAST:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
