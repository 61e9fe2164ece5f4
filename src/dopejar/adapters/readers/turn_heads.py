"""The fitted reader of turns: kernel regressions over the hidden states of an encoder.

Takes: an utterance, and the embedder whose weights are installed. Gives: its shares, by how near it is to each of the
utterances that the weights were fitted with. Never: loads anything before the first utterance.

The weights are made by `training/signal_weights.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.adapters.readers.fitted_reader import LONGEST, softmax
from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, weights_file
from dopejar.values.turn_decisions import TURN_LABELS, Shares, TurnShares

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    Array = npt.NDArray[np.float32]


class TurnHeads(FittedNet):
    """`ports.turn_reader.TurnReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = layers_of(model)
        self._file = weights or weights_file("turns", model)

    def shares(self, text: str) -> TurnShares:
        """How likely each label is. Raises WeightsMissingError."""
        import numpy as np

        w = self._weights
        (found,) = self._embedder.token_states([text or " "], self._layers, LONGEST)
        point = gathered(found.states) @ w["projection"] - w["origin"]
        near = np.exp(-w["sharpness"] * ((w["points"] - point) ** 2).sum(1))
        logits, shares = near @ w["weight"] + w["bias"], dict[str, Shares]()
        for field, names in TURN_LABELS.items():
            row, logits = logits[: len(names)], logits[len(names) :]
            odds = 1 / (1 + np.exp(-row)) if field == "signals" else softmax(row)
            shares[field] = dict(zip(names, odds.tolist(), strict=True))
        return TurnShares(**shares)


def layers_of(model: str) -> tuple[int, ...]:
    """All layers of the encoder: what a turn asks for shows in the first as well as in the last."""
    return tuple(range(1, LAYERS[model][-1] + 1))


def gathered(states: "Array") -> "Array":
    """The mean and the maximum of a text's states, side by side."""
    import numpy as np

    return np.concatenate([states.mean(0), states.max(0)])
