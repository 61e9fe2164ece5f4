"""MiniLM turned towards what a sentence says: an embedder for which two sentences are near if they say one thing.

Takes: a folder with MiniLM's weights, and sentences. Gives: unit vectors of an identity of its own. Never: decides;
numbers, names and denials are looked at beside it, in `pipelines/ingest/likeness`.

MiniLM's own vectors tell what a sentence is about; "I eat meat" and "I stopped eating meat" are neighbours there, and
"my bedtime is ten" and "I hit the hay at ten" are not. So its upper layers are turned a little, by changes of low rank
that `bench/turn_minilm.py` fitted with sentences of our own and `data/sayings.npz` holds. What was embedded lately is
remembered: the same few wordings are compared again and again.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.bert import BertEncoder

    Array = npt.NDArray[np.float32]

from dopejar.adapters.embedders.blas import one_thread
from dopejar.adapters.embedders.minilm import open_encoder
from dopejar.adapters.embedders.recent import RecentVectors
from dopejar.adapters.embedders.weights import MINILM, Weights
from dopejar.adapters.embedders.wordpiece import WordPiece
from dopejar.errors import WeightsDamagedError
from dopejar.values.embedding import EmbedderIdentity

SHIPPED: Final = Path(__file__).parent / "data" / "sayings.npz"
MAX_TOKENS: Final = 48  # as it was fitted; what a sentence states stands at its front


class MiniLmSayings:
    """Sentence vectors of what is said, from weights that are mapped at the first one. Several threads may share it."""

    def __init__(self, folder: Path, weights: Weights = MINILM, turns: Path = SHIPPED) -> None:
        self._folder = folder
        self._weights = weights
        self._turns = turns
        self._lock = threading.Lock()
        self._loaded: tuple[WordPiece, BertEncoder] | None = None
        self._recent = RecentVectors()

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """The model's with these changes; known without loading it."""
        digest = hashlib.sha256(self._turns.read_bytes() + self._weights.weights_sha256.encode()).hexdigest()
        return EmbedderIdentity(
            name=f"{self._weights.name}-sayings", dimensions=self._weights.dimensions, digest=digest
        )

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One unit row per text, of its first 48 pieces. Raises WeightsMissingError, WeightsDamagedError."""
        return self._recent.rows(texts, self._embedded)

    def _embedded(self, texts: Sequence[str]) -> Array:
        import numpy as np

        if not texts:
            return np.empty((0, self._weights.dimensions), dtype=np.float32)
        pieces, encoder = self._load()
        limit = min(MAX_TOKENS, encoder.shape.positions)
        with one_thread():
            return encoder.encode([pieces.encode(one, limit) for one in texts])

    def _load(self) -> tuple[WordPiece, BertEncoder]:
        with self._lock:
            if self._loaded is None:
                self._loaded = open_encoder(self._folder, self._weights, _read(self._turns))
            return self._loaded


def _read(turns: Path) -> Mapping[str, tuple[Array, Array]]:
    """The changes by the layer's name: the factors (inputs, rank) and (rank, outputs). Raises WeightsDamagedError."""
    import numpy as np

    try:
        with np.load(turns) as kept:
            names = {name.removesuffix(".down") for name in kept if name.endswith(".down")}
            return {
                name: (kept[f"{name}.down"].astype(np.float32), kept[f"{name}.up"].astype(np.float32))
                for name in names
            }
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as fault:
        raise WeightsDamagedError(f"The file {turns} cannot be read ({fault}). Reinstall the program.") from fault
