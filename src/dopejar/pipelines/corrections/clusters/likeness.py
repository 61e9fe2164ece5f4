"""Whether two wishes are one: the same object, wanted or unwanted alike.

Takes: two wishes. Gives: a link or none; symmetric, and of the two alone. Never: joins "use A" with "use B, not A".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.cues import table
from dopejar.pipelines.corrections.exchange import Polarity
from dopejar.pipelines.corrections.wording.verbs import plain_verbs
from dopejar.text.lexicons import guess_language, lexicon
from dopejar.text.similar import similar
from dopejar.text.words import index_terms, words

Cosine = Callable[[str, str], float | None]

_SAME: Final = 0.6  # Dice overlap of objects
_WITHIN: Final = 0.8  # of the smaller object in the larger
_LIKE: Final = 0.62  # weighted overlap of the whole wishes
_ECHO: Final = 0.45  # likewise, where one object lies in the other
_CLOSE: Final = 0.72  # cosine of the whole wishes, where there are vectors
_TURN: Final = re.compile(
    r"(?P<good>.+?)(?:, (?:and )?not | instead of | rather than |; do not |, but rather (?P<swapped>)|"
    r" not through | and not |"
    r", não | em vez d\w | ao invés d\w | en (?:vez|lugar) de | statt | anstatt | au lieu d[e'] ?| plutôt que |"
    r" вместо |, а не | místo |, ne |而不是)(?P<bad>.+)",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"^(?:instead of|rather than|em vez de|ao invés de|en vez de|statt|anstatt|au lieu de|вместо|"
    r"místo)\s+(?P<bad>[^,]+),\s*"
    r"(?P<good>.+)",
    re.IGNORECASE,
)
_NEITHER: Final = re.compile(
    r"^(?:never|do not|avoid)\s+(?P<bad>.+?), but (?:rather )?(?:use )?(?P<good>.+)", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """What a wish wants and what it does not want, as stems of their objects."""

    good: frozenset[str]
    bad: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Both together."""
        return self.good | self.bad


@lru_cache(maxsize=8192)
def sides(wish: str, polarity: Polarity) -> Sides:
    """Take a wish apart."""
    for pattern in (_BEFORE, _NEITHER, _TURN):
        found = pattern.match(wish)
        if found:
            return Sides(good=objects(found["good"]), bad=objects(found["bad"]))
    terms = objects(wish)
    if polarity is Polarity.AVOID:
        return Sides(good=frozenset(), bad=terms)
    return Sides(good=terms, bad=frozenset())


@lru_cache(maxsize=8192)
def objects(text: str) -> frozenset[str]:
    """The stems of the words that name things: no stop words, no verbs of work; all that is left if nothing else is."""
    book = lexicon(guess_language(text))
    spoken = [word for word in words(text) if word.casefold() not in book.dropped_in_queries]
    named = [word for word in spoken if word.casefold() not in plain_verbs() and word.casefold() not in _empty()]
    same = _same_things()
    return frozenset(same.get(term, term) for word in (named or spoken) for term in index_terms(word) if len(term) > 1)


@lru_cache(maxsize=1)
def _same_things() -> Mapping[str, str]:
    """Stem -> the stem that stands for its group."""
    groups = table("likeness").get("same", [])
    found: dict[str, str] = {}
    for group in groups if isinstance(groups, list) else []:
        first = index_terms(str(group[0]))[0]
        found.update({term: first for word in group if " " not in str(word) for term in index_terms(str(word))})
    return found


@lru_cache(maxsize=1)
def _frequent() -> frozenset[str]:
    """Stems too frequent to name an object alone."""
    found = table("likeness").get("frequent", [])
    return (
        frozenset(term for word in found for term in index_terms(str(word))) if isinstance(found, list) else frozenset()
    )


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    """Words of manner that name no object."""
    found = table("likeness").get("empty", [])
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


def linked(one: str, pole: Polarity, other: str, other_pole: Polarity, cosine: Cosine | None = None) -> bool:
    """Whether two wishes are the same wish. Symmetric; looks at nothing but the two (and their vectors)."""
    a, b = sides(one, pole), sides(other, other_pole)
    if opposed(a, b):
        return False
    if _same(a.good, b.good):
        return True
    if _same(a.bad, b.bad) and not _differ(a.good, b.good):
        return True
    if bool(a.good) != bool(b.good) and not (a.good & b.all or b.good & a.all):
        return False  # one only wants, the other only does not want
    near = cosine(one, other) if cosine else None
    return _alike(one, other, a, b, near)


def _alike(one: str, other: str, a: Sides, b: Sides, near: float | None) -> bool:
    """By the words of the whole wishes, and their vectors where there are any."""
    if near is None and not a.all & b.all:
        return False  # nothing named in both; words of nearly every wish do not make two of them one
    found = similar(min(one, other), max(one, other), near)
    if a.good and b.good and (a.good <= b.good or b.good <= a.good) and found.lexical >= _ECHO:
        return True
    if not found.same_polarity and not (a.good and b.good):
        return False
    return (
        found.same_meaning or found.lexical >= _LIKE or (near is not None and near >= _CLOSE and found.lexical >= 0.3)
    )


def opposed(a: Sides, b: Sides) -> bool:
    """Whether what one wants is what the other does not want."""
    if a.good & b.good:
        return False
    return any(
        _same(wanted, refused) or (wanted and wanted == refused)
        for wanted, refused in ((a.good, b.bad), (b.good, a.bad))
    )


def _same(a: frozenset[str], b: frozenset[str]) -> bool:
    shared = len(a & b)
    if not shared:
        return False
    smaller = min(a, b, key=lambda one: (len(one), sorted(one)))
    if len(smaller) == 1:
        return smaller <= a & b and not smaller <= _frequent()
    return shared >= 2 and (2 * shared / (len(a) + len(b)) >= _SAME or shared / min(len(a), len(b)) >= _WITHIN)


def _differ(a: frozenset[str], b: frozenset[str]) -> bool:
    """Both say something, and nothing of it is shared."""
    return bool(a) and bool(b) and not a & b
