"""Similarity of bullets: candidates by token overlap, what they are to each other, confirmation, diversity.

Takes: texts and records. Gives: which of them are worth comparing, and what the comparison says. Never: says that two
texts mean the same because they share words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from dopejar.memory.derivation import PROVEN_HELPFUL
from dopejar.pipelines.mutual_relations import mutual_relations
from dopejar.pipelines.procedural.bullets import HEMISPHERES
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.words import index_terms
from dopejar.values.record import Record, Status
from dopejar.values.statement import Relation

Key = TypeVar("Key")
NARROW: Final = 0.15
"""Below this diversity the two hemispheres have grown alike."""
_SHARED_TOKENS: Final = 0.5  # of the longer text; what shares fewer is seldom the same matter, and readers err there
_MOST_COMPARED: Final = 5
_TOO_COMMON: Final = 4000  # texts that hold a token, from which on it tells too little to be looked up


class TokenOverlapIndex(Generic[Key]):
    """An inverted index of texts that finds the few sharing most tokens with a given one."""

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
        """Keys of the five texts that share most tokens, at least half of the longer of the two, the nearest first."""
        return [key for _, key in self.overlaps(text)]

    def overlaps(self, text: str) -> list[tuple[float, Key]]:
        """The same with the part of the longer of the two that is shared."""
        tokens = frozenset(index_terms(text))
        shared: Counter[int] = Counter()
        for token in tokens:
            positions = self._postings.get(token, ())
            if len(positions) <= _TOO_COMMON:
                shared.update(positions)
        overlaps = {
            position: count / max(len(tokens), self._sizes[position]) for position, count in sorted(shared.items())
        }
        near = sorted((one for one in overlaps if overlaps[one] >= _SHARED_TOKENS), key=lambda one: -overlaps[one])
        return [(overlaps[position], self._keys[position]) for position in near[:_MOST_COMPARED]]


def related_bullets(text: str, others: Iterable[Record], reader: StatementReader) -> list[tuple[Record, Relation]]:
    """The bullets nearest to a text, and what each is to it."""
    index: TokenOverlapIndex[Record] = TokenOverlapIndex()
    for record in others:
        index.add(record, record.text)
    near = index.near(text)
    return list(zip(near, mutual_relations(reader, [(record.text, text) for record in near]), strict=True))


def is_confirmed_across(record: Record, others: Iterable[Record], reader: StatementReader) -> bool:
    """Whether a bullet of the other hemisphere says the same and was proven there."""
    proven = [
        other
        for other in others
        if {record.side, other.side} == set(HEMISPHERES)
        and other.status is Status.ACTIVE
        and other.helpful_count >= PROVEN_HELPFUL
        and other.harmful_count == 0
    ]
    return any(relation is Relation.SAME for _, relation in related_bullets(record.text, proven, reader))


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
