"""Dates as people write them.

Takes: `2026-03-15`, `2026-03-15T18:00`, with or without an offset. Gives: an aware time. Never: guesses another form.
"""

from __future__ import annotations

from datetime import date, datetime, time

from dopejar.errors import InputError


def parse(text: str, option: str) -> datetime | None:
    """The time that is meant: the machine's time zone without an offset, the end of the day without a time.

    Empty text is None. Raises InputError, which names the option.
    """
    words = text.strip()
    if not words:
        return None
    try:
        if len(words) <= len("2026-03-15"):
            return datetime.combine(date.fromisoformat(words), time(23, 59, 59, 999999)).astimezone()
        found = datetime.fromisoformat(words.replace(" ", "T", 1))
    except ValueError:
        raise InputError(
            f"{option} takes a date such as 2026-03-15, 2026-03-15T18:00 or 2026-03-15T18:00+01:00, not {text!r}."
        ) from None
    return found if found.tzinfo else found.astimezone()
