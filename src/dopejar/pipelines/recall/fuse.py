"""One score from two: words and meaning.

Takes: BM25 scores and cosines of candidates. Gives: fused scores from 0 to 1. Never: needs numpy, or both of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import sqrt
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def weight_of_meaning(terms: int, *, is_lexical: bool = False) -> float:
    """How much of the score the cosine makes, by the number of terms that the question has.

    From .3 for one bare word to .7 for a whole dialogue: each further word makes a chance match likelier, while the
    vector of a longer text is the surer one. Hashed vectors know spelling alone and get half of that.
    """
    weight = 0.3 + 0.4 * terms / (terms + 10)
    return weight / 2 if is_lexical else weight


def fuse(words: Mapping[Key, float], cosines: Mapping[Key, float], weight: float) -> dict[Key, float]:
    """Each candidate's score, the best 1 and the least 0: both measures in units of their own spread, weighed.

    A candidate without a lexical hit has 0 there. One without a vector is taken as average in meaning, so that work
    still in the outbox neither helps nor buries it. Where only one measure exists, it alone decides.
    """
    keys = [*words, *(key for key in cosines if key not in words)]
    if not keys:
        return {}
    if not cosines:
        best = max(words.values())
        return {key: score / best if best > 0 else 1.0 for key, score in words.items()}
    mean, spread = _moments(cosines.values())
    _, reach = _moments([words.get(key, 0.0) for key in keys])
    raw = {
        key: (1 - weight) * words.get(key, 0.0) / (reach or 1.0)
        + weight * (cosines.get(key, mean) - mean) / (spread or 1.0)
        for key in keys
    }
    least, most = min(raw.values()), max(raw.values())
    return {key: (score - least) / (most - least) if most > least else 1.0 for key, score in raw.items()}


def _moments(values: Iterable[float]) -> tuple[float, float]:
    """Mean and standard deviation."""
    listed = list(values)
    mean = sum(listed) / len(listed)
    return mean, sqrt(sum((value - mean) ** 2 for value in listed) / len(listed))
