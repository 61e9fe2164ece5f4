"""Quantities: numbers with what they count, to distinguish another amount of one thing from an amount of another.

Takes: a text. Gives: quantities with the words around them. Never: a number without its context.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.text.dates import DATE
from dopejar.text.measures import read_date, read_measure
from dopejar.text.text_values import extract_values, has_digit
from dopejar.text.words import query_terms, stem

_ALIKE: Final = 0.5  # of the words of the shorter text stand in the other
_NUMBER: Final = re.compile(
    r"(?:(?<![\w.-])|(?<=[\u3400-\u9fff]))"
    r"(?P<money>[$€£])?(?P<number>\d[\d,]*(?:\.\d+)?)(?P<percent>\s?%)?(?P<follow>(?:[/ -]+[A-Za-z]+){0,4})"
)
_DATE: Final = re.compile(rf"\b{DATE}\b", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b", re.IGNORECASE)
_DUE: Final = re.compile(
    r"\b(deadline|due|release|sprint|meeting|session|interview|launch|submission|milestone|appointment|exam|"
    r"call|freeze|review|workshop|draft)\b",
    re.IGNORECASE,
)
_SKIP_WORDS: Final = "and or to of in on at for with by from the a an i my so is are was per"
_SKIP: Final = frozenset(_SKIP_WORDS.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """An amount: its kind, what it counts (stems of the words after it), its value."""

    kind: str  # "date", "time", "money", "share", "count", or a dimension such as "duration"
    units: frozenset[str]
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Two different amounts of one thing. `strength` is 2 where what they count agrees, 1 where it is not known."""

    earlier: Quantity
    later: Quantity
    strength: int


def quantities(text: str) -> tuple[Quantity, ...]:
    """The amounts of a text in order: dates with what is due, times of day, money, shares, counts with units."""
    if not any(char.isdigit() for char in text):
        return ()
    amounts: list[Quantity] = []
    rest = text
    due = frozenset(stem(word) for word in _DUE.findall(text))
    for match in _DATE.finditer(text):
        date = read_date(match.group(0))
        if date:
            amounts.append(Quantity(kind="date", units=due, value=date[1][-5:]))
        rest = rest.replace(match.group(0), " ", 1)
    amounts += [Quantity(kind="time", units=due, value=_clock(match)) for match in _CLOCK.finditer(rest)]
    rest = _CLOCK.sub(" ", rest)
    amounts += [amount for match in _NUMBER.finditer(rest) if (amount := _amount(match))]
    return tuple(amounts)


def _clock(match: re.Match[str]) -> str:
    hour, minute, half = match.group(1) or match.group(4), match.group(2) or match.group(5) or "00", match.group(3)
    late = half is not None and half.casefold() == "p" and int(hour) < 12
    return f"{int(hour) + (12 if late else 0):02d}:{minute}"


def _amount(match: re.Match[str]) -> Quantity | None:
    number = match.group("number").replace(",", "").rstrip(".")
    follow = [word.casefold() for word in re.findall(r"[A-Za-z]+", match.group("follow"))]
    units = frozenset(stem(word) for word in follow if word not in _SKIP)
    if match.group("money"):
        return Quantity(kind="money", units=units, value=number)
    if match.group("percent"):
        return Quantity(kind="share", units=units, value=number)
    read = read_measure(f"{number} {follow[0]}") if follow else None
    if read:
        return Quantity(kind=read[0], units=frozenset(), value=read[1])
    return Quantity(kind="count", units=units, value=number)


def first_difference(
    earlier: Sequence[Quantity], later: Sequence[Quantity], terms: frozenset[str] = frozenset()
) -> Difference | None:
    """The first amounts of one kind that count the same and differ, where no amount of that kind agrees.

    `terms` are the later statement's words: an amount without a unit counts what they name.
    """
    for mine in later:
        peers = [other for other in earlier if other.kind == mine.kind and _same_units(other, mine)]
        if peers and all(other.value != mine.value for other in peers):
            nearest = max(peers, key=lambda other: len(other.units & (mine.units or terms)))
            telling = bool(nearest.units & (mine.units or terms)) or mine.kind in ("duration", "size")
            return Difference(earlier=nearest, later=mine, strength=2 if telling else 1)
    return None


def _same_units(one: Quantity, other: Quantity) -> bool:
    return bool(one.units & other.units) or not one.units or not other.units


def has_other_figures(earlier: str, later: str) -> bool:
    """Whether the later text says about the same with as many figures, of which none stays: another schedule."""
    known, said = (frozenset(filter(has_digit, extract_values(text))) for text in (earlier, later))
    if not known or len(known) != len(said) or known & said:
        return False
    before, after = (frozenset(term for term in query_terms(text) if not has_digit(term)) for text in (earlier, later))
    return len(before & after) >= _ALIKE * min(len(before), len(after))
