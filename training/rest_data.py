"""The written pairs that tell what a later statement leaves of an earlier one.

Takes: the files of `data/rests`. Gives: the pairs, with the ranges that go, and what is left without its gaps;
as far as they tell it, what the later statement does to the earlier one. Never: tells whether what goes is updated or
ended, which is not marked.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from training.reader_data import EITHER, Pair

RESTS = Path(__file__).parent / "data" / "rests"
LEAST_WORDS = 3  # of what is left
WEIGHT_OF_REST = 0.7  # in fitting relations, of what is left as a pair of its own
_SIGNS = ((re.compile(r"\s+([,;:.!?)])"), r"\1"), (re.compile(r"([,;:(])(?:\s*[,;:])+"), r"\1"))
_BESIDE = re.compile(r"^[\s,;:.]+|[\s,;:(–—-]+$")
_DOUBLE = re.compile(r"\(\s*\)|\s{2,}")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_GONE = re.compile(r"\[\[(.*?)\]\]")


class Written(NamedTuple):
    """An earlier and a later statement, and the ranges of the earlier one that no longer hold."""

    earlier: str
    later: str
    gone: list[tuple[int, int]]

    @property
    def left(self) -> str:
        """What still holds, with its signs as they are."""
        kept, at = "", 0
        for start, end in self.gone:
            kept, at = kept + self.earlier[at:start], end
        return kept + self.earlier[at:]


def written(path: Path) -> list[Written]:
    """The pairs of a file: a line each, the earlier statement with what goes in double brackets, a tab, the later."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        marked, later = line.split("\t")
        earlier, gone, at = "", [], 0
        for one in _GONE.finditer(marked):
            earlier += marked[at : one.start()]
            gone.append((len(earlier), len(earlier) + len(one[1])))
            earlier, at = earlier + one[1], one.end()
        found.append(Written((earlier + marked[at:]).strip(), later.strip(), gone))
    return found


def without_gaps(text: str) -> str:
    """The text without the spaces and signs that words left behind."""
    plain = _DOUBLE.sub(" ", text)
    for gap, sign in _SIGNS:
        plain = gap.sub(sign, plain)
    return _BESIDE.sub("", plain)


def words_left(text: str) -> list[str]:
    """The words of a rest, without its signs."""
    return _WORD.findall(text)


def pairs_of_rests(path: Path) -> list[Pair]:
    """What the later statements of a file do to the earlier ones, and what they leave of them.

    Where words go it is an update or an end; what is left stands beside it, is added to or said again.
    """
    goes, stands = EITHER.join(("update", "end")), EITHER.join(("apart", "addition", "same"))
    found = []
    for row in written(path):
        found.append(Pair(row.earlier, row.later, goes if row.gone else stands, 1.0))
        if row.gone and len(words_left(row.left)) >= LEAST_WORDS:
            found.append(Pair(without_gaps(row.left), row.later, stands, WEIGHT_OF_REST))
    return found
