"""Whether two statements say one thing in other words: the decision behind "ten wordings are one record".

Takes: a statement, the wordings of what is known, and their cosines where vectors are at hand. Gives: a `Sameness`
with its reason; nothing else is asked, so it fits a review of near duplicates as well as telling. Never: calls two
statements the same that differ in person, polarity, number, name, weekday, time or in one word of the same frame.

How it is decided, in this order:

1. What forbids it: another person or another of two things that exclude each other (`rivals`), numbers or names that
   the other side does not have, values of one family that differ, a past against a present, an opposite polarity.
2. A minimal pair forbids it: the same frame with one stretch of words exchanged ("tests run before you push",
   "... before you merge"), unless the exchanged words name one relation (`kindred`: "lives", "is based").
3. The rest is weighed: the cosine, where there is one, and the words that each side has besides; words that only name
   a relation weigh less than others.

Weights and thresholds come from `bench/data/wordings-development.jsonl` and `near-misses.jsonl`, never from the
held-out set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.saying import Said, lists, name_met, number_met, said_in
from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import content_hash
from dopejar.text.similar import Similarity, similar

# Logistic regression over the development wordings and the near misses; see `_Overlap` for what they weigh:
# cosine, anchored, shared, my things, my relations, their things, their relations, and the intercept.
WEIGHTS: Final = (6.88, -0.31, -0.38, -0.2, -0.29, -0.22, -0.32, -2.24)
WEIGHTS_WITHOUT_VECTORS: Final = (0.0, -0.31, 0.22, -0.69, -0.36, -0.71, -0.41, 2.28)
SAME: Final = 0.65  # of the probability
SAME_WITHOUT_VECTORS: Final = 0.76
MOST: Final = 4
_MOST_WORDINGS: Final = 16
_FRAME: Final = 0.5  # of the words, in the same order, make a frame
# The order of `rivals` in the data: kin, other people, animals, stages of a system, periods, weekdays.
_PERSONS: Final = frozenset({0, 1, 2})
_OWNERS: Final = frozenset({0, 1, 2, 3})  # a statement about one of them says nothing about another, or without it
_BY_DEFAULT: Final = {3: frozenset({1})}  # production is what is meant where no stage is named
_WEEKDAYS: Final = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Sameness:
    """Whether two statements say one thing, how near they are from 0 to 1, and why."""

    same: bool
    score: float
    why: str


def same_statement(told: str, known: Sequence[str], cosines: Sequence[float | None] = ()) -> Sameness:
    """Whether `told` says what the `known` wordings of one record say, all of one namespace, scope and owner.

    `cosines` stand beside the wordings, in their order; missing ones, and None, mean that no vector is at hand.
    """
    wordings = known[:_MOST_WORDINGS]
    hashed = content_hash(told)
    if any(content_hash(one) == hashed for one in wordings):
        return Sameness(same=True, score=1.0, why="the same words")
    language = guess_language(" ".join([told, *wordings[:2]]))  # together they tell it better than alone
    mine = said_in(told, language)
    theirs = [said_in(one, language) for one in wordings]
    forbids = _forbidden(mine, theirs)
    if forbids:
        return Sameness(same=False, score=0.0, why=forbids)
    beside = [*cosines, *[None] * len(wordings)][: len(wordings)]
    found = [_weighed(mine, one, theirs, cosine) for one, cosine in zip(theirs, beside, strict=True)]
    nothing = Sameness(same=False, score=0.0, why="nothing known")
    return max(found, key=lambda one: (one.same, one.score), default=nothing)


def about_another(told: str, known: str) -> bool:
    """Whether two statements of one slot are about different things, so that the slot was misread.

    They name persons, animals or stages that exclude each other; or they share neither a word, nor a relation, nor a
    family of values, and the later one does not say that anything changed.
    """
    language = guess_language(f"{told} {known}")
    mine, other = said_in(told, language), said_in(known, language)
    shared = mine.rivals.keys() & other.rivals.keys() & _OWNERS
    if any(mine.rivals[kind].isdisjoint(other.rivals[kind]) for kind in shared):
        return True
    is_related = mine.content & other.content or any(_kin(a, b) for a in mine.content for b in other.content)
    return not (is_related or mine.changes or mine.families.keys() & other.families.keys())


def _forbidden(mine: Said, theirs: Sequence[Said]) -> str:
    """What makes it another statement than any of the wordings, or ""."""
    if _other_kind(mine, theirs):
        return "another one of its kind"
    if all(one.past != mine.past for one in theirs):
        return "another time"
    if all(one.intends != mine.intends for one in theirs):
        return "a wish against a fact"
    return _other_values(mine, theirs)


def _other_kind(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether they are about different ones of things that exclude each other, or about another person."""
    for kind, which in mine.rivals.items():
        there = [one.rivals[kind] for one in theirs if kind in one.rivals]
        if there and all(which.isdisjoint(other) for other in there):
            return True
        if not there and kind in _OWNERS and not which <= _BY_DEFAULT.get(kind, frozenset()):
            return True
    return any(kind not in mine.rivals and all(kind in one.rivals for one in theirs) for kind in _PERSONS)


