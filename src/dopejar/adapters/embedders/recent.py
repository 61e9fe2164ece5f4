"""The vectors of the texts that were embedded last: what is told is sought by its vector, and then kept with it.

Takes: texts, and what embeds those that are new. Gives: one row per text, in their order. Never: changes a vector, or
holds more than so many texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

MOST: Final = 2048  # texts: 3 MB at 384 dimensions


class RecentVectors:
    """A memory of vectors by their text. Several threads may share it."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._seen: dict[str, Array] = {}

    def rows(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Array]) -> Array:
        """One row per text; `embed` is asked once for those that are not remembered, each once."""
        import numpy as np

        seen = self._seen  # another thread may put a new one in its place, but never changes this one
        new = [one for one in dict.fromkeys(texts) if one not in seen]
        if not new and len(texts):
            return np.stack([seen[one] for one in texts])
        found = embed(new)
        if len(new) == len(texts) > self._most:
            return found  # many at once are not told again soon
        fresh = dict(zip(new, found, strict=True))
        self._seen = seen | fresh if len(seen) + len(fresh) <= self._most else fresh
        return np.stack([fresh[one] if one in fresh else seen[one] for one in texts]) if len(texts) else found
