"""A model turned towards what a sentence says: an embedder for which two sentences are near if they say one thing.

Takes: the models directory, and sentences. Gives: unit vectors of an identity of its own. Never: decides; numbers,
names and denials are looked at beside it, in `pipelines/ingest/likeness`.

A model's own vectors tell what a sentence is about; "I eat meat" and "I stopped eating meat" are neighbours there, and
"my bedtime is ten" and "I hit the hay at ten" are not. So layers are turned a little, by changes of low rank that
`training/paraphrase_factors.py` fitted with sentences of our own and `data/` holds. Of the installed models the best is taken.
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

from dopejar.adapters.embedders.sentences import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE, Weights, find_weights
from dopejar.errors import WeightsDamagedError
from dopejar.values.embedding import EmbedderIdentity

_DATA: Final = Path(__file__).parent / "data"
SHIPPED: Final[Mapping[Weights, Path]] = MappingProxyType(
    {
        MPNET_BASE: _DATA / "sayings-mpnet-base-v2.npz",
        MINILM: _DATA / "sayings-minilm-l6-v2.npz",
    }
)  # the best first


class Sayings(SentenceEmbedder):
    """Sentence vectors of what is said."""

    longest = 48  # as it was fitted; what a sentence states stands at its front

    def __init__(self, folder: Path, weights: Weights = MINILM, turns: Path | None = None) -> None:
        super().__init__(folder, weights)
        self._file = turns or SHIPPED[weights]

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """The model's with these changes; known without loading it."""
        digest = hashlib.sha256(self._file.read_bytes() + self._weights.weights_sha256.encode()).hexdigest()
        return EmbedderIdentity(
            name=f"{self._weights.name}-sayings", dimensions=self._weights.dimensions, digest=digest
        )

    def _turns(self) -> "Mapping[str, tuple[Array, Array]]":
        """The factors (inputs, rank) and (rank, outputs). Raises WeightsDamagedError."""
        import numpy as np

        try:
            with np.load(self._file) as kept:
                names = {name.removesuffix(".down") for name in kept if name.endswith(".down")}
                return {
                    name: (kept[f"{name}.down"].astype(np.float32), kept[f"{name}.up"].astype(np.float32))
                    for name in names
                }
        except (OSError, EOFError, ValueError, KeyError, BadZipFile) as fault:
            raise WeightsDamagedError(
                f"The file {self._file} cannot be read ({fault}). Reinstall the program."
            ) from fault


def find_sayings(models_dir: Path) -> Sayings | None:
    """The best that is installed; None where no model is."""
    for weights in SHIPPED:
        folder = find_weights(models_dir, weights)
        if folder is not None:
            return Sayings(folder, weights)
    return None
