"""A prefilter: of many rules over words it tells at once which of them may match a text.

Takes: expressions as our data files write them, then texts. Gives: rules that are tried only on texts whose words hold
what a match needs. Never: passes over a text that an expression matches, unless within encoded data.

A rule matches few texts. One look at each word of a text, remembered for words that return, spares trying most rules at
all; of the others only those alternatives are tried, and compiled, that may match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import or_
from typing import Final

from dopejar.text.regex_prefilter.required_literals import Pieces, required, telling

EVERY: Final = -1
"""All the marks there are: of a text that was not looked at."""

_ANYWAY: Final = 1  # the mark that every text has
_WORDS: Final = 32768  # remembered with their marks
_TEXTS: Final = 256  # a sentence is read by many rules in a row
_LONGEST: Final = 60  # characters; what is longer is hardly said twice
_DATA: Final = 1000  # characters; an ASCII word that is longer is encoded data, about which there are no rules


class RulePrefilter:
    """The marks that words leave on a text. `lower`: expressions are held against the text in lower case."""

    def __init__(self, expressions: Iterable[str], *, lower: bool = False) -> None:
        known: dict[Pieces, int] = {}
        self._needs: dict[str, list[int]] = {}  # of each expression, the most telling mark first
        for one in expressions:
            sets = sorted(required(one), key=telling, reverse=True)
            found = [frozenset(map(str.lower, pieces)) if lower else pieces for pieces in sets]
            self._needs[one] = [known.setdefault(pieces, 2 << len(known)) for pieces in found] or [_ANYWAY]
        self._words = _Words(known)
        self._is_lower = lower
        self.marks = lru_cache(maxsize=_TEXTS)(self._marks)

    def rule(self, expressions: Sequence[str], flags: int = 0) -> RegexRule:
        """The rule of which these expressions of the prefilter are the alternatives."""
        parts = tuple((reduce(or_, self._needs[one]), _Part(one, flags)) for one in expressions)
        return RegexRule(parts, reduce(or_, (self._needs[one][0] for one in expressions), 0))

    def _marks(self, text: str) -> int:
        words = (text.lower() if self._is_lower else text).split()
        return reduce(or_, map(self._words.__getitem__, words), _ANYWAY)


@dataclass(frozen=True)
class _Part:
    """One alternative of a rule, compiled when it is first tried."""

    expression: str
    flags: int

    @cached_property
    def find(self) -> Callable[[str], re.Match[str] | None]:
        """Finds the first place where it stands; what must open a text is tried there alone."""
        pattern = re.compile(self.expression, self.flags)
        opens = self.expression.startswith("^") and not self.flags & re.MULTILINE
        return pattern.match if opens else pattern.search


@dataclass(frozen=True, slots=True)
class RegexRule:
    """Alternatives, each with the marks that a text must have for it; without any of the `hints` none can match."""

    parts: tuple[tuple[int, _Part], ...]
    hints: int

    def is_in(self, text: str, marks: int) -> bool:
        """Whether any of them stands in the text, which has these marks."""
        if marks & self.hints:
            for needs, part in self.parts:
                if marks & needs == needs and part.find(text):
                    return True
        return False

    def first(self, text: str, marks: int) -> re.Match[str] | None:
        """The match that begins first; of several the one that is written first."""
        tried = (part.find(text) for needs, part in self.parts if marks & needs == needs)
        return min(filter(None, tried), key=re.Match.start, default=None) if marks & self.hints else None


class _Words(dict[str, int]):
    """The marks of words that were seen."""

    def __init__(self, known: dict[Pieces, int]) -> None:
        super().__init__()
        self._first = _Letter({}, 0)
        for pieces, mark in known.items():
            for piece in pieces:
                letter = self._first
                for one in max(piece.split(), key=len):  # of a piece of several words the longest is looked for
                    letter = letter.further.setdefault(one, _Letter({}, 0))
                letter.marks |= mark

    def __missing__(self, word: str) -> int:
        if len(word) > _DATA and word.isascii():
            return 0
        found = 0
        for begin in range(len(word)):
            at, letter = begin, self._first.further.get(word[begin])
            while letter is not None:  # at most as long as the longest piece
                found |= letter.marks
                at += 1
                letter = letter.further.get(word[at]) if at < len(word) else None
        if len(word) <= _LONGEST:
            if len(self) >= _WORDS:
                self.clear()
            self[word] = found
        return found


@dataclass(slots=True)
class _Letter:
    """A letter within pieces: the letters that may follow, and the marks of the piece that ends with it."""

    further: dict[str, _Letter]
    marks: int
