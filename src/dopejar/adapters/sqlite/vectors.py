"""Vectors of records and episodes: exact cosines, and the nearest ones.

Takes: unit vectors with their embedder. Gives: hits. Never: compares vectors of two embedders.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from dopejar.adapters.sqlite.recording import Recording
from dopejar.adapters.sqlite.search import SearchReads
from dopejar.adapters.sqlite.session import Session, dumps
from dopejar.values.embedding import EmbedderIdentity
from dopejar.values.recall import Hit, SearchFilter, Source

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.ports.store import Vector


class VectorReads(SearchReads):
    """The part of `ports.store.IndexReader` that needs vectors."""

    def nearest(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        return ()

    def similarities(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, source: Source, rowids: Sequence[int]
    ) -> dict[int, float]:
        return {}

    def embedders(self) -> tuple[EmbedderIdentity, ...]:
        return ()

    def missing_vectors(self, embedder: EmbedderIdentity, limit: int) -> tuple[tuple[Source, str, str, str], ...]:
        return ()


class VectorWrites(Recording, VectorReads):
    def put_vectors(self, embedder: EmbedderIdentity, vectors: "Sequence[Vector]") -> None: ...

    def drop_vectors(self, embedder: EmbedderIdentity) -> int:
        return 0
