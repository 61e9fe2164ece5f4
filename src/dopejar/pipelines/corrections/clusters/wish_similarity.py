"""Similarity of wishes: whether two wishes want, or refuse, the same object.

Takes: wishes. Gives: whether two wishes are linked (symmetric, from the two alone). Never: links "use A" with
"use B, not A".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table
from dopejar.pipelines.corrections.exchange import Polarity
from dopejar.pipelines.corrections.wording.memory_text import blames
from dopejar.pipelines.corrections.wording.verbs import plain_verbs
from dopejar.text.lexicons import guess_language, lexicon
from dopejar.text.similarity import similar
from dopejar.text.text_values import extract_values
from dopejar.text.words import index_terms, words

_SAME: Final = 0.6  # Dice overlap of the objects
_WITHIN: Final = 0.8  # of the smaller object in the larger
_LIKE: Final = 0.62  # weighted overlap of the whole wishes
_ECHO: Final = 0.45  # likewise, where the objects of one are a subset of the other's
_FRAME: Final = 2  # words of common prefix and suffix from which the middle is compared
_TURN: Final = re.compile(
    r"(?P<good>.+?)(?:, (?:and )?not | instead of | rather than |; do not |, but rather (?P<swapped>)|"
    r" not through | and not |"
    r", não | em vez d\w | ao invés d\w | en (?:vez|lugar) de | statt | anstatt | au lieu d[e'] ?| plutôt que |"
    r" вместо |, а не | místo |, ne |而不是)(?P<bad>.+)",
    re.IGNORECASE,
)
_NEITHER: Final = re.compile(
    r"^(?:never|do not|avoid)\s+(?P<bad>.+?)(?:, but (?:rather )?(?:use )?|[,;] (?:always |only )?use )(?P<good>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """What a wish wants and what it refuses, as stems of the objects."""

    good: frozenset[str]
    bad: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """The stems of both sides."""
        return self.good | self.bad


@lru_cache(maxsize=8192)
def sides(wish: str, polarity: Polarity) -> Sides:
    """Split a wish into what it wants and what it refuses."""
    for pattern in (_NEITHER, _TURN):
        match = pattern.match(wish)
        if match:
            good, bad = object_stems(match["good"]), object_stems(match["bad"])
            return Sides(good=bad, bad=good) if blames(wish) else Sides(good=good, bad=bad)
    terms = object_stems(wish)
    if polarity is Polarity.AVOID:
        return Sides(good=frozenset(), bad=terms)
    return Sides(good=terms, bad=frozenset())


@lru_cache(maxsize=8192)
def object_stems(text: str) -> frozenset[str]:
    """The stems of the words that name things: no stop words, no verbs of work; without any such, all that are left."""
    content = _content_words(text)
    return _object_terms(content) or _terms(content)


@lru_cache(maxsize=8192)
def _content_words(text: str) -> tuple[str, ...]:
    """The words of a text without stop words, in lower case."""
    stop_words = lexicon(guess_language(text)).dropped_in_queries
    return tuple(word for word in words(text.casefold()) if word not in stop_words)


def _object_terms(content: Sequence[str]) -> frozenset[str]:
    """The stems of those words that name things."""
    return _terms([word for word in content if not _is_work(word) and word not in _manner_words()])


@lru_cache(maxsize=4096)
def _is_work(word: str) -> bool:
    """Whether a word is a verb of work in any of its forms: "edit", "edited", "editing"."""
    return word in plain_verbs() or (word.endswith(("ing", "ed")) and not _verb_stems().isdisjoint(index_terms(word)))


@lru_cache(maxsize=1)
def _verb_stems() -> frozenset[str]:
    return frozenset(term for verb in plain_verbs() for term in index_terms(verb))


def _terms(content: Sequence[str]) -> frozenset[str]:
    synonyms = _synonyms()
    return frozenset(synonyms.get(term, term) for word in content for term in index_terms(word) if len(term) > 1)


@lru_cache(maxsize=1)
def _synonyms() -> Mapping[str, str]:
    """From each stem to the stem that represents its group of synonyms."""
    groups = data_table("likeness").get("same", [])
    synonyms: dict[str, str] = {}
    for group in groups if isinstance(groups, list) else []:
        first = index_terms(str(group[0]))[0]
        synonyms.update({term: first for word in group if " " not in str(word) for term in index_terms(str(word))})
    return synonyms


@lru_cache(maxsize=1)
def _frequent() -> frozenset[str]:
    """Stems that are too frequent to identify an object on their own."""
    rows = data_table("likeness").get("frequent", [])
    return (
        frozenset(term for word in rows for term in index_terms(str(word))) if isinstance(rows, list) else frozenset()
    )


@lru_cache(maxsize=1)
def _manner_words() -> frozenset[str]:
    """Words of manner, which name no object."""
    rows = data_table("likeness").get("empty", [])
    return frozenset(map(str, rows)) if isinstance(rows, list) else frozenset()


def linked(wish: str, polarity: Polarity, other: str, other_polarity: Polarity) -> bool:
    """Whether two wishes say the same. Symmetric; depends on the two alone."""
    a, b = sides(wish, polarity), sides(other, other_polarity)
    if opposed(a, b) or not _is_near(wish, other, a, b):
        return False
    return not (_has_other_value(wish, other) or _has_other_thing(wish, other))


def contradicts(wish: str, polarity: Polarity, other: str, other_polarity: Polarity) -> bool:
    """Whether two wishes cannot both be followed: one refuses what the other wants, or gives another value for it."""
    a, b = sides(wish, polarity), sides(other, other_polarity)
    return opposed(a, b) or (_is_near(wish, other, a, b) and _has_other_value(wish, other))


def _is_near(wish: str, other: str, a: Sides, b: Sides) -> bool:
    """Whether they concern the same objects with the same sign."""
    if _is_same(a.good, b.good):
        return True
    if _is_same(a.bad, b.bad) and not _is_disjoint(a.good, b.good):
        return True
    if bool(a.good) != bool(b.good) and not (a.good & b.all or b.good & a.all):
        return False  # one only wants something, the other only refuses something
    return _is_alike(wish, other, a, b)


def _has_other_value(wish: str, other: str) -> bool:
    """Whether one gives another number, or the opposite: "under 100" and "under 120", "single" and "double quotes"."""
    mine, theirs = _numbers(wish), _numbers(other)
    if mine and theirs and not (mine <= theirs or theirs <= mine):
        return True
    return similar(min(wish, other), max(wish, other)).has_opposites


@lru_cache(maxsize=8192)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(value for value in extract_values(text) if any(letter.isdigit() for letter in value))


def _has_other_thing(wish: str, other: str) -> bool:
    """Whether one names another thing in the same place: "run the tests" and "run the linter before each commit"."""
    here, there = _differing_objects(wish, other)
    return bool(here) and bool(there) and not here & there


def _differing_objects(wish: str, other: str) -> tuple[frozenset[str], frozenset[str]]:
    """What each of two texts names between a common prefix and a common suffix; nothing without these."""
    mine, theirs = _content_words(wish), _content_words(other)
    shorter = min(len(mine), len(theirs))
    first = next((place for place in range(shorter) if mine[place] != theirs[place]), shorter)
    last = next((place for place in range(shorter - first) if mine[-1 - place] != theirs[-1 - place]), shorter - first)
    if first + last < _FRAME:
        return frozenset(), frozenset()
    return _nouns(mine[first : len(mine) - last]), _nouns(theirs[first : len(theirs) - last])


def _nouns(content: Sequence[str]) -> frozenset[str]:
    """As `_object_terms`, without gerunds: another word for an activity makes no other wish."""
    return _object_terms([word for word in content if not word.endswith("ing")])


def _is_alike(wish: str, other: str, a: Sides, b: Sides) -> bool:
    """By the words of the whole wishes."""
    if not a.all & b.all:
        return False  # no object in common; words that nearly every wish has prove nothing
    likeness = similar(min(wish, other), max(wish, other))
    if a.good and b.good and (a.good <= b.good or b.good <= a.good) and likeness.lexical >= _ECHO:
        return True
    if not likeness.same_polarity and not (a.good and b.good):
        return False
    return likeness.same_meaning or likeness.lexical >= _LIKE


def opposed(a: Sides, b: Sides) -> bool:
    """Whether one wants what the other refuses."""
    if a.good & b.good:
        return False
    return any(
        _is_same(wanted, refused) or (wanted and wanted == refused)
        for wanted, refused in ((a.good, b.bad), (b.good, a.bad))
    )


def _is_same(a: frozenset[str], b: frozenset[str]) -> bool:
    shared = len(a & b)
    if not shared:
        return False
    smaller = min(a, b, key=lambda terms: (len(terms), sorted(terms)))
    if len(smaller) == 1:
        return smaller <= a & b and not smaller <= _frequent()
    return shared >= 2 and (2 * shared / (len(a) + len(b)) >= _SAME or shared / min(len(a), len(b)) >= _WITHIN)


def _is_disjoint(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether both are non-empty and share nothing."""
    return bool(a) and bool(b) and not a & b
