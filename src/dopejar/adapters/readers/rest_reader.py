"""The fitted reader of rests: which words of a statement still hold after a later one.

Takes: pairs of an earlier and a later statement, and the embedder whose weights are installed. Gives: what is left of
the earlier ones, in their own words. Never: adds a word; loads anything before the first pair.

Both statements are read in one pass of an encoder that is adapted by low-rank factors, which come with the weights; a
hidden layer tells of each word of the earlier one whether it goes. The weights are made by `training/rest_weights.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.adapters.readers.fitted_reader import convolved
from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, weights_file

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    Array = npt.NDArray[np.float32]

LONGEST: Final = 96  # tokens of each statement that are read, as in fitting
_UNSURE: Final = 0.15  # mean loss of the words, were all as found, from which it is not sure which of them go
_SIGNS: Final = ((re.compile(r"\s+([,;:.!?)])"), r"\1"), (re.compile(r"([,;:(])(?:\s*[,;:])+"), r"\1"))
_BESIDE: Final = re.compile(r"^[\s,;:.]+|[\s,;:(–—-]+$")
_DOUBLE: Final = re.compile(r"\s*\(\s*\)\s*|\s{2,}")
_MARK: Final = re.compile(r"[,;:.!?()–—]")
_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")


class FittedRestReader(FittedNet):
    """`ports.statement_reader.RestReader` over one installed model. Safe to use from several threads."""

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self._pairs = embedder.adapted(lambda: self._weights)
        self._layers = LAYERS[model]
        self._file = weights or weights_file("rests", model)

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """What is left of each earlier statement; None where not surely what goes. Raises as any reader."""
        if not pairs:
            return ()
        read = self._pairs.second_states([(later, earlier) for earlier, later in pairs], self._layers, LONGEST)
        return tuple(
            self._left(earlier, units, rows, mean)
            for (earlier, _), (units, rows, mean) in zip(pairs, read, strict=True)
        )

    def _left(self, text: str, units: Sequence[tuple[int, int]], rows: "Array", mean: "Array") -> str | None:
        import numpy as np

        if not units:
            return text
        hidden = (self._dense("input", rows) + self._dense("context", mean)).clip(0)
        for name in ("near", "far"):
            near = convolved(hidden, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])
            hidden = hidden + near.clip(0)
        odds = self._dense("out", hidden)[:, 0]
        goes = odds >= 0
        if not goes.any():
            return text
        starts = int(goes[0]) + int((goes[1:] & ~goes[:-1]).sum())
        if not goes.all() and (starts > 1 or np.log1p(np.exp(-np.abs(odds))).mean() >= _UNSURE):
            return None
        if _breaks_a_word(text, units, goes.tolist()):
            return None
        kept, at = "", 0
        for (start, end), is_gone in zip(units, goes.tolist(), strict=True):
            kept += text[at:start] if not is_gone or text[at:start].strip() else ""
            kept, at = kept + ("" if is_gone else text[start:end]), end
        return without_gaps(kept + text[at:])


def _breaks_a_word(text: str, units: Sequence[tuple[int, int]], goes: Sequence[bool]) -> bool:
    """Whether what goes ends within a run of signs, as the 2 of "2%"; a comma or a bracket is none of the run."""
    ends = [
        (one[1], other[0])
        for one, other, is_gone, next_goes in zip(units, units[1:], goes, goes[1:], strict=False)
        if is_gone is not next_goes
    ]
    return any(end == start and not _MARK.search(text[end - 1 : end + 1]) for end, start in ends)


def without_gaps(text: str) -> str:
    """The text without the spaces and signs that words left behind."""
    plain = _DOUBLE.sub(" ", text)
    for gap, sign in _SIGNS:
        plain = gap.sub(sign, plain)
    return _BESIDE.sub("", plain)


def words_left(text: str) -> list[str]:
    """The words of a rest, without its signs."""
    return _WORD.findall(text)
