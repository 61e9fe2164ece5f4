"""Feature hashing of words and character n-grams: vectors of spelling, for use without a model.

Takes: texts. Gives: 384-dimensional unit vectors, the same in every process. Never: meaning; its identity is lexical.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

from dopejar.ports.embedder import EmbedderIdentity

DIMENSIONS = 384
GRAM_SIZES = (3, 4)
LONGEST_WORD = 64  # longer runs (keys, base64) are not words and only cost time
WEIGHT_CAP = 8  # letters; long words weigh more than short ones, up to here
CACHED_WORDS = 16_384

# Every parameter that changes a vector: another digest is another embedder.
_PARAMETERS = (
    f"revision=1;dimensions={DIMENSIONS};grams={GRAM_SIZES};longest={LONGEST_WORD};cap={WEIGHT_CAP};"
    "fold=nfkc+casefold;hash=crc32+fmix32;sign=bit31;word=1;grams=1/sqrt(n);repeats=1+ln(n);han=bigrams"
)
_IDENTITY = EmbedderIdentity(
    name="hashed-ngrams",
    dimensions=DIMENSIONS,
    digest=hashlib.sha256(_PARAMETERS.encode()).hexdigest(),
    lexical=True,
)

# Scripts that put no spaces between words: kana, Han with its extensions, Thai, Lao, Khmer, Myanmar.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")


class HashedEmbedder:
    """Vectors of spelling: texts that share words, or parts of words, are near each other."""

    @property
    def identity(self) -> EmbedderIdentity:
        """`hashed-ngrams`, with the digest of its parameters."""
        return _IDENTITY

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One unit row per text. A text without a word gets the row of the empty text. Raises nothing."""
        import numpy as np

        rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for number, text in enumerate(texts):
            rows[number] = _vector(text)
        return rows


def _vector(text: str) -> "npt.NDArray[np.float32]":
    import numpy as np

    counts = Counter(_terms(text))
    slots: list[npt.NDArray[np.int16]] = []
    weights: list[npt.NDArray[np.float32]] = []
    for word, count in counts.items():
        slot, weight = _features(word)
        slots.append(slot)
        weights.append(weight if count == 1 else weight * np.float32(1.0 + math.log(count)))
    if slots:
        sums = np.bincount(np.concatenate(slots), weights=np.concatenate(weights), minlength=DIMENSIONS)
        length = math.sqrt(float(sums @ sums))
        if length > 1e-6:  # opposite signs can, in theory, cancel out altogether
            return (sums / length).astype(np.float32)
    empty = np.zeros(DIMENSIONS, dtype=np.float32)
    empty[0] = 1.0
    return empty


def _terms(text: str) -> list[str]:
    """Words of the folded text; runs of a script without spaces become bigrams."""
    terms: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if _IS_UNSPACED.match(run):
            terms.extend(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            terms.append(run[:LONGEST_WORD])
    return terms


def _weight(word: str) -> float:
    """Length approximates rarity: words of one or two letters are function words. A bigram weighs like five letters."""
    if _IS_UNSPACED.match(word):
        return 4.0
    return max(0.5, min(len(word), WEIGHT_CAP) - 1.0)


@lru_cache(maxsize=CACHED_WORDS)
def _features(word: str) -> "tuple[npt.NDArray[np.int16], npt.NDArray[np.float32]]":
    """Slots and signed weights of a word: itself once, and its n-grams with the same weight in total."""
    import numpy as np

    edged = f"<{word}>"
    grams = [edged[at : at + size] for size in GRAM_SIZES for at in range(len(edged) - size + 1)]
    hashes = np.array(
        [zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in (f"={word}", *grams)], dtype=np.uint64
    )
    mixed = _finish(hashes)
    weights = np.full(len(mixed), _weight(word), dtype=np.float32)
    weights[1:] /= math.sqrt(max(1, len(grams)))
    weights[(mixed >> np.uint64(31)) == 1] *= -1.0
    return (mixed % np.uint64(DIMENSIONS)).astype(np.int16), weights


def _finish(hashes: "npt.NDArray[np.uint64]") -> "npt.NDArray[np.uint64]":
    """Mix the bits with the 32-bit finaliser of MurmurHash3: CRC is linear, so similar words would share slots."""
    import numpy as np

    mask = np.uint64(0xFFFFFFFF)
    mixed = hashes
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = ((mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)) & mask
    return mixed ^ (mixed >> np.uint64(16))
