"""MiniLM-L6-v2: sentences as vectors of meaning, in plain numpy.

Takes: a folder with installed weights, and texts. Gives: 384-dimensional unit vectors. Never: downloads; where
no weights are, the error names the command.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.bert import BertEncoder

    Array = npt.NDArray[np.float32]

from dopejar.adapters.embedders.blas import one_thread
from dopejar.adapters.embedders.recent import RecentVectors
from dopejar.adapters.embedders.weights import MINILM, Weights, looks_complete
from dopejar.adapters.embedders.wordpiece import MAX_TOKENS, WordPiece
from dopejar.errors import WeightsDamagedError, WeightsMissingError
from dopejar.values.embedding import EmbedderIdentity

_STRETCH = 256  # texts cut into pieces at a time


class MiniLmEmbedder:
    """Sentence vectors from installed weights, which are mapped at the first text. Safe to use from several threads."""

    def __init__(self, folder: Path, weights: Weights = MINILM) -> None:
        self._folder = folder
        self._weights = weights
        self._lock = threading.Lock()
        self._loaded: tuple[WordPiece, BertEncoder] | None = None
        self._recent = RecentVectors()

    @property
    def identity(self) -> EmbedderIdentity:
        """The model's name with the SHA-256 of its weights; known without loading them."""
        return EmbedderIdentity(
            name=self._weights.name, dimensions=self._weights.dimensions, digest=self._weights.weights_sha256
        )

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One unit row per text, of its first 256 pieces. Raises WeightsMissingError, WeightsDamagedError."""
        return self._recent.rows(texts, self._embedded)

    def _embedded(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        import numpy as np

        rows = np.empty((len(texts), self._weights.dimensions), dtype=np.float32)
        if len(texts):
            pieces, encoder = self._load()
            limit = min(MAX_TOKENS, encoder.shape.positions)
            for start in range(0, len(texts), _STRETCH):
                stretch = [pieces.encode(text, limit) for text in texts[start : start + _STRETCH]]
                with one_thread():
                    rows[start : start + len(stretch)] = encoder.encode(stretch)
        return rows

    def _load(self) -> "tuple[WordPiece, BertEncoder]":
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> "tuple[WordPiece, BertEncoder]":
        return open_encoder(self._folder, self._weights)


def open_encoder(
    folder: Path, weights: Weights, turns: "Mapping[str, tuple[Array, Array]] | None" = None
) -> "tuple[WordPiece, BertEncoder]":
    """The vocabulary and the encoder of a folder, with `turns`; see BertEncoder.

    Raises WeightsMissingError, WeightsDamagedError.
    """
    from dopejar.adapters.embedders.bert import BertEncoder
    from dopejar.adapters.embedders.tensor_file import read_tensors

    if not looks_complete(folder, weights):
        raise WeightsMissingError(f"No complete weights of {weights.name} in {folder}. Run `dopejar models install`.")
    encoder = BertEncoder(read_tensors(folder / weights.weights_file), weights.heads, turns)
    pieces = WordPiece.read(folder / weights.vocabulary_file)
    if (len(pieces), weights.dimensions) != (encoder.shape.vocabulary, encoder.shape.hidden):
        raise WeightsDamagedError(
            f"Vocabulary and weights in {folder} do not belong together. Run `dopejar models install` again."
        )
    return pieces, encoder
