"""Measures and dates as values: 2 weeks is 14 days, 64 GB is 65,536 MB, 12 May is 05-12.

Takes: a phrase. Gives: (dimension, normalised value), or None. Never: guesses an unknown unit.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.dates import DATE, date_parts
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.number_words import NUMBER_WORDS

_WORDS: Final = {"half a": 0.5, **NUMBER_WORDS}
_TIME: Final = {
    "ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600,
    "hr": 3600, "hour": 3600, "day": 86400, "week": 604800, "month": 2592000, "quarter": 7776000, "year": 31536000,
}  # fmt: skip
_SIZE: Final = {
    "kb": 1, "kib": 1, "mb": 1024, "mib": 1024, "gb": 1048576, "gib": 1048576, "tb": 1073741824, "tib": 1073741824,
}  # fmt: skip
_DATE: Final = lazy_pattern(DATE, re.IGNORECASE)
_QUANTITY: Final = lazy_pattern(
    rf"^(?P<number>[$€£]?\d[\d.,]*|{'|'.join(sorted(_WORDS, key=len, reverse=True))})[\s-]*(?P<unit>%|"
    rf"[a-zµ]+\b)(?:[\s-]*(?:long|old|each|per \w+|of \w+))?",
    re.IGNORECASE,
)


def read_date(phrase: str) -> tuple[str, str] | None:
    """Read a date at the beginning of the phrase, as ("date", "2025-05-12" or "05-12")."""
    match = _DATE.match(phrase.strip())
    if not match:
        return None
    year, month, day = date_parts(match[0])
    return "date", f"{year:04d}-{month:02d}-{day:02d}" if year is not None else f"{month:02d}-{day:02d}"


def rest_of(phrase: str) -> str:
    """The rest of the phrase after a date or quantity at its beginning; the whole phrase where there is none."""
    match = _DATE.match(phrase) or _QUANTITY.match(phrase)
    return phrase[match.end() :] if match else phrase


def read_measure(phrase: str) -> tuple[str, str] | None:
    """Read a quantity at the beginning of the phrase, in base units: ("duration", "30s"), ("size", "1024kb")."""
    match = _QUANTITY.match(phrase.strip())
    if not match:
        return None
    raw = match.group("number").casefold()
    number = _WORDS[raw] if raw in _WORDS else _number(raw)
    unit = match.group("unit").casefold()
    if number is None:
        return None
    return _in_base_units(number, unit)


def _number(raw: str) -> float | None:
    try:
        return float(raw.lstrip("$€£").replace(",", "").rstrip("."))
    except ValueError:
        return None


def _in_base_units(number: float, unit: str) -> tuple[str, str] | None:
    single = unit if unit in _TIME or unit in _SIZE else unit.rstrip("s")
    if single in _TIME:
        return "duration", f"{number * _TIME[single]:.10g}s"
    if single in _SIZE:
        return "size", f"{number * _SIZE[single]:.10g}kb"
    if unit == "%":
        return "share", f"{number:g}%"
    return None
