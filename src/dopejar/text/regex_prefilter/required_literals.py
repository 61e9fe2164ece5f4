"""Needles of a regular expression: plain pieces, one of which stands in every text that it can match.

Takes: an expression as our data files write them. Gives: its literals; none where it cannot be told. Never: a literal
that a match could do without.

Looking for a few plain pieces takes a tenth of the time of trying an expression at every place of a text, and most
expressions match few texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Final

Pieces = frozenset[str]
"""Plain pieces, one of which stands in every match."""

_LEAST: Final = 2  # letters; a shorter piece stands in nearly every text, unless it is a sign
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz '")
_MAY_LACK: Final = frozenset("?*{")  # what stands before such a sign need not be there
_CAPITALS: Final = re.compile(r"\[A-Z([^\]]*)\]")
_SPECIAL: Final = frozenset(".^$|([")
_GROUPS: Final = ("(", "(?:")  # others look around, or change how letters are read
_NOTHING: Final[frozenset[str]] = frozenset()


@lru_cache(maxsize=1)
def _items() -> re.Pattern[str]:
    """Parts of an expression: letters that must stand, an escape, a class of signs, what opens a group, how often."""
    return re.compile(
        r"[\w' ]+(?![?*+{])|\\(?:u\w{4}|x\w\w|.)|\[\^?(?:\\.|\])(?:\\.|[^\]\\])*\]|\[\^?(?:\\.|[^\]\\])+\]"
        r"|\((?:\?(?:P?<\w+>|<?[=!]|[\w-]*:|.))?|[?*+][?+]?|\{[^}]*\}[?+]?|.",
        re.DOTALL,
    )


def required(expression: str) -> tuple[Pieces, ...]:
    """Sets of pieces: a text that the expression matches holds one piece of each, as it is written.

    () where nothing is sure. For an expression that ignores case they hold for the text in lower case, where the
    expression is in lower case.
    """
    parts, _ = _read(_items().findall(expression), 0)
    sets = parts[0] if len(parts) == 1 else [_together(parts)]
    return tuple(dict.fromkeys(filter(None, sets)))


def best_literals(expression: str) -> tuple[str, ...]:
    """The most telling of the sets that are `required`; () where nothing is sure."""
    sets = sorted(required(expression), key=telling)
    return tuple(sorted(sets[-1])) if sets else ()


def _read(items: list[str], at: int) -> tuple[list[list[Pieces]], int]:
    """The alternatives that begin at a item, each as the sets it requires; and where they end."""
    parts: list[list[Pieces]] = [[]]
    run = ""
    while at < len(items) and items[at] != ")":
        item, inner = items[at], _NOTHING
        at += 1
        if item[0] == "(":
            within, at = _read(items, at)
            inner, at = _together(within) if item in _GROUPS else _NOTHING, at + 1
        elif item[0] == "[":
            inner = _signs(item)
        sign = items[at][0] if at < len(items) and items[at][0] in "?*+{" else ""
        at += bool(sign)
        plain = _plain(item)
        if plain and sign not in _MAY_LACK:
            run += plain
            if not sign:
                continue
        if _tells(run):
            parts[-1].append(frozenset([run]))
        run = plain if sign == "+" else ""
        if inner and sign not in _MAY_LACK:
            parts[-1].append(inner)
        if item == "|":
            parts.append([])
    if _tells(run):
        parts[-1].append(frozenset([run]))
    return parts, at


def _together(parts: Iterable[list[Pieces]]) -> Pieces:
    """The most telling pieces of all alternatives; none where one alternative has none."""
    best = [max(part, key=telling, default=_NOTHING) for part in parts]
    return frozenset(chain.from_iterable(best)) if all(best) else _NOTHING


def telling(pieces: Pieces) -> tuple[int, int]:
    """How few texts hold one of the pieces: the greater, the fewer."""
    return min(map(len, pieces)), -len(pieces)


def _tells(piece: str) -> bool:
    """Whether few texts hold the piece."""
    return (len(piece) >= _LEAST and not piece.isspace()) or (bool(piece) and piece not in _LETTERS)


def _plain(item: str) -> str:
    """The letters or the sign that a item stands for, or ""."""
    if item[0] == "\\":
        return "" if item[1].isalnum() else item[1]
    return "" if item[0] in _SPECIAL else item


def _signs(item: str) -> Pieces:
    """The signs of a class, where each of them tells."""
    signs = item[1:-1].replace("\\\\", "\\")
    return frozenset(signs) if signs and all(map(_tells, signs)) and not _is_range(signs) else _NOTHING


def _is_range(signs: str) -> bool:
    return signs[0] == "^" or "-" in signs[1:-1]


def alternatives(expression: str) -> list[str]:
    """The alternatives that stand outside every group."""
    cuts, at, depth = [-1], 0, 0
    for item in _items().findall(expression):
        depth += (item[0] == "(") - (item == ")")
        if item == "|" and not depth:
            cuts.append(at)
        at += len(item)
    cuts.append(at)
    return [expression[left + 1 : right] for left, right in pairwise(cuts)]


def may_match(pieces: Sequence[str], text: str) -> bool:
    """Whether an expression with these literals can match the text at all."""
    for piece in pieces:  # a third of what `any` costs, and every statement pays it many times
        if piece in text:
            return True
    return not pieces


@dataclass(frozen=True)
class PrefilteredPattern:
    """An expression with its literals: tried only where one of them stands, compiled when tried. It ignores case."""

    expression: str
    literals: tuple[str, ...]
    flags: int = re.IGNORECASE

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled."""
        return re.compile(self.expression, self.flags)

    def search(self, text: str, low: str) -> re.Match[str] | None:
        """The first match in a text; `low` is the text in lower case."""
        return self.pattern.search(text) if self.may_match(low) else None

    def may_match(self, low: str) -> bool:
        """Whether it can match a text at all, which is given in lower case."""
        return may_match(self.literals, low) or not low.isascii()  # beyond it ignoring case is more than writing small


def possible_matches(many: Sequence[PrefilteredPattern], low: str) -> Iterator[int]:
    """The places of the patterns that may match a text, which is given in lower case."""
    is_plain = low.isascii()
    for place, one in enumerate(many):
        pieces = one.literals
        for piece in pieces:  # as `may_match` does: a call for each of a hundred is what costs
            if piece in low:
                break
        else:
            if pieces and is_plain:
                continue
        yield place


def prefilter_pattern(expression: str) -> PrefilteredPattern:
    """An expression to be searched for; within it `[A-Z...]` still means a capital letter."""
    cased = _CAPITALS.sub(r"(?-i:[A-Z\1])", expression)
    return PrefilteredPattern(cased, tuple(one.lower() for one in best_literals(cased)))
