"""The identity of an embedder, stored with every vector.

Takes: a model's name and hash. Gives: an identity. Never: a vector without one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbedderIdentity:
    """Name, dimensions and digest of an embedder. Vectors of different identities are never compared."""

    name: str
    dimensions: int
    digest: str
    lexical: bool = False  # hashed n-grams: no meaning beyond spelling

    def __str__(self) -> str:
        return f"{self.name}/{self.dimensions}/{self.digest[:12]}"
