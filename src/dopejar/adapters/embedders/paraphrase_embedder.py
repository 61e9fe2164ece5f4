"""A sentence embedder fine-tuned for paraphrases: two sentences are near if they state the same thing.

Takes: the models directory, and sentences. Gives: unit vectors under an embedder identity of its own. Never: decides;
`pipelines/ingest/paraphrase` compares numbers, names and negation apart from the vectors.

The vectors of the base model say what a sentence is about: "I eat meat" and "I stopped eating meat" are neighbours
there, "my bedtime is ten" and "I hit the hay at ten" are not. Low-rank adapters in `data/`, fitted by
`training/paraphrase_factors.py`, shift some layers towards the statement. The best installed model is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE, Weights, find_weights
from dopejar.errors import WeightsDamagedError
from dopejar.ports.embedder import EmbedderIdentity

_DATA: Final = Path(__file__).parent / "data"
SHIPPED: Final[Mapping[Weights, Path]] = MappingProxyType(
    {
        MPNET_BASE: _DATA / "paraphrase-mpnet-base-v2.npz",
        MINILM: _DATA / "paraphrase-minilm-l6-v2.npz",
    }
)  # best model first


class ParaphraseEmbedder(SentenceEmbedder):
    """Sentence vectors of the base model with the paraphrase adapters applied."""

    longest = 48  # tokens, as in fitting; what a sentence states stands near its beginning

    def __init__(self, folder: Path, weights: Weights = MINILM, factors: Path | None = None) -> None:
        super().__init__(folder, weights)
        self._file = factors or SHIPPED[weights]

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """A digest over the base weights and the adapters; computed without loading the model."""
        digest = hashlib.sha256(self._file.read_bytes() + self._weights.weights_sha256.encode()).hexdigest()
        return EmbedderIdentity(
            name=f"{self._weights.name}-paraphrase", dimensions=self._weights.dimensions, digest=digest
        )

    def _factors(self) -> "Mapping[str, tuple[Array, Array]]":
        """The factors (inputs, rank) and (rank, outputs). Raises WeightsDamagedError."""
        import numpy as np

        try:
            with np.load(self._file) as arrays:
                names = {name.removesuffix(".down") for name in arrays if name.endswith(".down")}
                return {
                    name: (arrays[f"{name}.down"].astype(np.float32), arrays[f"{name}.up"].astype(np.float32))
                    for name in names
                }
        except (OSError, EOFError, ValueError, KeyError, BadZipFile) as fault:
            raise WeightsDamagedError(
                f"The file {self._file} cannot be read ({fault}). Reinstall the program."
            ) from fault


def find_paraphrase_embedder(models_dir: Path) -> ParaphraseEmbedder | None:
    """The paraphrase embedder over the best installed model; None where no model is installed."""
    for weights in SHIPPED:
        folder = find_weights(models_dir, weights)
        if folder is not None:
            return ParaphraseEmbedder(folder, weights)
    return None
