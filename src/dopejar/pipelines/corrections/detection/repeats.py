"""What a person says again: sentences that return in other turns, or that memory holds already.

Takes: readings of the turns of a conversation, and texts that are known. Gives: for each turn how much of it returns.
Never: counts applause, questions or plain tasks as a wish that returns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from dopejar.pipelines.corrections.cues import Cues
from dopejar.pipelines.corrections.detection.features import TurnReading
from dopejar.text.words import query_terms

LEAST: Final = 0.6  # Dice overlap from which a sentence returns
_LONGEST: Final = 40  # words; longer ones are no instruction
_COMMON: Final = 200  # sentences that share a term; beyond, it tells nothing
_FEW: Final = 3  # words; so short a turn may be nothing but the object of a wish
_SILENT: Final = ("only_approval", "task", "question", "command")
_EMPTY: Final = ("bug", "praise", "fine", "idea")


def repeat_overlaps(readings: Sequence[TurnReading], known: Sequence[str] = ()) -> tuple[float, ...]:
    """The best overlap of a directing sentence of each turn with one of another turn or with what is known."""
    rows = [
        _Said(place, reading.words, one, terms)
        for place, reading in enumerate(readings)
        for one, terms in _terms(reading)
    ]
    rows += [_Said(-1 - place, None, text, frozenset(query_terms(text))) for place, text in enumerate(known)]
    by_term: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for term in row.terms:
            by_term[term].append(number)
    best = [0.0] * len(readings)
    for row in rows:
        if row.place >= 0 and best[row.place] < 1:
            found = _best(row, rows, by_term)
            if found > best[row.place] and _may_direct(row):
                best[row.place] = found
    return tuple(best)


class _Said(NamedTuple):
    """A sentence and its terms; `place` is its turn's, negative for what is known."""

    place: int
    words: Cues | None
    text: str
    terms: frozenset[str]


def _best(mine: _Said, rows: Sequence[_Said], by_term: dict[str, list[int]]) -> float:
    shared: dict[int, int] = defaultdict(int)
    for term in mine.terms:
        for number in by_term[term] if len(by_term[term]) <= _COMMON else ():
            shared[number] += 1
    scores = (
        2 * count / (len(mine.terms) + len(rows[number].terms))
        for number, count in shared.items()
        if rows[number].place != mine.place
    )
    found = max(scores, default=0.0)
    return found if found >= LEAST else 0.0


def _terms(reading: TurnReading) -> list[tuple[str, frozenset[str]]]:
    """The sentences that are neither questions, nor long, nor narrative, with their terms."""
    found = []
    for one in reading.directing:
        if one and not one.endswith(("?", "？")) and len(one.split()) <= _LONGEST:
            terms = frozenset(query_terms(one))
            if len(terms) >= 2:
                found.append((one, terms))
    return found


def _may_direct(row: _Said) -> bool:
    """Whether the sentence can be a wish: no applause, task or report; with a cue, or too short for one."""
    words, one = row.words, row.text
    if words is None:
        return True
    if any(words.has("opening", name, one) for name in _SILENT) or any(words.has("not", name, one) for name in _EMPTY):
        return False
    return len(one.split()) <= _FEW or _directs(words, one)


def _directs(words: Cues, sentence: str) -> bool:
    """Whether any cue of a correction or of something lasting stands in the sentence."""
    return any(cue.is_in(sentence) for group in ("cue", "standing") for cue in words.names(group).values())
