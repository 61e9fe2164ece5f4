"""The port of embedders, and the identity under which their vectors are stored.

Takes: texts. Gives: unit vectors, float32. Never: a network call while embedding, nor a vector without an identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbedderIdentity:
    """Name, dimensions and digest of an embedder. Vectors of different identities are never compared."""

    name: str
    dimensions: int
    digest: str
    lexical: bool = False  # hashed n-grams: no meaning beyond spelling

    def __str__(self) -> str:
        return f"{self.name}/{self.dimensions}/{self.digest[:12]}"


class Embedder(Protocol):
    """One embedder with one identity."""

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity of this embedder; known without loading weights."""

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One unit row per text, shape (len(texts), dimensions). Raises WeightsMissingError or WeightsDamagedError."""
