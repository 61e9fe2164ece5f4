"""The fitted marker: finds the lasting statements of a turn, by a small net over an encoder's hidden states.

Takes: texts, and the embedder whose weights are installed. Gives: spans with their class, layer and certainty. Never:
loads anything before the first text.

The upper layers of the encoder are adapted to this by low-rank factors, which come with the weights. Convolutions tell
each unit of a text (a word, a sign) from its neighbours as outside, the beginning or the inside of a statement; a run
of units is one statement, and its class and layer come from its pooled units. A head of its own tells the class of a
statement that stands alone. The weights are made by `training/marker_weights.py`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.fitted_reader import COORDINATES, pooled, softmax
from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, convolved, weights_file
from dopejar.values.statement import FactClass, MarkedStatement

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, UnitStates

    Array = npt.NDArray[np.float32]

LONGEST: Final = 200  # tokens of a text that are read, as in fitting
INSIDE: Final = 0.35  # probability from which a unit belongs to a statement
LASTING: Final = 0.5  # mean probability of a statement's units from which it is marked
_OPENS: Final = 0.3  # probability from which a unit opens a statement beside the one before it
_LEAST_UNITS: Final = 2
_CLASSES: Final = tuple(FactClass)


class FittedMarker(FittedNet):
    """`ports.statement_reader.StatementMarker` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._units = embedder.adapted(lambda: self._weights)
        self._layers = LAYERS[model]
        self._file = weights or weights_file("marker", model)

    def mark(self, texts: Sequence[str], searched: Container[str] = ()) -> tuple[tuple[MarkedStatement, ...], ...]:
        """The lasting statements of each text. Raises WeightsMissingError, WeightsDamagedError."""
        found = self._units.unit_states(texts, self._layers, LONGEST, searched)
        return tuple(tuple(self._marked(text)) if text.units else () for text in found)

    def classes(self, texts: Sequence[str]) -> tuple[FactClass, ...]:
        """The class of each text, taken as one statement; plain for one without words. Raises as `mark` does."""
        return tuple(FactClass.PLAIN if vector is None else self._class(vector) for vector in self.vectors(texts))

    def vectors(self, texts: Sequence[str]) -> "Iterator[Array | None]":
        """What the class of each text is told by where it stands alone; None for one without words."""
        import numpy as np

        for one in self._units.unit_states(texts, self._layers, LONGEST):
            yield np.concatenate([*pooled(self._hidden(one)), one.mean]) if one.units else None

    def _class(self, vector: "Array") -> FactClass:
        return _CLASSES[int(self._dense("alone_class", self._dense("alone", vector).clip(0)).argmax())]

    def _marked(self, text: "UnitStates") -> Iterator[MarkedStatement]:
        hidden = self._hidden(text)
        tags = softmax(self._dense("tag", hidden))
        for first, last in _runs(tags):
            certainty = float(1 - tags[first:last, 0].mean())
            if certainty < LASTING or last - first < _LEAST_UNITS:
                continue
            fact_class, coordinates = self._kind(hidden[first:last])
            yield MarkedStatement(
                start=text.units[first][0],
                end=text.units[last - 1][1],
                certainty=certainty,
                fact_class=_CLASSES[fact_class],
                layer=COORDINATES[coordinates][0],
                sublayer=COORDINATES[coordinates][1],
            )

    def _hidden(self, text: "UnitStates") -> "Array":
        import numpy as np

        rows: Array = np.maximum(self._dense("input", text.states) + self._dense("context", text.mean), 0)
        for name in ("near", "far"):
            rows = rows + np.maximum(convolved(rows, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]), 0)
        return rows

    def _kind(self, rows: "Array") -> tuple[int, int]:
        import numpy as np

        both = np.concatenate(pooled(rows))
        return int(self._dense("class", both).argmax()), int(self._dense("layer", both).argmax())


def _runs(tags: "Array") -> Iterator[tuple[int, int]]:
    """The runs of units inside a statement; a unit that opens one ends the run before it."""
    first: int | None = None
    for at, (outside, opens, inside) in enumerate(tags.tolist()):
        if first is not None and (1 - outside < INSIDE or (opens > inside and opens > _OPENS)):
            yield first, at
            first = None
        if first is None and 1 - outside >= INSIDE:
            first = at
    if first is not None:
        yield first, len(tags)
