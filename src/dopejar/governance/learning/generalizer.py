"""The generalizer: patterns that are alike, and the one that could stand for both.

Takes: patterns. Gives: pairs, and merged patterns. Never: stores one; merging is proposed, and a person accepts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from dopejar.errors import InputError
from dopejar.governance.learning.pattern import Pattern, pattern_id, similarity

ALIKE: Final = 0.3
"""The share of stems from which two patterns of one kind and action may be merged."""


class Generalizer:
    """Finds and merges conservatively: same kind, same action, same outcome, words in common. Holds no state."""

    def find_similar(self, patterns: Sequence[Pattern]) -> list[tuple[Pattern, Pattern]]:
        """The pairs that may be merged, the most alike first; of proven patterns alone."""
        groups: dict[tuple[str, str, str], list[Pattern]] = {}
        for one in patterns:
            if one.confidence and not one.trimmed:
                groups.setdefault((one.kind, one.action_taken, one.outcome), []).append(one)
        pairs = [
            pair
            for group in groups.values()
            for pair in combinations(group, 2)
            if similarity(pair[0].stems, pair[1].stems) >= ALIKE
        ]
        return sorted(pairs, key=lambda pair: similarity(pair[0].stems, pair[1].stems), reverse=True)

    def merge(self, p1: Pattern, p2: Pattern) -> Pattern:
        """One pattern for both: what they have in common, as sure as the less sure one.

        Raises:
            InputError: they are of different kinds, actions or outcomes, or have nothing in common.
        """
        shared = tuple(sorted(set(p1.stems) & set(p2.stems)))
        same = (p1.kind, p1.action_taken, p1.outcome) == (p2.kind, p2.action_taken, p2.outcome)
        if not same or (not shared and (p1.stems or p2.stems)):
            raise InputError("Only patterns of one kind with the same action and words in common can be merged.")
        return replace(
            p1,
            id=pattern_id(p1.kind, shared, p1.action_taken),
            stems=shared,
            confidence=min(p1.confidence, p2.confidence),
            hit_count=p1.hit_count + p2.hit_count,
            miss_count=p1.miss_count + p2.miss_count,
            last_hit=max(filter(None, (p1.last_hit, p2.last_hit)), default=None),
            protected=p1.protected or p2.protected,
            source="generalizer",
            made_of=(p1.id, p2.id),
        )

    def generalize_batch(self, patterns: Sequence[Pattern]) -> list[Pattern]:
        """The merges to propose, each pattern in one of them at most."""
        taken: set[str] = set()
        merged = []
        for first, second in self.find_similar(patterns):
            if not {first.id, second.id} & taken:
                taken |= {first.id, second.id}
                merged.append(self.merge(first, second))
        return merged
