"""How well marks agree with the statements that an author found in turns.

Takes: turns with their statements, and what was marked in them. Gives: counts. Never: loads a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dopejar.values.statement import MarkedStatement
from training.reader_data import MarkedTurn


class Counts(NamedTuple):
    """Statements found, in excess and missed, and how many of those found have the right class."""

    found: int
    excess: int
    missed: int
    right_class: int


def compare(turns: Sequence[MarkedTurn], marked: Sequence[Sequence[MarkedStatement]]) -> Counts:
    """A statement is found where a mark covers half of it and half of the mark lies in it."""
    found = excess = missed = right = 0
    for turn, marks in zip(turns, marked, strict=True):
        open_spans = list(turn.spans)
        for mark in marks:
            span = next((one for one in open_spans if _overlap(mark, one.start, one.end) >= 0.5), None)
            if span is None:
                excess += 1
                continue
            open_spans.remove(span)
            if not span.is_optional:
                found += 1
                right += span.fact_class == mark.fact_class
        missed += sum(not span.is_optional for span in open_spans)
    return Counts(found, excess, missed, right)


def _overlap(mark: MarkedStatement, start: int, end: int) -> float:
    shared = min(mark.end, end) - max(mark.start, start)
    return shared / max(mark.end - mark.start, end - start)
