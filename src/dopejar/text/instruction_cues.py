"""Whether a text gives instructions to the assistant that reads it: the one reader for the write gate and for recall.

Takes: texts of tools, the web and other people, in eight languages. Gives: yes or no. Never: an answer by one everyday
word; cues are weighed together, and only those that stand near each other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.text.regex_prefilter.required_literals import alternatives
from dopejar.text.regex_prefilter.rule_filter import Sieve

_ENOUGH: Final = 2  # points: one heavy cue, or light ones of two kinds
_NEAR: Final = 240  # characters between the first and the last cue that are weighed together
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_SPACED_OUT: Final = re.compile(
    r"(?:(?<= )|^)[^\s](?: {1,4}[^\s]){8,}(?!\S)", re.MULTILINE
)  # letters with spaces between
_WORD_GAP: Final = re.compile(r" {2,}")
_DIGIT_WORD: Final = re.compile(r"\b(?=\w*[a-z])(?=\w*\d)[a-z0-9]{3,16}\b")
_DIGIT_IN_WORD: Final = re.compile("[a-z][013457][a-z]")
_FEWEST_DIGITS: Final = 3
_LETTER_OF_DIGIT: Final = str.maketrans("013457", "oieast")


@dataclass(frozen=True)
class _Cue:
    """One expression of a kind of cue. A text without all of the marks that it `needs` does not match it."""

    kind: str
    weight: int
    needs: int
    expression: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when it is first tried: most never are."""
        return re.compile(self.expression)


@dataclass(frozen=True)
class _Cues:
    """All cues, and the sieve that tells which of them a text may match."""

    sieve: Sieve
    alone: tuple[_Cue, ...]  # each of them is enough
    together: tuple[_Cue, ...]


def is_instruction_like(text: str) -> bool:
    """Whether a text holds instructions to the assistant that reads it, or to its memory.

    Spaces between letters, digits in place of letters and invisible characters hide nothing. Meant for text whose
    author does not direct the work; it errs on the side of yes.
    """
    return any(map(_is_instruction, _readings(text)))


def _readings(text: str) -> Iterator[str]:
    """The folded text, and what it says where its letters are spaced out or written as digits."""
    plain = fold(_INVISIBLE.sub("", text))
    yield plain
    if _SPACED_OUT.search(plain):
        yield _SPACED_OUT.sub(lambda run: _WORD_GAP.sub("\0", run.group()).replace(" ", "").replace("\0", " "), plain)
    if len(_DIGIT_IN_WORD.findall(plain)) >= _FEWEST_DIGITS:
        yield _DIGIT_WORD.sub(lambda word: word.group().translate(_LETTER_OF_DIGIT), plain)


def _is_instruction(text: str) -> bool:
    """Whether a cue that is enough alone stands in the text, or cues of two kinds near each other."""
    cues = _cues()
    marks = cues.sieve.marks.__wrapped__(text)
    if any(marks & cue.needs == cue.needs and cue.pattern.search(text) for cue in cues.alone):
        return True
    possible = [cue for cue in cues.together if marks & cue.needs == cue.needs]
    if len({cue.kind for cue in possible}) < _ENOUGH:
        return False
    found = sorted((match.start(), cue.kind) for cue in possible for match in cue.pattern.finditer(text))
    return any(place - before <= _NEAR and kind != other for (before, other), (place, kind) in pairwise(found))


@lru_cache(maxsize=1)
def _cues() -> _Cues:
    """The cues of the data file, read at their first use."""
    text = files("dopejar.text").joinpath("data/instruction_cues.toml").read_text(encoding="utf-8")
    rows = [
        (kind, table["weight"], expression)
        for kind, table in tomllib.loads(text).items()
        for pattern in table["patterns"]
        for expression in alternatives(pattern)
    ]
    sieve = Sieve((expression for _, _, expression in rows), lower=True)
    cues = [_Cue(kind, weight, sieve.rule([expression]).parts[0][0], expression) for kind, weight, expression in rows]
    return _Cues(
        sieve=sieve,
        alone=tuple(cue for cue in cues if cue.weight >= _ENOUGH),
        together=tuple(cue for cue in cues if cue.weight < _ENOUGH),
    )
