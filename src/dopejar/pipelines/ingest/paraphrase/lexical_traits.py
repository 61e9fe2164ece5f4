"""What two statements have in common, and what sets them apart: the parts of the decision whether they are one.

Takes: statements taken apart. Gives: single findings, each about one trait. Never: decides; `sameness` does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from dopejar.pipelines.ingest.paraphrase.statement_features import Said, lists
from dopejar.text.similarity import similar

_FRAME: Final = 0.5  # of the words, in the same order, make a frame
# The order of `rivals` in the data: kin, other people, animals, stages of a system, periods, weekdays.
PERSONS: Final = frozenset({0, 1, 2})
OWNERS: Final = frozenset({0, 1, 2, 3})  # a statement about one of them says nothing about another, or without it
_BY_DEFAULT: Final = {3: frozenset({1})}  # production is what is meant where no stage is named


def other_kind(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether they are about different ones of things that exclude each other, or about another person."""
    return rivals_differ(mine, theirs) or other_owner(mine, theirs)


def rivals_differ(
    mine: Said, theirs: Sequence[Said], kinds: Collection[int] | None = None, *, most: bool = False
) -> bool:
    """Whether each side names a thing of one of the kinds, and none names the other's; with `most`, half of them do."""
    least = len(theirs) / 2 if most else 1
    for kind, which in mine.rivals.items():
        there = [one.rivals[kind] for one in theirs if kind in one.rivals]
        is_asked = (kinds is None or kind in kinds) and there and len(there) >= least
        if is_asked and all(which.isdisjoint(other) for other in there):
            return True
    return False


def other_owner(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether one side speaks of a person, an animal or a stage, and the other of none."""
    for kind in mine.rivals.keys() & OWNERS:
        is_named = any(kind in one.rivals for one in theirs)
        if not is_named and not mine.rivals[kind] <= _BY_DEFAULT.get(kind, frozenset()):
            return True
    return any(kind not in mine.rivals and all(kind in one.rivals for one in theirs) for kind in PERSONS)


def is_minimal_pair(mine: Said, other: Said, theirs: Sequence[Said]) -> bool:
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
    return bool(left and right) and not any(kin(one, word) for one in left for word in right)


def kin(one: str, other: str) -> bool:
    """Whether two words name one relation."""
    kindred = lists().kindred
    return not kindred.get(one, frozenset()).isdisjoint(kindred.get(other, frozenset()))


def unexplained(mine: Said, theirs: Sequence[Said]) -> list[str]:
    """Content words of the new statement that no wording has, nor a word kindred to one of theirs."""
    known = frozenset[str]().union(*(one.content for one in theirs))
    kindred = lists().kindred
    relations = frozenset[int]().union(*(kindred.get(word, frozenset()) for word in known))
    return sorted(word for word in mine.content - known if kindred.get(word, frozenset()).isdisjoint(relations))


def is_opposed(mine: Said, other: Said) -> bool:
    """Whether one affirms what the other denies, or each names the opposite of the other's word."""
    if (mine.affirmed & other.denied or mine.denied & other.affirmed) and not mine.denied & other.denied:
        return True
    return not mine.denied and not other.denied and similar(mine.text, other.text).has_opposites


def shared_values(mine: Said, other: Said) -> list[str]:
    """The families of which both name one value, and neither names it to say that it is not meant."""
    return [
        name
        for name, values in mine.families.items()
        if any(_is_meant(mine, name, one) == _is_meant(other, name, one) for one in values & _values(other, name))
    ]


def _values(said: Said, family: str) -> frozenset[str]:
    return said.families.get(family, frozenset())


def _is_meant(said: Said, family: str, value: str) -> bool:
    return value not in said.refused_values.get(family, frozenset())
