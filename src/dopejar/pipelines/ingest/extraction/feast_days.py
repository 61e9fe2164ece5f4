"""The feasts to which a statement limits itself ("in Christmas week only", "just over Easter"), as days.

Takes: a statement and the day on which it was said. Gives: the first day of that time and the one after its last.
Never: dates a habit ("only at Christmas", "every Easter"), or a feast that no rule fixes. English only.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_FEAST: Final = (
    r"(?P<feast>christmas eve|christmas day|boxing day|new year['’]s (?:eve|day)|good friday|easter (?:sun|mon)day"
    r"|christmas|xmas|new year|easter|whitsun|pentecost)(?: (?P<span>week|weekend|holidays?|break|period))?\b(?!['’]s)"
)
_ONLY: Final = re.compile(
    rf"\b(?:only|just) (?:in|on|over|during|for) (?:the |this )?{_FEAST}"
    rf"|\b(?:in|on|over|during|for|at|this) (?:the |this )?{_FEAST.replace('?P<', '?P<then_')} only\b",
    re.IGNORECASE,
)
_FIXED: Final = {  # month and day of the first and the last day
    "christmas eve": ((12, 24), (12, 24)), "christmas day": ((12, 25), (12, 25)), "boxing day": ((12, 26), (12, 26)),
    "new year's eve": ((12, 31), (12, 31)), "new year's day": ((1, 1), (1, 1)),
    "christmas": ((12, 24), (12, 31)), "xmas": ((12, 24), (12, 31)), "new year": ((1, 1), (1, 1)),
}  # fmt: skip
_FROM_EASTER: Final = {  # days from Easter Sunday to the first and the last day
    "good friday": (-2, -2), "easter sunday": (0, 0), "easter monday": (1, 1), "easter": (-2, 1),
    "whitsun": (48, 50), "pentecost": (48, 50),
}  # fmt: skip
_HOLIDAYS: Final = timedelta(days=14)  # schools close for about as long


def feast_window(text: str, today: date) -> tuple[date, date] | None:
    """The days of the next feast to which alone the statement is limited; None without any."""
    found = _ONLY.search(text)
    if found is None:
        return None
    name = (found["feast"] or found["then_feast"]).casefold().replace("’", "'")
    span = (found["span"] or found["then_span"] or "").casefold()
    years = (_days(name, span, today.year + ahead) for ahead in (0, 1))
    return next((days for days in years if days[1] > today), None)


def _days(name: str, span: str, year: int) -> tuple[date, date]:
    if name in _FIXED:
        first, last = (date(year, *day) for day in _FIXED[name])
    else:
        first, last = (_easter(year) + timedelta(days=days) for days in _FROM_EASTER[name])
    if span.startswith("holiday"):
        first, last = min(first, last - _HOLIDAYS), last + _HOLIDAYS
    elif span == "week":
        feast = last if name in _FROM_EASTER else date(year, *_FIXED["christmas day" if "mas" in name else name][0])
        first = feast - timedelta(days=feast.weekday())
        last = first + timedelta(days=6)
    return first, last + timedelta(days=1)


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, as Butcher's rule finds it."""
    century, rest = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    day = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * day) // 451
    month, of_month = divmod(moon + day - 7 * late + 114, 31)
    return date(year, month, of_month + 1)
