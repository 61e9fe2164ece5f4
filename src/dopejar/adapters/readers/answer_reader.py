"""The fitted reader of answers: whether a text answers a question, both read in one pass of an adapted encoder.

Takes: a question, texts, and the embedder whose weights are installed. Gives: log odds. Never: loads anything before
the first text.

A cosine tells that a text is about the same thing; only both texts together tell whether it says what was asked. All
layers of the encoder are adapted to this by low-rank factors, which come with the weights; one hidden layer reads the
first token and the mean of the last states. The weights are made by `training/answer_weights.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, weights_file

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    Array = npt.NDArray[np.float32]

LONGEST: Final = (48, 96)  # tokens of the question and of the text that are read, as in fitting


class FittedAnswerReader(FittedNet):
    """`ports.statement_reader.AnswerReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._pairs = embedder.adapted(lambda: self._weights)
        self._layers = LAYERS[model][-1:]
        self._file = weights or weights_file("answers", model)

    def answers(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The log odds that each text answers the question. Raises WeightsMissingError, WeightsDamagedError."""
        import numpy as np

        if not texts:
            return ()
        states = self._pairs.pair_states([(question, text) for text in texts], self._layers, LONGEST)
        rows = np.stack([np.concatenate([one[0], one.mean(0)]) for one in states])
        return tuple(self._dense("out", self._dense("hidden", rows).clip(0))[:, 0].tolist())
