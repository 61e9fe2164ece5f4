"""What was taken already.

Takes: texts as they are taken. Gives: whether another one only repeats one of them. Never: takes two texts for the same
that differ in a number or in polarity.
"""

from __future__ import annotations

from typing import Final

from dopejar.text.normalise import content_hash
from dopejar.text.polarity import polarity
from dopejar.text.words import index_terms
from dopejar.values.recall import Source

_SAME: Final = 0.9  # share of common terms from which two texts repeat each other


class Seen:
    """The texts of a pack so far, by source: quotations and records do not make each other superfluous."""

    def __init__(self) -> None:
        self._hashes: set[tuple[Source, str]] = set()
        self._terms: dict[Source, list[tuple[frozenset[str], str]]] = {}

    def has(self, text: str, source: Source) -> bool:
        """Whether a text of this source says the same in the same words."""
        if (source, content_hash(text)) in self._hashes:
            return True
        terms = frozenset(index_terms(text))
        return any(_is_repeat(terms, text, other, told) for other, told in self._terms.get(source, ()))

    def add(self, text: str, source: Source) -> None:
        """Remember a text that was taken."""
        self._hashes.add((source, content_hash(text)))
        self._terms.setdefault(source, []).append((frozenset(index_terms(text)), text))


def _is_repeat(mine: frozenset[str], text: str, other: frozenset[str], told: str) -> bool:
    both = len(mine & other)
    if not both or both < _SAME * len(mine | other):
        return False
    if any(not term.isalpha() for term in mine ^ other):
        return False
    return polarity(text) == polarity(told)
