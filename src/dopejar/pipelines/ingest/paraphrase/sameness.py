"""Whether two statements say one thing in other words: the decision behind "ten wordings are one record".

Takes: a statement, the wordings of what is known, and how near in meaning they are where that is known. Gives: a
`Sameness` with its reason; nothing else is asked, so it fits a review of near duplicates as well as telling. Never: by
words alone, calls two statements the same that differ in person, polarity, number, name, weekday, time or in one word
of the same frame.

Where their cosines are known, `semantic_traits` weighs them with all other traits. By words alone the order of decision
is:

1. What forbids it: another person or another of two things that exclude each other (`rivals`), numbers or names that
   the other side does not have, values of one family that differ, a past against a present, an opposite polarity.
2. A minimal pair forbids it: the same frame with one stretch of words exchanged ("tests run before you push",
   "... before you merge"), unless the exchanged words name one relation (`kindred`: "lives", "is based").
3. The rest is weighed: the words that each side has besides; words that only name a relation weigh less than others.

Weights and thresholds come from the open sets in `training/data`, never from the held-out one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.paraphrase.lexical_traits import (
    OWNERS,
    is_minimal_pair,
    is_opposed,
    kin,
    other_kind,
    shared_values,
    unexplained,
)
from dopejar.pipelines.ingest.paraphrase.numbers_and_names import number_met, numbers_in
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness, contradiction, is_brief, weighed
from dopejar.pipelines.ingest.paraphrase.statement_features import Said, lists, name_met, said_in
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import content_hash
from dopejar.text.similarity import similar

# Logistic regression over the development wordings and the near misses; see `_Overlap` for what they weigh:
# anchored, shared, my things, my relations, their things, their relations, and the intercept.
WEIGHTS: Final = (-0.31, 0.22, -0.69, -0.36, -0.71, -0.41, 2.28)
MOST_OF_THEM: Final = 0.5  # of the wordings of a record, each alone
SAME: Final = 0.35  # of the probability, where meaning tells; see `meaning`
SURE: Final = 0.7  # of it, where something speaks against
SAME_WITHOUT_VECTORS: Final = 0.76
MOST: Final = 4
_MOST_WORDINGS: Final = 16
_FAR: Final = Nearness(-1.0, -1.0)
_WEEKDAYS: Final = 5
_ABOUT_ONE_THING: Final = 0.55  # cosine


@dataclass(frozen=True, kw_only=True, slots=True)
class Sameness:
    """Whether two statements say one thing, how near they are from 0 to 1, and why."""

    same: bool
    score: float
    why: str


def same_statement(told: str, known: Sequence[str], nearness: Sequence[Nearness | None] = ()) -> Sameness:
    """Whether `told` says what the `known` wordings of one record say, all of one namespace, scope and owner.

    The `nearness` in meaning stands beside the wordings, in their order; where all are missing or None, words decide.
    """
    wordings, beside = _nearest(known, nearness)
    by_words = all(one is None for one in beside)
    if by_words and _other_number(numbers_in(told), [numbers_in(one) for one in wordings]):
        return Sameness(same=False, score=0.0, why="another number")  # as most are: no more need be read
    hashed = content_hash(told)
    if any(content_hash(one) == hashed for one in wordings):
        return Sameness(same=True, score=1.0, why="the same words")
    language = guess_language(" ".join([told, *wordings[:2]]))  # together they tell it better than alone
    mine = said_in(told, language)
    theirs = [said_in(one, language) for one in wordings]
    if not by_words:
        return _by_meaning(mine, theirs, beside)
    forbids = _forbidden(mine, theirs)
    if forbids:
        return Sameness(same=False, score=0.0, why=forbids)
    found = [_weighed(mine, one, theirs) for one in theirs]
    nothing = Sameness(same=False, score=0.0, why="nothing known")
    return max(found, key=lambda one: (one.same, one.score), default=nothing)


def _nearest(known: Sequence[str], nearness: Sequence[Nearness | None]) -> tuple[list[str], list[Nearness | None]]:
    """The wordings that are looked at, the nearest first."""
    beside = [*nearness, *[None] * len(known)][: len(known)]
    chosen = sorted(range(len(known)), key=lambda place: -(beside[place] or _FAR).says)[:_MOST_WORDINGS]
    return [known[place] for place in chosen], [beside[place] for place in chosen]


def _by_meaning(mine: Said, theirs: Sequence[Said], nearness: Sequence[Nearness | None]) -> Sameness:
    forbids = contradiction(mine, theirs)
    if not forbids and all(map(_share_nothing, repeat(mine), theirs, nearness)):
        forbids = "too little in common"
    if forbids:
        return Sameness(same=False, score=0.0, why=forbids)
    score, against = weighed(mine, theirs, nearness)
    same = score >= (SURE if against else SAME) and (len(theirs) == 1 or _says_most(mine, theirs, nearness))
    why = "the same in other words" if same else against or "too little in common"
    return Sameness(same=same, score=0.0 if against and not same else round(score, 3), why=why)


def _share_nothing(mine: Said, other: Said, near: Nearness | None) -> bool:
    """Whether both are so short that their form is all they share: I have a car, I drink tea."""
    if near is None or near.about >= _ABOUT_ONE_THING or not (is_brief(mine) and is_brief(other)):
        return False
    if mine.content & other.content or any(kin(a, b) for a in mine.content for b in other.content):
        return False
    return not (_anchored(mine, other) or mine.families.keys() & other.families.keys())


def _says_most(mine: Said, theirs: Sequence[Said], nearness: Sequence[Nearness | None]) -> bool:
    """Whether it says so many of the wordings, each alone: one stray wording is not to draw in what only it is like."""
    known = [(one, near) for one, near in zip(theirs, nearness, strict=True) if near is not None]
    wanted = math.ceil(MOST_OF_THEM * len(known))
    alone = (one for one, near in known if _says(mine, one, near))
    return sum(1 for _ in islice(alone, wanted)) == wanted  # no more are weighed than it takes


def _says(mine: Said, other: Said, near: Nearness) -> bool:
    if contradiction(mine, [other]):
        return False
    score, against = weighed(mine, [other], [near])
    return score >= (SURE if against else SAME)


def about_another(told: str, known: str) -> bool:
    """Whether two statements of one slot are about different things, so that the slot was misread.

    They name persons, animals or stages that exclude each other; or they share neither a word, nor a relation, nor a
    family of values, and the later one does not say that anything changed.
    """
    language = guess_language(f"{told} {known}")
    mine, other = said_in(told, language), said_in(known, language)
    shared = mine.rivals.keys() & other.rivals.keys() & OWNERS
    if any(mine.rivals[kind].isdisjoint(other.rivals[kind]) for kind in shared):
        return True
    if not (mine.content and other.content):
        return False  # "I'm 35": the number is all it says
    is_related = mine.content & other.content or any(kin(a, b) for a in mine.content for b in other.content)
    return not (is_related or mine.changes or mine.families.keys() & other.families.keys())


def _forbidden(mine: Said, theirs: Sequence[Said]) -> str:
    """What makes it another statement than any of the wordings, or ""."""
    if other_kind(mine, theirs):
        return "another one of its kind"
    if all(one.past != mine.past for one in theirs):
        return "another time"
    if all(one.intends != mine.intends for one in theirs):
        return "a wish against a fact"
    return _other_values(mine, theirs)


def _other_number(mine: frozenset[str], theirs: Sequence[frozenset[str]]) -> bool:
    """Whether it states a number that none of them states, or none where each of them does."""
    numbers = frozenset[str]().union(*theirs)
    return not all(number_met(one, numbers) for one in mine) or (not mine and bool(theirs) and all(theirs))


def _other_values(mine: Said, theirs: Sequence[Said]) -> str:
    if _names_exchanged(mine, theirs):
        return "another name"
    for family, values in mine.families.items():
        there = [one.families[family] for one in theirs if family in one.families]
        if there and all(values.isdisjoint(other) for other in there):
            return "another value"
    return ""


def _names_exchanged(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether each side has a name that the other lacks, or mine lacks every name of theirs."""
    named = [one for one in theirs if one.names]
    if not named:
        return False
    met = any(name_met(name, mine.spoken) for one in named for name in one.names)
    if not met and len(named) == len(theirs):
        return True
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    lacking = any(not name_met(name, spoken) for name in mine.names)
    return lacking and all(any(not name_met(name, mine.spoken) for name in one.names) for one in named)


