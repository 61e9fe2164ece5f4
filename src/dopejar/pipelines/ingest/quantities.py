"""Numbers with what they count, to tell another amount of the same thing from an amount of something else.

Takes: a text. Gives: quantities with unit and neighbouring words. Never: a number without its context.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.pipelines.ingest.measures import measure, read_date
from dopejar.text.words import stem

_NUMBER: Final = re.compile(
    r"(?P<money>[$€£])?(?P<number>\d[\d,]*(?:\.\d+)?)(?P<percent>\s?%)?(?:[/ -]+(?P<unit>[A-Za-z]+))?(?:[/ -]+(?:per |a )?(?P<next>[A-Za-z]+))?"
)
_MONTH: Final = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DATE: Final = re.compile(rf"\b(?:\d{{4}}-\d\d-\d\d|{_MONTH} \d{{1,2}}(?:,? \d{{4}})?|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?)\b", re.IGNORECASE)
_DUE: Final = re.compile(r"\b(deadline|due|release|sprint|meeting|session|interview|launch|submission|milestone|appointment|exam)\b", re.IGNORECASE)
_SKIP: Final = frozenset("and or to of in on at for with by from the a an i my so is are was".split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """An amount: kind and unit say what is counted, `value` how much."""

    kind: str  # "date", "money", "share", "count"
    unit: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Two amounts of one thing that differ. `strength` 2 where the unit is telling, 1 where it is common."""

    earlier: Quantity
    later: Quantity
    strength: int


def quantities(text: str) -> tuple[Quantity, ...]:
    """The amounts of a text in order: dates with what falls on them, money, shares, counts with their units."""
    found: list[Quantity] = []
    rest = text
    for match in _DATE.finditer(text):
        date = read_date(match.group(0))
        due = [word.casefold() for word in _DUE.findall(text)]
        if date:
            found.append(Quantity(kind="date", unit=due[-1] if due else "", value=date[1]))
        rest = rest.replace(match.group(0), " ", 1)
    found += [amount for match in _NUMBER.finditer(rest) if (amount := _amount(match))]
    return tuple(found)


def _amount(match: re.Match[str]) -> Quantity | None:
    number = match.group("number").replace(",", "").rstrip(".")
    unit = (match.group("unit") or "").casefold()
    unit = "" if unit in _SKIP else stem(unit)
    if match.group("money"):
        return Quantity(kind="money", unit="", value=number)
    if match.group("percent"):
        return Quantity(kind="share", unit="", value=number)
    read = measure(f"{number} {match.group('unit') or ''}")
    if read:
        return Quantity(kind=read[0], unit="", value=read[1])
    return Quantity(kind="count", unit=unit, value=number) if unit else None


def differing(earlier: Sequence[Quantity], later: Sequence[Quantity]) -> Difference | None:
    """The first amounts of one kind and unit that differ, where none of that kind agrees."""
    for mine in later:
        peers = [other for other in earlier if other.kind == mine.kind and (other.unit == mine.unit)]
        if peers and all(other.value != mine.value for other in peers):
            telling = bool(mine.unit) or mine.kind in ("money", "share", "duration", "size")
            return Difference(earlier=peers[-1], later=mine, strength=2 if telling else 1)
    return None
