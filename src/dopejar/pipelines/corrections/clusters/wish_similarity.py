"""Whether two wishes are one: the same object, wanted or unwanted alike.

Takes: two wishes. Gives: a link or none; symmetric, and of the two alone. Never: joins "use A" with "use B, not A".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from dopejar.pipelines.corrections.cues import Cue, compile_cues, data_table, expand_macros
from dopejar.pipelines.corrections.exchange import CorrectionType, Polarity
from dopejar.pipelines.corrections.wording.verbs import plain_verbs
from dopejar.text.lexicons import guess_language, lexicon
from dopejar.text.similar import similar
from dopejar.text.values_in import values_in
from dopejar.text.words import index_terms, words

Cosine = Callable[[str, str], float | None]

_SAME: Final = 0.6  # Dice overlap of objects
_WITHIN: Final = 0.8  # of the smaller object in the larger
_LIKE: Final = 0.62  # weighted overlap of the whole wishes
_ECHO: Final = 0.45  # likewise, where one object lies in the other
_FRAME: Final = 2  # words that two wishes begin and end with alike, so that the rest is compared
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
    r"^(?:never|do not|avoid)\s+(?P<bad>.+?)(?:, but (?:rather )?(?:use )?|[,;] (?:always |only )?use )(?P<good>.+)",
    re.IGNORECASE,
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
            return Sides(good=object_stems(found["good"]), bad=object_stems(found["bad"]))
    terms = object_stems(wish)
    if polarity is Polarity.AVOID:
        return Sides(good=frozenset(), bad=terms)
    return Sides(good=terms, bad=frozenset())


@lru_cache(maxsize=8192)
def object_stems(text: str) -> frozenset[str]:
    """The stems of the words that name things: no stop words, no verbs of work; all that is left if nothing else is."""
    spoken = _spoken(text)
    return _named(spoken) or _terms(spoken)


@lru_cache(maxsize=8192)
def _spoken(text: str) -> tuple[str, ...]:
    """The words of a text that are no stop words, in small letters."""
    book = lexicon(guess_language(text))
    return tuple(word for word in words(text.casefold()) if word not in book.dropped_in_queries)


def _named(spoken: Sequence[str]) -> frozenset[str]:
    """The stems of those words that name things."""
    return _terms([word for word in spoken if word not in plain_verbs() and word not in _empty()])


def _terms(spoken: Sequence[str]) -> frozenset[str]:
    same = _same_things()
    return frozenset(same.get(term, term) for word in spoken for term in index_terms(word) if len(term) > 1)


@lru_cache(maxsize=1)
def _same_things() -> Mapping[str, str]:
    """Stem -> the stem that stands for its group."""
    groups = data_table("likeness").get("same", [])
    found: dict[str, str] = {}
    for group in groups if isinstance(groups, list) else []:
        first = index_terms(str(group[0]))[0]
        found.update({term: first for word in group if " " not in str(word) for term in index_terms(str(word))})
    return found


@lru_cache(maxsize=1)
def _frequent() -> frozenset[str]:
    """Stems too frequent to name an object alone."""
    found = data_table("likeness").get("frequent", [])
    return (
        frozenset(term for word in found for term in index_terms(str(word))) if isinstance(found, list) else frozenset()
    )


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    """Words of manner that name no object."""
    found = data_table("likeness").get("empty", [])
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


def linked(one: str, pole: Polarity, other: str, other_pole: Polarity, cosine: Cosine | None = None) -> bool:
    """Whether two wishes are the same wish. Symmetric; looks at nothing but the two (and their vectors)."""
    a, b = sides(one, pole), sides(other, other_pole)
    if opposed(a, b) or not _is_near(one, other, a, b, cosine):
        return False
    return not (_has_other_value(one, other) or _has_other_thing(one, other))


def contradicts(one: str, pole: Polarity, other: str, other_pole: Polarity) -> bool:
    """Whether two wishes cannot both be followed: one refuses what the other wants, or names another value for it."""
    a, b = sides(one, pole), sides(other, other_pole)
    return opposed(a, b) or (_is_near(one, other, a, b, None) and _has_other_value(one, other))


def _is_near(one: str, other: str, a: Sides, b: Sides, cosine: Cosine | None) -> bool:
    """Whether they speak of the same matter, wanted alike."""
    if _same(a.good, b.good):
        return True
    if _same(a.bad, b.bad) and not _differ(a.good, b.good):
        return True
    if bool(a.good) != bool(b.good) and not (a.good & b.all or b.good & a.all):
        return False  # one only wants, the other only does not want
    near = cosine(one, other) if cosine else None
    return _alike(one, other, a, b, near)


def _has_other_value(one: str, other: str) -> bool:
    """Whether one names another number, or the opposite: "under 100" and "under 120", "single" and "double quotes"."""
    mine, theirs = _numbers(one), _numbers(other)
    if mine and theirs and not (mine <= theirs or theirs <= mine):
        return True
    return similar(min(one, other), max(one, other)).has_opposites


@lru_cache(maxsize=8192)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(value for value in values_in(text) if any(letter.isdigit() for letter in value))


def _has_other_thing(one: str, other: str) -> bool:
    """Whether one names another thing in the same place: "run the tests" and "run the linter before each commit"."""
    here, there = _swapped(one, other)
    return bool(here) and bool(there) and not here & there


def _swapped(one: str, other: str) -> tuple[frozenset[str], frozenset[str]]:
    """What each of two texts names between their common beginning and their common end; nothing without these."""
    mine, theirs = _spoken(one), _spoken(other)
    shorter = min(len(mine), len(theirs))
    first = next((place for place in range(shorter) if mine[place] != theirs[place]), shorter)
    last = next((place for place in range(shorter - first) if mine[-1 - place] != theirs[-1 - place]), shorter - first)
    if first + last < _FRAME:
        return frozenset(), frozenset()
    return _things(mine[first : len(mine) - last]), _things(theirs[first : len(theirs) - last])


def _things(spoken: Sequence[str]) -> frozenset[str]:
    """As `_named`, without what may be a deed: another word for a deed is no other wish."""
    return _named([word for word in spoken if not word.endswith("ing")])


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """One wish that many words say. `scope` is `universal` or "" where the words decide."""

    name: str
    text: str
    type: CorrectionType
    polarity: Polarity
    scope: str
    said: Cue


@lru_cache(maxsize=1)
def families() -> Mapping[str, Family]:
    """Every family of the data file, in its order."""
    tables = data_table("wishes")
    rows = tables.get("family", {})
    rows = rows if isinstance(rows, dict) else {}
    said = compile_cues({name: expand_macros(row["said"], tables.get("macros")) for name, row in rows.items()})
    found = {}
    for name, row in rows.items():
        found[name] = Family(
            name=name,
            text=row["text"],
            type=CorrectionType(row["type"]),
            polarity=Polarity(row["polarity"]),
            scope=row["scope"],
            said=said[name],
        )
    return MappingProxyType(found)


def family_of(spoken: str) -> Family | None:
    """The first family whose words stand in the text (folded, a sentence a line)."""
    return next((one for one in families().values() if one.said.is_in(spoken)), None)
