"""The fitted reader of turns: logistic heads over the hidden states of an encoder.

Takes: an utterance, and the embedder whose weights are installed. Gives: its shares. Never: loads anything before the
first utterance.

The weights are made by `training/signal_weights.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.fitted_reader import LONGEST, TokenStates, softmax
from dopejar.adapters.readers.side_reader import pooled
from dopejar.adapters.readers.weights_file import LAYERS, read_weights, weights_file
from dopejar.values.turn_decisions import Shares, TurnShares
from dopejar.values.turn_enums import Altitude, RequestType, SignalType, Stakes, Strategy

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    "signals": tuple(str(one) for one in SignalType if one is not SignalType.NONE),
    "altitude": tuple(map(str, Altitude)),
    "request_type": tuple(map(str, RequestType)),
    "strategy": tuple(map(str, Strategy)),
    "stakes": tuple(map(str, Stakes)),
}
"""What each head tells apart, in the order of its outputs; signals stand for themselves."""


class TurnHeads:
    """`ports.turn_reader.TurnReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: TokenStates, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = LAYERS[model]
        self._file = weights or weights_file("turns", model)

    def shares(self, text: str) -> TurnShares:
        """How likely each label is. Raises WeightsMissingError."""
        (found,) = self._embedder.token_states([text or " "], self._layers, LONGEST)
        row = pooled(found.states)
        return TurnShares(**{name: self._head(name, row) for name in LABELS})

    def _head(self, name: str, row: "Array") -> Shares:
        import numpy as np

        logits = row @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        shares = 1 / (1 + np.exp(-logits)) if name == "signals" else softmax(logits)
        return dict(zip(LABELS[name], shares.tolist(), strict=True))

    @cached_property
    def _weights(self) -> "Mapping[str, Array]":
        return read_weights(self._file)
