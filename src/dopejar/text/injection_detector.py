"""Whether a text tries to direct the assistant that reads it: the one reader for the write gate and for recall.

Takes: texts of tools, the web and other people. Gives: yes or no, by a logistic regression over hashed pieces of
spelling whose weights `training/injection_weights.py` fitted. Never: rules of its own, or a proof; nothing rests on it.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import log, sqrt
from pathlib import Path
from typing import Final

from dopejar.text.hashed_pieces import features, plain_text

_WIDTH, _STEP = 240, 80  # characters: a long text is judged by its most suspicious window
_BLOCK: Final = 1 << 16  # characters in memory at once
HEADER: Final = struct.Struct("<2d")  # of the file of weights: their scale, and the least score; 8-bit integers follow


def is_instruction_like(text: str) -> bool:
    """Whether a text tries to direct the assistant that reads it, or its memory.

    Letter case, invisible characters and spaces between letters hide nothing. Meant for text whose author does not
    direct the work.
    """
    weights, least = _weights()
    return score(text, weights) >= least


def score(text: str, weights: Sequence[float]) -> float:
    """The score of the most suspicious window of a text, given the weight of each bucket; work grows with the length.

    A window of a long text needs more evidence: there are more of them to look suspicious by chance.
    """
    plain = plain_text(text)
    starts = range(0, max(1, len(plain) - _WIDTH), _BLOCK)
    most = max(_most_suspicious(plain[start : start + _BLOCK + _WIDTH], weights) for start in starts)
    return most - log(max(1.0, len(plain) / _WIDTH))


def _most_suspicious(plain: str, weights: Sequence[float]) -> float:
    """The greatest score of a window: the sum of its weights over the root of their number."""
    rows = [
        (places, list(accumulate(map(weights.__getitem__, buckets), initial=0.0)))
        for places, buckets in features(plain)
    ]
    last = max(0, len(plain) - _WIDTH)
    return max(_window_score(rows, begin) for begin in (*range(0, last, _STEP), last))


def _window_score(rows: Sequence[tuple[Sequence[int], Sequence[float]]], begin: int) -> float:
    """The score of the window that begins here, given where the pieces of each kind begin and their running sums."""
    total, number = 0.0, 0
    for places, sums in rows:
        first, end = bisect_left(places, begin), bisect_left(places, begin + _WIDTH)
        total += sums[end] - sums[first]
        number += end - first
    return total / sqrt(max(1, number))


@lru_cache(maxsize=1)
def _weights() -> tuple[list[float], float]:
    """The weight of each bucket, and the least score of a window that is marked; read at their first use."""
    kept = (Path(__file__).parent / "data" / "injection_weights.bin").read_bytes()
    scale, least = HEADER.unpack_from(kept)
    return [weight * scale for weight in array("b", kept[HEADER.size :])], least
