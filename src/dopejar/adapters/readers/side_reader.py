"""The fitted reader of sides: which side a short piece of advice suits, from an encoder's hidden states.

Takes: texts, and the embedder whose weights are installed. Gives: probabilities. Never: loads anything before the first
text.

One hidden layer over the mean, the maximum and the first token of the states. The weights are made by
`training/side_weights.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.fitted_reader import LONGEST, softmax
from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, weights_file
from dopejar.values.statement import SideShares

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    Array = npt.NDArray[np.float32]

SIDES: Final = ("left", "right", "ambiguous")


class FittedSideReader(FittedNet):
    """`ports.statement_reader.SideReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = LAYERS[model]
        self._file = weights or weights_file("sides", model)

    def sides(self, texts: Sequence[str]) -> tuple[SideShares, ...]:
        """How likely each text suits the one side, the other, or neither. Raises WeightsMissingError."""
        found = self._embedder.token_states(texts, self._layers, LONGEST)
        return tuple(self._shares(pooled(text.states)) for text in found)

    def _shares(self, row: "Array") -> SideShares:
        import numpy as np

        w = self._weights
        hidden = np.maximum(row @ w["hidden.weight"].T + w["hidden.bias"], 0)
        left, right, neither = softmax(hidden @ w["out.weight"].T + w["out.bias"]).tolist()
        return SideShares(left=left, right=right, neither=neither)


def pooled(states: "Array") -> "Array":
    """The mean, the maximum and the first token of a text's states, side by side."""
    import numpy as np

    return np.concatenate([states.mean(0), states.max(0), states[0]])
