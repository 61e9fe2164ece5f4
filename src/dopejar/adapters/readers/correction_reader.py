"""The fitted reader of corrections: whether a person's turn corrects an assistant, from an encoder's hidden states.

Takes: the words of turns, and the embedder whose weights are installed. Gives: log odds. Never: loads anything before
the first turn.

One hidden layer over the mean, the maximum and the first token of the states. The weights are made by
`training/correction_head.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.fitted_reader import TokenStates
from dopejar.adapters.readers.side_reader import pooled
from dopejar.adapters.readers.weights_file import LAYERS, read_weights, weights_file
from dopejar.values.statement import CorrectionOdds

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

LONGEST: Final = 128  # tokens of a turn; what is wanted stands near its beginning
_BATCH: Final = 32  # turns that are encoded together


class FittedCorrectionReader:
    """`ports.statement_reader.CorrectionReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: TokenStates, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = LAYERS[model]
        self._file = weights or weights_file("corrections", model)

    def corrections(self, texts: Sequence[str]) -> tuple[CorrectionOdds, ...]:
        """The log odds of each turn. Raises WeightsMissingError, WeightsDamagedError."""
        found: list[CorrectionOdds] = []
        for start in range(0, len(texts), _BATCH):
            states = self._embedder.token_states(texts[start : start + _BATCH], self._layers, LONGEST)
            found += [self._odds(pooled(rows)) for _, rows in states]
        return tuple(found)

    def _odds(self, row: "Array") -> CorrectionOdds:
        import numpy as np

        w = self._weights
        hidden = np.maximum(row @ w["hidden.weight"].T + w["hidden.bias"], 0)
        corrects, lasts = (hidden @ w["out.weight"].T + w["out.bias"]).tolist()
        return CorrectionOdds(corrects=corrects, lasts=lasts)

    @cached_property
    def _weights(self) -> "Mapping[str, Array]":
        return read_weights(self._file)
