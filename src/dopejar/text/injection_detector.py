"""Whether a text tries to direct the assistant that reads it: the one reader for the write gate and for recall.

Takes: texts of tools, the web and other people. Gives: yes or no, by a logistic regression over hashed pieces of
spelling whose weights `training/injection_weights.py` fitted. Never: rules of its own, or a proof; nothing rests on it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from math import log
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.text.normalisation import fold

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BUCKET_BITS: Final = 15
_GRAMS: Final = (3, 4, 5)  # characters, spaces included
_TOKENS: Final = (1, 2)
_WIDTH, _STEP = 240, 80  # characters: a long text is judged by its most suspicious window
_BLOCK: Final = 1 << 16  # characters in memory at once
_INVISIBLE: Final = re.compile("[\x00\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_SPACED_OUT: Final = re.compile(r"(?:(?<=\s)|^)[^\s](?: {1,4}[^\s]){8,}(?!\S)")  # letters with spaces between
_NUMBER: Final = re.compile(r"\d+")
_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]|_")
_FACTOR: Final = 0x9E3779B97F4A7C15  # odd, so that it has an inverse among the 64-bit integers
_INVERSE: Final = pow(_FACTOR, -1, 1 << 64)
_MIX: Final = 0xFF51AFD7ED558CCD


class Features(NamedTuple):
    """The pieces of a text: where each begins, and the bucket that it falls into."""

    places: npt.NDArray[np.int64]
    buckets: npt.NDArray[np.int64]


def is_instruction_like(text: str) -> bool:
    """Whether a text tries to direct the assistant that reads it, or its memory.

    Letter case, invisible characters and spaces between letters hide nothing. Meant for text whose author does not
    direct the work.
    """
    weights, least = _weights()
    return score(text, weights) >= least


def score(text: str, weights: npt.NDArray[np.float64]) -> float:
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


def features(plain: str) -> Features:
    """The n-grams of characters and of tokens in a plain text; repeated ones count again."""
    import numpy as np

    codes = np.frombuffer(plain.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    powers, inverses = (_powers(factor, len(codes)) for factor in (_FACTOR, _INVERSE))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes * powers)])
    gaps = np.flatnonzero(codes == ord(" "))
    firsts = np.arange(len(codes))
    spans = [(firsts[: max(0, len(codes) - size + 1)], firsts[size - 1 :] + 1) for size in _GRAMS]
    spans += [(gaps[:-size] + 1, gaps[size:]) for size in _TOKENS]
    begins, ends = (np.concatenate(sides) for sides in zip(*spans, strict=True))
    kinds = np.repeat(np.arange(len(spans), dtype=np.uint64), [len(side) for side, _ in spans])
    mixed = (sums[ends] - sums[begins]) * inverses[begins] + kinds
    for _ in range(2):  # until the high bits depend on all others
        mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(_MIX)
    return Features(begins, (mixed >> np.uint64(64 - BUCKET_BITS)).astype(np.int64))


def _powers(factor: int, count: int) -> npt.NDArray[np.uint64]:
    import numpy as np

    row = np.full(count, factor, np.uint64)
    row[:1] = 1
    return np.cumprod(row)


def _most_suspicious(plain: str, weights: npt.NDArray[np.float64]) -> float:
    """The greatest score of a window: the sum of its weights over the root of their number."""
    import numpy as np

    places, buckets = features(plain)
    size = len(plain)
    width = min(size, _WIDTH)
    begins = np.append(np.arange(0, size - width, _STEP), size - width)
    sums, counts = (
        np.concatenate([np.zeros(1), np.cumsum(np.bincount(places, each, size))]) for each in (weights[buckets], None)
    )
    totals, numbers = (row[begins + width] - row[begins] for row in (sums, counts))
    return float(np.max(totals / np.sqrt(np.maximum(1, numbers))))


def _joined(run: re.Match[str]) -> str:
    """What a run of spaced out letters says; two spaces part its words."""
    return re.sub(r" {2,}", "\0", run.group()).replace(" ", "").replace("\0", " ")


@lru_cache(maxsize=1)
def _weights() -> tuple[npt.NDArray[np.float64], float]:
    """The weight of each bucket, and the least score of a window that is marked; read at their first use."""
    import numpy as np

    with files("dopejar.text").joinpath("data/injection_weights.npz").open("rb") as file, np.load(file) as kept:
        return kept["weights"] * kept["scale"], float(kept["least"])
