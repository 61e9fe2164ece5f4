"""A cache of recent vectors by text: a new statement is embedded to search for similar ones, then again to store it.

Takes: texts, and a function that embeds the unknown ones. Gives: one row per text, in their order. Never: changes a
vector, or holds more than its capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

CAPACITY: Final = 2048  # texts: 3 MB at 384 dimensions


class VectorCache:
    """Vectors by text, for up to `capacity` texts. Threads may share it."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._vectors: dict[str, Array] = {}

    def rows(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Array]) -> Array:
        """One row per text; `embed` is called once with the distinct texts that are not cached."""
        import numpy as np

        cached = self._vectors  # other threads replace this dict and never mutate it
        missing = [text for text in dict.fromkeys(texts) if text not in cached]
        if not missing and len(texts):
            return np.stack([cached[text] for text in texts])
        rows = embed(missing)
        if len(missing) == len(texts) > self._capacity:
            return rows  # a bulk import: its texts do not come again soon
        fresh = dict(zip(missing, rows, strict=True))
        self.keep(fresh)
        return np.stack([fresh[text] if text in fresh else cached[text] for text in texts]) if len(texts) else rows

    def known(self, texts: Sequence[str]) -> dict[str, Array]:
        """The vectors of those of the texts that are cached."""
        cached = self._vectors
        return {text: cached[text] for text in texts if text in cached}

    def keep(self, fresh: dict[str, Array]) -> None:
        """Cache these vectors; where there are too many, the older half goes."""
        found = self._vectors | fresh
        kept = found if len(found) <= self._capacity else dict(list(found.items())[len(found) - self._capacity // 2 :])
        self._vectors = kept
