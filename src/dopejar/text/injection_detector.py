"""Whether a text tries to direct the assistant that reads it: the one reader for the write gate and for recall.

Takes: texts of tools, the web and other people. Gives: yes or no, by a logistic regression over hashed pieces of
spelling whose weights `training/injection_weights.py` fitted. Never: rules of its own, or a proof; nothing rests on it.
"""

from __future__ import annotations

import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import log, sqrt
from pathlib import Path
from typing import Final

from dopejar.text.normalisation import fold

BUCKET_BITS: Final = 15
_GRAMS: Final = (3, 4, 5)  # characters, spaces included
_TOKENS: Final = (1, 2)
_WIDTH, _STEP = 240, 80  # characters: a long text is judged by its most suspicious window
_BLOCK: Final = 1 << 16  # characters in memory at once
_INVISIBLE: Final = re.compile("[\x00\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_SPACED_OUT: Final = re.compile(r"(?:(?<=\s)|^)[^\s](?: {1,4}[^\s]){8,}(?!\S)")  # letters with spaces between
_NUMBER: Final = re.compile(r"\d+")
_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]|_")
_FACTOR: Final = 0x9E3779B97F4A7C15
_MIX: Final = 0xFF51AFD7ED558CCD
_LAST_64_BITS: Final = (1 << 64) - 1
_KEPT: Final = 1 << 14  # pieces of each kind whose bucket is kept: spelling repeats itself
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


def plain_text(text: str) -> str:
    """The tokens of the folded text with one space around each; every number is a zero."""
    shown = _SPACED_OUT.sub(_joined, fold(_INVISIBLE.sub("", text)))
    return f" {' '.join(_TOKEN.findall(_NUMBER.sub('0', shown)))} "


def features(plain: str) -> Iterator[tuple[Sequence[int], list[int]]]:
    """The n-grams of characters and of tokens in a plain text, kind by kind: where each begins, and its bucket."""
    for kind, size in enumerate(_GRAMS):
        buckets = _buckets(kind)
        begins = range(len(plain) - size + 1)
        yield begins, [buckets[plain[place : place + size]] for place in begins]
    gaps = [place for place, letter in enumerate(plain) if letter == " "]
    for kind, size in enumerate(_TOKENS, len(_GRAMS)):
        buckets = _buckets(kind)
        spans = [(gap + 1, end) for gap, end in zip(gaps, gaps[size:], strict=False)]
        yield [begin for begin, _ in spans], [buckets[plain[begin:end]] for begin, end in spans]


class _Buckets(dict[str, int]):
    """The bucket of each piece of one kind."""

    def __init__(self, kind: int) -> None:
        super().__init__()
        self.kind = kind

    def __missing__(self, piece: str) -> int:
        if len(self) >= _KEPT:
            self.clear()
        mixed = self.kind
        power = 1
        for letter in piece:
            mixed += ord(letter) * power
            power = power * _FACTOR & _LAST_64_BITS
        mixed &= _LAST_64_BITS
        for _ in range(2):  # until the high bits depend on all others
            mixed = (mixed ^ (mixed >> 33)) * _MIX & _LAST_64_BITS
        bucket = self[piece] = mixed >> (64 - BUCKET_BITS)
        return bucket


@lru_cache(maxsize=len(_GRAMS) + len(_TOKENS))
def _buckets(kind: int) -> _Buckets:
    return _Buckets(kind)


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


def _joined(run: re.Match[str]) -> str:
    """What a run of spaced out letters says; two spaces part its words."""
    return re.sub(r" {2,}", "\0", run.group()).replace(" ", "").replace("\0", " ")


@lru_cache(maxsize=1)
def _weights() -> tuple[list[float], float]:
    """The weight of each bucket, and the least score of a window that is marked; read at their first use."""
    kept = (Path(__file__).parent / "data" / "injection_weights.bin").read_bytes()
    scale, least = HEADER.unpack_from(kept)
    return [weight * scale for weight in array("b", kept[HEADER.size :])], least
