"""Turning texts into vectors.

Takes: texts. Gives: unit vectors, float32. Never: a network call while embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

from dopejar.values.embedding import EmbedderIdentity


class Embedder(Protocol):
    """One embedder with one identity."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes these vectors; known without loading weights."""
        ...

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One unit row per text, shape (len(texts), dimensions). Raises WeightsMissingError or WeightsDamagedError."""
        ...
