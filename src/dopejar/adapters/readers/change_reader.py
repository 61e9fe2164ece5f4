"""The fitted reader of changes: which name took the place of which, and which figure holds for what.

Takes: texts, and the embedder whose weights are installed. Gives: changes. Never: loads anything before the first text
that could tell one.

A name is read as one of a few words that stand for names, so that only what is said of it counts. One hidden layer over
the states of two names and of the text tells whether one took the place of the other; two convolutions tell of each
unit whether it belongs to a figure that holds, or to what that is for. The weights are made by
`training/change_weights.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.adapters.readers.fitted_reader import convolved, softmax
from dopejar.adapters.readers.weights_file import LAYERS, read_weights, weights_file
from dopejar.text.names import Span, measures, spelled_names
from dopejar.text.normalisation import fold
from dopejar.text.words import content_words
from dopejar.values.statement import Change

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import UnitStates
    from dopejar.adapters.readers.statement_marker import TextUnits

    Array = npt.NDArray[np.float32]

LONGEST: Final = 64  # tokens, as in fitting
STAND_INS: Final = ("Alpha", "Beta", "Gamma", "Delta", "Sigma", "Omega")
RENAMED: Final = 0.7  # probability from which one name took the place of another
FIGURE, TOPIC = 1, 2
_SURE: Final = 0.4  # mean probability of the units of a figure
_OPENING: Final = re.compile(r"(?:(?! of ).)*\b(?:the|our|my) ", re.IGNORECASE)
_WORD_BEFORE: Final = re.compile(r"(?<!\S)([a-z-]+) $")
_LIKELY: Final = 0.5  # of a unit of what it is for


class MaskedText(NamedTuple):
    """A text with stand-ins for its names: what is read, and where each name and figure is in it."""

    text: str
    names: list[tuple[Span, str]]  # the stand-in, and the name itself
    figures: list[Span]

    def pairs(self) -> list[tuple[str, str]]:
        """The stand-ins by two, in the order of the text."""
        return list(combinations(dict.fromkeys(span.text for span, _ in self.names), 2))


def layers_of(model: str) -> tuple[int, ...]:
    """The later two of the layers that readers see: the first knows words only."""
    return LAYERS[model][1:]


def mask(text: str) -> MaskedText | None:
    """The text to be read; None for one that has neither two names nor a figure."""
    said = spelled_names(text)
    figures = [one for one in measures(text) if not any(name.start < one.start < name.end for name in said)]
    names = [one for one in said if not any(one.start < f.end and f.start < one.end for f in figures)]
    known: dict[str, str] = {}
    for name in names:
        if len(known) < len(STAND_INS):
            known.setdefault(fold(name.text), STAND_INS[len(known)])
    if len(known) < 2 and not figures:
        return None
    masked, placed, at = "", list[tuple[Span, str]](), 0
    for name in names:
        if stand_in := known.get(fold(name.text)):
            masked += text[at : name.start]
            placed.append((Span(len(masked), len(masked) + len(stand_in), stand_in), name.text))
            masked, at = masked + stand_in, name.end
    masked += text[at:]
    return MaskedText(masked, placed, list(measures(masked)))


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


class FittedChangeReader:
    """`ports.statement_reader.ChangeReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: TextUnits, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = layers_of(model)
        self._file = weights or weights_file("changes", model)

    def changes(self, texts: Sequence[str]) -> tuple[Change, ...]:
        """What each text says to have changed. Raises WeightsMissingError, WeightsDamagedError."""
        found = [Change()] * len(texts)
        masked = {place: one for place, text in enumerate(texts) if (one := mask(text)) is not None}
        states = self._embedder.unit_states([one.text for one in masked.values()], self._layers, LONGEST)
        for (place, one), seen in zip(masked.items(), states, strict=True):
            if seen.units:
                found[place] = Change(renamed=self._renamed(one, seen), limit=self._limit(one, seen))
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

    def _limit(self, masked: MaskedText, seen: UnitStates) -> tuple[str, str] | None:
        """What a figure is for, and the figure that holds."""
        figures = [one for one in masked.figures if not one.text.isdigit()]  # a bare number counts anything
        tags = self._tags(seen.states, seen.mean) if figures else seen.states
        shares = [(float(tags[inside, FIGURE].mean()), one.text) for one in figures if (inside := units_in(seen, one))]
        if not shares:
            return None
        sure, figure = max(shares)
        topic = _topic(masked, seen.units, tags) if sure >= _SURE else ""
        return (topic, figure) if topic else None

    def _tags(self, states: Array, mean: Array) -> Array:
        import numpy as np

        rows: Array = np.maximum(self._dense("tags.input", states) + self._dense("tags.context", mean), 0)
        for name in ("tags.near", "tags.far"):
            rows = rows + np.maximum(convolved(rows, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]), 0)
        return softmax(self._dense("tags.out", rows))

    def _dense(self, name: str, rows: Array) -> Array:
        product: Array = rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    @cached_property
    def _weights(self) -> Mapping[str, Array]:
        return read_weights(self._file)


def _topic(masked: MaskedText, units: Sequence[tuple[int, int]], tags: Array) -> str:
    """The likeliest run of units that a figure is for, with the names that stand in it."""
    best, weight = (0, 0), 0.0
    first, total = -1, 0.0
    for place, share in enumerate(tags[:, TOPIC].tolist()):
        if share < _LIKELY:
            first, total = -1, 0.0
            continue
        first, total = (place, share) if first < 0 else (first, total + share)
        if total > weight:
            best, weight = (units[first][0], units[place][1]), total
    best = _whole_phrase(masked.text, *best)
    said = masked.text[best[0] : best[1]]
    for span, name in reversed(masked.names):
        if best[0] <= span.start and span.end <= best[1]:
            said = said[: span.start - best[0]] + name + said[span.end - best[0] :]
    return said


def _whole_phrase(text: str, start: int, end: int) -> tuple[int, int]:
    """The range from its last "the" or "our" on, and with the plain words that stand right before it."""
    if opening := _OPENING.match(text[start:end]):
        return start + opening.end(), end
    while start < end and (before := _WORD_BEFORE.search(text[:start])) and content_words(before[1]):
        start = before.start(1)
    return start, end
