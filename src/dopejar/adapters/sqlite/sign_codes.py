"""Sign codes: one bit per dimension, to select the few vectors for an exact comparison.

Takes: unit vectors and a mean. Gives: packed codes, Hamming distances, and the vectors that a process caches. Never:
reads the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Words = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

EXACT_BELOW: Final = 4000
"""Up to this many vectors of one source, all are compared exactly: the scan is as fast as a selection by code."""
IN_MEMORY_BELOW: Final = 20_000
"""Up to this many vectors of one source (30 MB at 384 dimensions), a process caches the floats beside the codes."""
RESCORED: Final = 400
"""How many of the nearest codes are compared exactly."""


def code_bytes(dimensions: int) -> int:
    """Bytes of one code: whole 64-bit words, 48 for 384 dimensions."""
    return -(-dimensions // 64) * 8


def matrix_of(blobs: list[bytes], dimensions: int) -> "Floats":
    """Stored vectors as the rows of one matrix."""
    import numpy as np

    return np.frombuffer(b"".join(blobs), dtype=np.float32).reshape(-1, dimensions)


def pack(vectors: "Floats", mean: "Floats | None") -> "npt.NDArray[np.uint8]":
    """One row of `code_bytes` per vector: bit i is set where dimension i lies above the mean's."""
    import numpy as np

    bits = np.packbits(vectors > (0.0 if mean is None else mean), axis=1)
    padding = code_bytes(vectors.shape[1]) - bits.shape[1]
    return np.pad(bits, ((0, 0), (0, padding))) if padding else bits


def distances(codes: "Words", code: "Words") -> "npt.NDArray[np.uint16]":
    """The number of differing bits to each column of `codes`, which has one row per 64-bit word."""
    import numpy as np

    total = np.zeros(codes.shape[1], dtype=np.uint16)
    for row, word in zip(codes, code, strict=True):  # rows are contiguous: far faster than summing along columns
        total += np.bitwise_count(row ^ word)
    return total


def smallest(values: "npt.NDArray[np.generic]", count: int) -> "npt.NDArray[np.intp]":
    """Places of the smallest values, ascending; equal ones by place."""
    import numpy as np

    if count < len(values):
        near = np.argpartition(values, count)[:count]
        near.sort()
        return near[np.argsort(values[near], kind="stable")]
    return np.argsort(values, kind="stable")


@dataclass(frozen=True, kw_only=True, slots=True)
class CachedVectors:
    """The cached vectors of one embedder and one source. Arrays are never changed in place."""

    change_seq: int
    last_number: int  # the newest vector read
    last_drop: int  # the newest drop followed
    numbers: "Numbers"
    owner_rows: "Numbers"
    codes: "Words"  # one row per word
    floats: "Floats | None"  # only while the vectors are few

    def places_of(self, owner_rows: "Sequence[int]") -> "npt.NDArray[np.intp]":
        """Positions of the vectors of these owners; an owner without a vector has none."""
        import numpy as np

        return np.flatnonzero(np.isin(self.owner_rows, np.asarray(owner_rows, dtype=np.int64)))

    def without(self, gone: "Numbers") -> "CachedVectors":
        """Without the vectors of these numbers."""
        import numpy as np

        kept = ~np.isin(self.numbers, gone)
        return replace(
            self,
            numbers=self.numbers[kept],
            owner_rows=self.owner_rows[kept],
            codes=np.ascontiguousarray(self.codes[:, kept]),
            floats=None if self.floats is None else self.floats[kept],
        )

    def joined(self, numbers: "Numbers", owner_rows: "Numbers", codes: "Words") -> "CachedVectors":
        """With these vectors appended; their floats are read afterwards."""
        import numpy as np

        return replace(
            self,
            last_number=int(numbers[-1]),
            numbers=np.concatenate([self.numbers, numbers]),
            owner_rows=np.concatenate([self.owner_rows, owner_rows]),
            codes=np.concatenate([self.codes, codes], axis=1),
        )


def no_cached_vectors(dimensions: int) -> CachedVectors:
    """The cache before the first load."""
    import numpy as np

    none = np.zeros(0, dtype=np.int64)
    words = code_bytes(dimensions) // 8
    return CachedVectors(
        change_seq=-1,
        last_number=0,
        last_drop=0,
        numbers=none,
        owner_rows=none,
        codes=np.zeros((words, 0), dtype=np.uint64),
        floats=np.zeros((0, dimensions), dtype=np.float32),
    )
