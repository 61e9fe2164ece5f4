"""What was taken already.

Takes: items as they are taken. Gives: whether another one only repeats one of them. Never: takes two texts for the same
that differ in a number or in polarity.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from dopejar.text.normalise import content_hash
from dopejar.text.polarity import polarity

if TYPE_CHECKING:
    from dopejar.pipelines.recall.rank import Ranked
    from dopejar.values.recall import Source

_SAME: Final = 0.9  # share of common terms from which two texts repeat each other


class Seen:
    """The texts of a pack so far, by source: quotations and records do not make each other superfluous."""

    def __init__(self) -> None:
        self._hashes: set[tuple[Source, str]] = set()
        self._terms: dict[tuple[Source, int], list[tuple[frozenset[str], str]]] = {}  # by their number

    def repeats(self, item: Ranked, terms: frozenset[str]) -> bool:
        """Whether the item, whose shown words have these terms, only says again what was taken; if not, it is now."""
        mark = (item.source, _hash_of(item))
        if mark in self._hashes:
            return True
        text, size = item.text, len(terms)
        for near in range(ceil(_SAME * size), int(size / _SAME) + 1):
            for other, told in self._terms.get((item.source, near), ()):
                if _is_repeat(terms, text, other, told):
                    return True
        self._hashes.add(mark)
        self._terms.setdefault((item.source, size), []).append((terms, text))
        return False


def _hash_of(item: Ranked) -> str:
    stored = item.record.content_hash if item.record is not None else item.episode.content_hash if item.episode else ""
    return stored or content_hash(item.text)


def _is_repeat(mine: frozenset[str], text: str, other: frozenset[str], told: str) -> bool:
    both = len(mine & other)
    if not both or both < _SAME * (len(mine) + len(other) - both):
        return False
    if any(not term.isalpha() for term in mine ^ other):
        return False
    return polarity(text) == polarity(told)
