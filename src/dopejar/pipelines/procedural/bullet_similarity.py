"""Similarity of bullets: candidates by token overlap, duplicates, opposites, confirmation, diversity.

Takes: texts and records. Gives: which of them are worth comparing, and what the comparison says. Never: says that two
texts mean the same because they share words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from dopejar.memory.derivation import PROVEN_HELPFUL
from dopejar.pipelines.procedural.bullets import HEMISPHERES
from dopejar.text.similarity import similar
from dopejar.text.words import index_terms
from dopejar.values.record import Record, Status

Key = TypeVar("Key")
OPPOSED: Final = 0.88
"""How alike two bullets are, from which on one can contradict the other."""
NARROW: Final = 0.15
"""Below this diversity the two hemispheres have grown alike."""
_SHARED_TOKENS: Final = 0.6  # of the longer text; what says the same in synonyms shares most of them as well
_TOO_COMMON: Final = 4000  # texts that hold a token, from which on it tells too little to be looked up


class TokenOverlapIndex(Generic[Key]):
    """An inverted index of texts that finds those sharing most of their tokens with a given one."""

    def __init__(self) -> None:
        self._keys: list[Key] = []
        self._sizes: list[int] = []
        self._postings: dict[str, list[int]] = defaultdict(list)

    def add(self, key: Key, text: str) -> None:
        """Index a text under a key."""
        tokens = frozenset(index_terms(text))
        position = len(self._keys)
        self._keys.append(key)
        self._sizes.append(len(tokens))
        for token in tokens:
            self._postings[token].append(position)

    def near(self, text: str) -> list[Key]:
        """Keys of the texts that share three in five tokens of the longer of the two, in the order of adding."""
        tokens = frozenset(index_terms(text))
        shared: Counter[int] = Counter()
        for token in tokens:
            positions = self._postings.get(token, ())
            if len(positions) <= _TOO_COMMON:
                shared.update(positions)
        return [
            self._keys[position]
            for position in sorted(shared)
            if _SHARED_TOKENS * max(len(tokens), self._sizes[position]) <= shared[position]
        ]


def is_opposed(text: str, other: str, cosine: float | None = None) -> bool:
    """Whether two bullets contradict each other: near-same words about the same values, opposite polarity."""
    likeness = similar(text, other, cosine)
    return not likeness.same_polarity and likeness.same_values and likeness.score >= OPPOSED


def is_duplicate(text: str, other: str, least: float, cosine: float | None = None) -> bool:
    """Whether two bullets say the same: the same meaning, or so alike in words with the same values and polarity."""
    likeness = similar(text, other, cosine)
    agree = likeness.same_polarity and likeness.same_values
    return agree and (likeness.same_meaning or likeness.score >= least)


def confirms_across(record: Record, other: Record) -> bool:
    """Whether a bullet of the other hemisphere says the same and was proven there."""
    return (
        {record.side, other.side} == set(HEMISPHERES)
        and other.status is Status.ACTIVE
        and other.helpful_count >= PROVEN_HELPFUL
        and other.harmful_count == 0
        and similar(record.text, other.text).same_meaning
    )


def diversity(left: Iterable[Record], right: Iterable[Record]) -> float:
    """How differently the two hemispheres are tagged: 1 - the cosine of their tag counts, from 0 to 1.

    1 where one of them has no tags at all: nothing tells then that they have grown alike.
    """
    of_left = Counter(tag for record in left for tag in record.tags)
    of_right = Counter(tag for record in right for tag in record.tags)
    length = math.sqrt(sum(n * n for n in of_left.values())) * math.sqrt(sum(n * n for n in of_right.values()))
    if not length:
        return 1.0
    return min(1.0, max(0.0, 1.0 - sum(n * of_right[tag] for tag, n in of_left.items()) / length))
