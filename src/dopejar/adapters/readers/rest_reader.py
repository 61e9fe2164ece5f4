"""The fitted reader of rests: which words of a statement still hold after a later one.

Takes: pairs of an earlier and a later statement, and the embedder whose weights are installed. Gives: what is left of
the earlier ones, in their own words. Never: adds a word; loads anything before the first pair.

Both statements are read in one pass of an encoder that is adapted by low-rank factors, which come with the weights. A
hidden layer and two convolutions tell of each word of the earlier one whether it goes. One stretch is cut out, where
that is sure: of two, few are right. The weights are made by `training/rest_weights.py`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, convolved, weights_file

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, UnitStates

    Array = npt.NDArray[np.float32]

LONGEST: Final = 96  # tokens of each statement that are read, as in fitting
_CAPACITY: Final = 256  # pairs that are kept as read
_UNSURE: Final = 0.2  # mean loss of the words, were all as found, from which it is not sure which of them go
_SIGNS: Final = ",;:.!?)"
_JOINS: Final = " ,;:.(-\u2013\u2014"  # what must not end a text, or stand before a sign
_BROKEN: Final = re.compile(
    r"[^\s,;:.!?()\u2013\u2014]{2}"
)  # within a run of signs, as between the 2 and the % of "2%"
_HANGS: Final = re.compile(
    r"\b(?:in|at|on|of|to|for|from|with|by|after|before|until|since|via|as|than|into|near|"
    r"the|an?|every|each|no|this|that|my|our|your|his|her|its|their|is|are|was|and|or|but)$",
    re.IGNORECASE,
)


class FittedRestReader(FittedNet):
    """The pass of `ports.statement_reader.StatementReader.rests` over one installed model. Safe in several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._embedder = embedder
        self._layers = LAYERS[model]
        self._file = weights or weights_file("rests", model)
        self._lock = threading.Lock()
        self._recent: dict[tuple[str, str], str | None] = {}

    @cached_property
    def _pairs(self) -> SentenceEmbedder:
        return self._embedder.adapted(lambda: self._weights)

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """What is left of each earlier statement; None where a part goes, and not surely which.

        Raises WeightsMissingError, WeightsDamagedError.
        """
        with self._lock:
            known = {pair: self._recent[pair] for pair in pairs if pair in self._recent}
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        if missing:
            read = self._pairs.second_states([(later, earlier) for earlier, later in missing], self._layers, LONGEST)
            fresh = {pair: self._left(pair[0], seen) for pair, seen in zip(missing, read, strict=True)}
            known |= fresh
            with self._lock:  # a change is asked about again when its rest is kept
                if len(self._recent) >= _CAPACITY:
                    self._recent.clear()
                self._recent.update(fresh)
        return tuple(known[pair] for pair in pairs)

    def _left(self, text: str, seen: UnitStates) -> str | None:
        import numpy as np

        if not seen.units:
            return text
        odds = self._odds(seen)
        goes = np.flatnonzero(odds >= 0).tolist()
        if not goes:
            return text
        is_whole = len(goes) == len(seen.units)
        is_unread = bool(text[seen.units[-1][1] :].strip(f"{_SIGNS} \"'"))
        is_sure = is_whole or np.log1p(np.exp(-np.abs(odds))).mean() < _UNSURE
        if is_unread or not is_sure or goes[-1] - goes[0] >= len(goes):
            return None
        return "" if is_whole else without(text, seen.units[goes[0]][0], seen.units[goes[-1]][1])

    def _odds(self, seen: UnitStates) -> Array:
        hidden = (self._dense("input", seen.states) + self._dense("context", seen.mean)).clip(0)
        for name in ("near", "far"):
            near = convolved(hidden, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])
            hidden = hidden + near.clip(0)
        return self._dense("out", hidden)[:, 0]


def without(text: str, start: int, end: int) -> str | None:
    """The text without a stretch, and without the signs that it leaves; None where a word or a phrase would break.

    The comma behind it stays between two clauses, and not behind a verb or a preposition.
    """
    if any(map(_BROKEN.fullmatch, _edges(text, start, end))):
        return None
    head, gone, tail = text[:start].rstrip(), text[start:end].strip(), text[end:].lstrip()
    if not head:
        return tail.lstrip(_JOINS)
    hangs = _HANGS.search(head) is not None
    if not tail.strip(_SIGNS) or tail[0] in _SIGNS:
        return None if hangs else head.rstrip(_JOINS) + (tail if tail.strip(_SIGNS) else "")
    is_between = gone[-1] in ",;" and gone[0] not in _SIGNS and head[-1] not in _SIGNS and not hangs
    return f"{head}{gone[-1] if is_between else ''} {tail}"


def _edges(text: str, start: int, end: int) -> tuple[str, str]:
    """The two signs at each end of a stretch, one of them in it; "" at an end of the text."""
    return text[start - 1 : start + 1] if start else "", text[end - 1 : end + 1] if end < len(text) else ""
