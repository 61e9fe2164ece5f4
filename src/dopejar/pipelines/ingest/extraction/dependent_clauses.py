"""Leaning: a statement that needs the one before it is kept together with it, in the speaker's own words.

Takes: a clause, the clauses said right before it, the text. Gives: wider clauses to try, the narrowest first. Never:
a word in another order than it was said, nor one from another turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.pipelines.ingest.keys.read_slot import read_slot

_NEXT_TO: Final = 4  # characters between two clauses that follow each other
_ENDS: Final = ".!"
_REACH: Final = 2  # clauses back
_LONGEST: Final = 45  # words; more is no single memory


def leaning_on(clause: Clause, earlier: Sequence[Clause], text: str) -> Iterator[Clause]:
    """The clause with the one before it, then with the two before it, as far as they follow each other."""
    start = clause.start
    for one in reversed(earlier[-_REACH:]):
        if start - one.end > _NEXT_TO or read_slot(one.text, 1):
            return  # what fills a slot is kept as it is
        head = one.raw if one.wrapped else one.text
        head += text[one.end - 1] if text[one.end - 1] in _ENDS else ""
        said = f"{head}{text[one.end : clause.end]}".rstrip(" \n.!?,;:").replace("\u2019", "'")
        if len(said.split()) > _LONGEST:
            return
        certainty = min(one.certainty, clause.certainty)
        yield replace(clause, raw=said, text=" ".join(said.split()), start=one.start, certainty=certainty)
        start = one.start