def _other_values(mine: Said, theirs: Sequence[Said]) -> str:
    numbers = frozenset[str]().union(*(one.numbers for one in theirs))
    if not all(number_met(one, numbers) for one in mine.numbers) or (
        not mine.numbers and all(one.numbers for one in theirs)
    ):
        return "another number"
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


def _weighed(mine: Said, other: Said, theirs: Sequence[Said], cosine: float | None) -> Sameness:
    near = similar(mine.text, other.text, cosine)
    if _opposed(mine, other, near) and not _families_shared(mine, other):
        return Sameness(same=False, score=near.score, why="the opposite")
    if not mine.content or (cosine is None and not _shares_a_thing(mine, other)):
        return Sameness(same=False, score=near.score, why="too little in common")
    if _is_minimal_pair(mine, other, theirs):
        return Sameness(same=False, score=near.score, why="one thing in it is another")
    unexplained = _unexplained(mine, theirs)
    if unexplained and mine.changes and not any(one.changes for one in theirs) and not _families_shared(mine, other):
        return Sameness(same=False, score=near.score, why="it says that something changed")
    odds = _odds(_Overlap.of(mine, other, unexplained), cosine)
    score = round(1 / (1 + math.exp(-odds)), 3)
    same = score >= (SAME_WITHOUT_VECTORS if cosine is None else SAME)
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
    def of(cls, mine: Said, other: Said, unexplained: Sequence[str]) -> _Overlap:
        """Counted, each up to four: more of it says no more."""
        kindred = lists().kindred
        besides = _unexplained(other, [mine])
        my_relations = sum(word in kindred for word in unexplained)
        their_relations = sum(word in kindred for word in besides)
        return cls(
            _anchored(mine, other),
            min(len(mine.content & other.content), MOST),
            min(len(unexplained) - my_relations + _new_names(mine, other), MOST),
            min(my_relations, MOST),
            min(len(besides) - their_relations, MOST),
            min(their_relations, MOST),
        )


def _odds(overlap: _Overlap, cosine: float | None) -> float:
    weights = WEIGHTS_WITHOUT_VECTORS if cosine is None else WEIGHTS
    values = (cosine or 0.0, *map(float, overlap), 1.0)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _opposed(mine: Said, other: Said, near: Similarity) -> bool:
    """Whether one affirms what the other denies, or each names the opposite of the other's word."""
    if (mine.affirmed & other.denied or mine.denied & other.affirmed) and not mine.denied & other.denied:
        return True
    return near.has_opposites and not mine.denied and not other.denied


def _anchored(mine: Said, other: Said) -> bool:
    """Whether both name one number, name, path or value."""
    shared = any(number_met(one, other.numbers) for one in mine.numbers)
    named = any(name_met(name, other.spoken) for name in mine.names) or any(
        name_met(name, mine.spoken) for name in other.names
    )
    day = mine.rivals.get(_WEEKDAYS, frozenset()) & other.rivals.get(_WEEKDAYS, frozenset())
    return bool(shared or day) or named or bool(_families_shared(mine, other))


def _families_shared(mine: Said, other: Said) -> list[str]:
    return [name for name, values in mine.families.items() if not values.isdisjoint(other.families.get(name, ()))]


def _is_minimal_pair(mine: Said, other: Said, theirs: Sequence[Said]) -> bool:
    """Whether one stretch of words is exchanged within one frame, for words that name something else."""
    a, b = mine.frame, other.frame
    front = 0
    while front < min(len(a), len(b)) and a[front] == b[front]:
        front += 1
    back = 0
    while back < min(len(a), len(b)) - front and a[-1 - back] == b[-1 - back]:
        back += 1
    gone, come = b[front : len(b) - back], a[front : len(a) - back]
    if front + back < _FRAME * min(len(a), len(b)):
        return False
    known = frozenset[str]().union(*(one.content for one in theirs if one is not other))
    left = [word for word in come if word in mine.content and word not in other.content and word not in known]
    right = [word for word in gone if word in other.content and word not in mine.content]
    return bool(left and right) and not any(_kin(one, word) for one in left for word in right)


def _kin(one: str, other: str) -> bool:
    kindred = lists().kindred
    return not kindred.get(one, frozenset()).isdisjoint(kindred.get(other, frozenset()))


def _unexplained(mine: Said, theirs: Sequence[Said]) -> list[str]:
    """Content words of the new statement that no wording has, nor a word kindred to one of theirs."""
    known = frozenset[str]().union(*(one.content for one in theirs))
    kindred = lists().kindred
    relations = frozenset[int]().union(*(kindred.get(word, frozenset()) for word in known))
    return sorted(word for word in mine.content - known if kindred.get(word, frozenset()).isdisjoint(relations))
