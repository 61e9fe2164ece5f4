"""Values as hosts give them: members of enumerations by their names, times as ISO texts.

Takes: what a host gave. Gives: the value that is meant; what is neither text nor such a value stays as it is, and is
refused where arguments are checked. Never: guesses a name or a time zone.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TypeVar, overload

from dopejar.errors import InputError

Name = TypeVar("Name", bound=StrEnum)
Given = TypeVar("Given")


def member_named(kind: type[Name], what: str, value: Given) -> Given | Name:
    """The member that a text names. Raises InputError where there is no such member."""
    if not isinstance(value, str) or isinstance(value, kind):
        return value
    try:
        return kind(value)
    except ValueError:
        raise InputError(f"{what} is one of {', '.join(kind)}, not {value[:60]!r}.") from None


@overload
def parse_aware(given: datetime | str, what: str) -> datetime: ...


@overload
def parse_aware(given: datetime | str | None, what: str) -> datetime | None: ...


def parse_aware(given: datetime | str | None, what: str) -> datetime | None:
    """The time that an ISO text names. Raises InputError where it names none, or has no time zone."""
    if not isinstance(given, str):
        return given
    try:
        moment = datetime.fromisoformat(given.strip())
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputError(f"{what} is a time with its time zone, as 2026-03-15T09:30:00Z, not {given[:60]!r}.")
    return moment