def _weighed(mine: Said, other: Said, theirs: Sequence[Said]) -> Sameness:
    near = similar(mine.text, other.text)
    if is_opposed(mine, other) and not shared_values(mine, other):
        return Sameness(same=False, score=near.score, why="the opposite")
    if not mine.content or not _shares_a_thing(mine, other):
        return Sameness(same=False, score=near.score, why="too little in common")
    if is_minimal_pair(mine, other, theirs):
        return Sameness(same=False, score=near.score, why="one thing in it is another")
    left = unexplained(mine, theirs)
    if left and mine.changes and not any(one.changes for one in theirs) and not shared_values(mine, other):
        return Sameness(same=False, score=near.score, why="it says that something changed")
    odds = _odds(_Overlap.of(mine, other, left))
    score = round(1 / (1 + math.exp(-odds)), 3)
    same = score >= SAME_WITHOUT_VECTORS
    return Sameness(same=same, score=score, why="the same in other words" if same else "too little in common")


def _new_names(mine: Said, other: Said) -> int:
    """Names that the other does not say: each weighs once more than any other word left over."""
    return sum(not name_met(name, other.spoken) for name in mine.names)


def _shares_a_thing(mine: Said, other: Said) -> bool:
    """Whether both name one thing, and not only one relation ("I prefer them", "I prefer tea")."""
    return _anchored(mine, other) or any(word not in lists().kindred for word in mine.content & other.content)


class _Overlap(NamedTuple):
    """What two statements share and what each has besides: things, and words that only name a relation."""

    anchored: bool
    shared: int
    my_things: int
    my_relations: int
    their_things: int
    their_relations: int

    @classmethod
    def of(cls, mine: Said, other: Said, left: Sequence[str]) -> _Overlap:
        """Counted, each up to four: more of it says no more."""
        kindred = lists().kindred
        besides = unexplained(other, [mine])
        my_relations = sum(word in kindred for word in left)
        their_relations = sum(word in kindred for word in besides)
        return cls(
            _anchored(mine, other),
            min(len(mine.content & other.content), MOST),
            min(len(left) - my_relations + _new_names(mine, other), MOST),
            min(my_relations, MOST),
            min(len(besides) - their_relations, MOST),
            min(their_relations, MOST),
        )


def _odds(overlap: _Overlap) -> float:
    return sum(weight * value for weight, value in zip(WEIGHTS, (*map(float, overlap), 1.0), strict=True))


def _anchored(mine: Said, other: Said) -> bool:
    """Whether both name one number, name, path or value."""
    shared = any(number_met(one, other.numbers) for one in mine.numbers)
    named = any(name_met(name, other.spoken) for name in mine.names) or any(
        name_met(name, mine.spoken) for name in other.names
    )
    day = mine.rivals.get(_WEEKDAYS, frozenset()) & other.rivals.get(_WEEKDAYS, frozenset())
    return bool(shared or day) or named or bool(shared_values(mine, other))
