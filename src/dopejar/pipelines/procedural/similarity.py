"""Which of many texts share enough words with one to be compared with it in earnest.

Takes: texts with keys. Gives: keys of those that share most of them. Never: says that two texts mean the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Generic, TypeVar

from dopejar.text.words import index_terms

Key = TypeVar("Key")
_SHARED = 0.6  # of the words of the longer text; what says the same in synonyms shares most of them as well
_EVERYWHERE = 4000  # texts that hold a word, from which on it tells too little to be looked up


class TokenOverlapIndex(Generic[Key]):
    """Texts by their words."""

    def __init__(self) -> None:
        self._keys: list[Key] = []
        self._sizes: list[int] = []
        self._holders: dict[str, list[int]] = defaultdict(list)

    def add(self, key: Key, text: str) -> None:
        """Keep a text."""
        terms = frozenset(index_terms(text))
        place = len(self._keys)
        self._keys.append(key)
        self._sizes.append(len(terms))
        for term in terms:
            self._holders[term].append(place)

    def near(self, text: str) -> list[Key]:
        """Keys of the texts that share three in five words of the longer of the two, in the order kept."""
        terms = frozenset(index_terms(text))
        shared: Counter[int] = Counter()
        for term in terms:
            places = self._holders.get(term, ())
            if len(places) <= _EVERYWHERE:
                shared.update(places)
        most = len(terms)
        return [self._keys[one] for one in sorted(shared) if _SHARED * max(most, self._sizes[one]) <= shared[one]]
