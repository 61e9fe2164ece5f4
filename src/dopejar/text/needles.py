"""Needles of a regular expression: plain pieces, one of which stands in every text that it can match.

Takes: an expression as our data files write them. Gives: its needles; none where it cannot be told. Never: a needle
that a match could do without.

Looking for a few plain pieces takes a tenth of the time of trying an expression at every place of a text, and most
expressions match few texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

_LEAST: Final = 2  # letters; a shorter piece stands in nearly every text, unless it is a sign
_MOST: Final = 120  # more of them cost more than they save
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz '")
_MAY_LACK: Final = ("?", "*", "{")  # what stands before such a sign need not be there
_CAPITALS: Final = re.compile(r"\[A-Z([^\]]*)\]")
_LOOKS_AROUND: Final = ("?=", "?!", "?<")


def needles(expression: str) -> tuple[str, ...]:
    """Pieces one of which stands in every text that the expression matches, as it is written; () where none is sure.

    For an expression that ignores case they hold for the text in lower case, where the expression is in lower case.
    """
    found = _needed(expression)
    return _fewest(found) if found and len(found) <= _MOST else ()


def _needed(expression: str) -> frozenset[str]:
    """The pieces of all alternatives together; none where one alternative has none."""
    parts = [_best(_required(part)) for part in alternatives(expression)]
    return frozenset().union(*parts) if all(parts) else frozenset()


def _best(candidates: Iterator[frozenset[str]]) -> frozenset[str]:
    """Of several sets that would each do, the one whose shortest piece is longest."""
    return max(candidates, key=lambda pieces: (min(map(len, pieces)), -len(pieces)), default=frozenset())


def _required(sequence: str) -> Iterator[frozenset[str]]:
    """For each part of a sequence that must be matched, the pieces one of which it holds."""
    run = ""
    for item, sign in _items(sequence):
        letter = _letter(item)
        if letter and sign not in _MAY_LACK:
            run += letter
            if not sign:
                continue
        if _tells(run):
            yield frozenset([run])
        run = letter if sign == "+" else ""
        if not letter and sign not in _MAY_LACK and (inner := _inside(item)):
            yield inner
    if _tells(run):
        yield frozenset([run])


def _tells(piece: str) -> bool:
    """Whether few texts hold the piece."""
    return len(piece) >= _LEAST or (bool(piece) and piece not in _LETTERS)


def _letter(item: str) -> str:
    """The one letter or sign that an item stands for, or ""."""
    if len(item) == 2 and item[0] == "\\" and not item[1].isalnum():
        return item[1]
    return item if len(item) == 1 and item not in ".^$" else ""


def _inside(item: str) -> frozenset[str]:
    """The pieces of a group or of a class of signs."""
    if item[0] == "(":
        return _needed(_within(item))
    signs = item[1:-1].replace("\\\\", "\\") if item[0] == "[" else ""
    return frozenset(signs) if signs and all(map(_tells, signs)) and not _is_range(signs) else frozenset()


def _is_range(signs: str) -> bool:
    return signs[0] == "^" or "-" in signs[1:-1]


def _within(group: str) -> str:
    """What a group must match; nothing for one that only looks around."""
    body = group[1:-1]
    if body.startswith(_LOOKS_AROUND):
        return ""
    return body.removeprefix("?:") if body.startswith("?:") or not body.startswith("?") else ""


def _items(sequence: str) -> Iterator[tuple[str, str]]:
    """The parts of a sequence, each with the sign behind it that says how often ("" for once)."""
    at = 0
    while at < len(sequence):
        end = _end(sequence, at)
        item = sequence[at:end]
        sign = sequence[end : end + 1]
        sign = sign if sign in ("?", "*", "+", "{") else ""
        yield item, sign
        at = end
        if sign:
            at = sequence.index("}", end) + 1 if sign == "{" else end + 1
            at += sequence[at : at + 1] in ("?", "+")


def _end(expression: str, at: int) -> int:
    """Where the part that begins here ends: one letter, an escape, a class or a group."""
    if expression[at] == "\\":
        return at + 2
    if expression[at] == "[":
        end = at + 2 if expression[at + 1] not in "^\\" else at + 1 + (expression[at + 1] == "^")
        while expression[end] != "]" or end == at + 1 + (expression[at + 1] == "^"):
            end += 2 if expression[end] == "\\" else 1
        return end + 1
    if expression[at] != "(":
        return at + 1
    end = at + 1
    while expression[end] != ")":
        end = _end(expression, end)
    return end + 1


def alternatives(expression: str) -> list[str]:
    """The alternatives that stand outside every group."""
    cuts, at = [-1], 0
    while at < len(expression):
        if expression[at] == "|":
            cuts.append(at)
        at = _end(expression, at)
    cuts.append(len(expression))
    return [expression[left + 1 : right] for left, right in pairwise(cuts)]


def _fewest(found: frozenset[str]) -> tuple[str, ...]:
    """Without the pieces that hold another one, the commonest kind first: short."""
    kept: list[str] = []
    for piece in sorted(found, key=lambda one: (len(one), one)):
        if not any(shorter in piece for shorter in kept):
            kept.append(piece)
    return tuple(kept)


def may_match(pieces: Sequence[str], text: str) -> bool:
    """Whether an expression with these needles can match the text at all."""
    return not pieces or any(map(text.__contains__, pieces))


@dataclass(frozen=True)
class Sought:
    """An expression that ignores case, with its needles: tried only where one of them stands, compiled when tried."""

    expression: str
    needles: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled."""
        return re.compile(self.expression, re.IGNORECASE)

    def search(self, text: str, low: str) -> re.Match[str] | None:
        """The first match in a text; `low` is the text in lower case."""
        if may_match(self.needles, low) or not low.isascii():  # beyond ASCII ignoring case is more than writing small
            return self.pattern.search(text)
        return None


def sought(expression: str) -> Sought:
    """An expression to be searched for; within it `[A-Z...]` still means a capital letter."""
    cased = _CAPITALS.sub(r"(?-i:[A-Z\1])", expression)
    return Sought(cased, tuple(one.lower() for one in needles(cased)))
