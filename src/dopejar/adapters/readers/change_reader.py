"""The fitted reader of changes: which name took the place of which.

Takes: texts, and the embedder whose weights are installed. Gives: changes. Never: loads anything before the first text
that could tell one.

A name is read as one of a few words that stand for names, so that only what is said of it counts. One hidden layer over
the states of two names and of the text tells whether one took the place of the other. The weights are made by
`training/change_weights.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.adapters.readers.fitted_reader import softmax
from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, weights_file
from dopejar.text.names import Span, spelled_names
from dopejar.text.normalisation import fold
from dopejar.values.statement import Renaming

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, UnitStates

    Array = npt.NDArray[np.float32]

LONGEST: Final = 64  # tokens, as in fitting
STAND_INS: Final = ("Alpha", "Beta", "Gamma", "Delta", "Sigma", "Omega")
RENAMED: Final = 0.7  # probability from which one name took the place of another


class MaskedText(NamedTuple):
    """A text with stand-ins for its names: what is read, and where each name is in it."""

    text: str
    names: list[tuple[Span, str]]  # the stand-in, and the name itself

    def pairs(self) -> list[tuple[str, str]]:
        """The stand-ins by two, in the order of the text."""
        return list(combinations(dict.fromkeys(span.text for span, _ in self.names), 2))


def layers_of(model: str) -> tuple[int, ...]:
    """The later two of the layers that readers see: the first knows words only."""
    return LAYERS[model][1:]


def mask(text: str) -> MaskedText | None:
    """The text to be read; None for one without two names."""
    names = spelled_names(text)
    known: dict[str, str] = {}
    for name in names:
        if len(known) < len(STAND_INS):
            known.setdefault(fold(name.text), STAND_INS[len(known)])
    if len(known) < 2:
        return None
    masked, placed, at = "", list[tuple[Span, str]](), 0
    for name in names:
        if stand_in := known.get(fold(name.text)):
            masked += text[at : name.start]
            placed.append((Span(len(masked), len(masked) + len(stand_in), stand_in), name.text))
            masked, at = masked + stand_in, name.end
    masked += text[at:]
    return MaskedText(masked, placed)


def pair_row(masked: MaskedText, seen: UnitStates, pair: tuple[str, str]) -> Array:
    """The states of two names and of the text, side by side."""
    import numpy as np

    rows = []
    for stand_in in pair:
        spans = [span for span, _ in masked.names if span.text == stand_in]
        inside = [place for span in spans for place in units_in(seen, span)]
        rows.append(seen.states[inside].mean(0) if inside else seen.mean)
    return np.concatenate([*rows, seen.mean])


def units_in(seen: UnitStates, span: Span) -> list[int]:
    """The units of a range."""
    return [place for place, (start, end) in enumerate(seen.units) if start < span.end and span.start < end]


class FittedChangeReader(FittedNet):
    """`ports.statement_reader.ChangeReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = layers_of(model)
        self._file = weights or weights_file("changes", model)

    def changes(self, texts: Sequence[str]) -> tuple[Renaming, ...]:
        """What each text says to have changed. Raises WeightsMissingError, WeightsDamagedError."""
        found = [Renaming()] * len(texts)
        masked = {place: one for place, text in enumerate(texts) if (one := mask(text)) is not None}
        states = self._embedder.unit_states([one.text for one in masked.values()], self._layers, LONGEST)
        for (place, one), seen in zip(masked.items(), states, strict=True):
            if seen.units:
                found[place] = Renaming(renamed=self._renamed(one, seen))
        return tuple(found)

    def _renamed(self, masked: MaskedText, seen: UnitStates) -> tuple[str, str] | None:
        """The two names of which one most likely took the place of the other, the older first."""
        import numpy as np

        names = {span.text: name for span, name in reversed(masked.names)}
        best, renamed = RENAMED, None
        for one, other in masked.pairs():
            hidden = np.maximum(self._dense("pair.hidden", pair_row(masked, seen, (one, other))), 0)
            _, forward, back = softmax(self._dense("pair.out", hidden)).tolist()
            if forward + back >= best:
                best, renamed = forward + back, (one, other) if forward >= back else (other, one)
        return (names[renamed[0]], names[renamed[1]]) if renamed else None
