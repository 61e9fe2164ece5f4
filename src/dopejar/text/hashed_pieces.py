"""Texts as hashed pieces of their spelling: what fitted weights over words are summed by.

Takes: a text. Gives: its n-grams of characters and of tokens, each as one of 32,768 buckets. Never: a weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from dopejar.text.normalisation import fold

BUCKET_BITS: Final = 15
_GRAMS: Final = (3, 4, 5)  # characters, spaces included
_TOKENS: Final = (1, 2)
_INVISIBLE: Final = re.compile("[\x00\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_SPACED_OUT: Final = re.compile(r"(?:(?<=\s)|^)[^\s](?: {1,4}[^\s]){8,}(?!\S)")  # letters with spaces between
_NUMBER: Final = re.compile(r"\d+")
_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]|_")
_FACTOR: Final = 0x9E3779B97F4A7C15
_MIX: Final = 0xFF51AFD7ED558CCD
_LAST_64_BITS: Final = (1 << 64) - 1
_KEPT: Final = 1 << 14  # pieces of each kind whose bucket is kept: spelling repeats itself


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


def _joined(run: re.Match[str]) -> str:
    """What a run of spaced out letters says; two spaces part its words."""
    return re.sub(r" {2,}", "\0", run.group()).replace(" ", "").replace("\0", " ")
