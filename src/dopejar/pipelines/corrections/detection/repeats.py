"""Repetition: sentences that return in other turns, or that memory holds already.

Takes: the readings of a conversation's turns, known texts. Gives: the best overlap of each turn. Never: counts praise,
questions or plain tasks as a repeated wish.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from dopejar.pipelines.corrections.correction_cues import CorrectionCues
from dopejar.pipelines.corrections.detection.features import CorrectionReading
from dopejar.text.words import query_terms

LEAST: Final = 0.6  # Dice overlap from which a sentence counts as repeated
_LONGEST: Final = 40  # words; longer ones are no instruction
_COMMON: Final = 200  # sentences that share a term; a more frequent term is ignored
_FEW: Final = 3  # words; so short a turn may consist of the object of a wish alone
_SILENT: Final = ("only_approval", "task", "question", "command")
_EMPTY: Final = ("bug", "praise", "fine", "idea")


def repeat_overlaps(readings: Sequence[CorrectionReading], known: Sequence[str] = ()) -> tuple[float, ...]:
    """For each turn, the best overlap of a directing sentence with one of another turn or with a known text."""
    rows = [
        _Sentence(place, reading.words, text, terms)
        for place, reading in enumerate(readings)
        for text, terms in _sentence_terms(reading)
    ]
    rows += [_Sentence(-1 - place, None, text, frozenset(query_terms(text))) for place, text in enumerate(known)]
    by_term: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for term in row.terms:
            by_term[term].append(number)
    best = [0.0] * len(readings)
    for row in rows:
        if row.place >= 0 and best[row.place] < 1:
            overlap = _best_overlap(row, rows, by_term)
            if overlap > best[row.place] and _may_direct(row):
                best[row.place] = overlap
    return tuple(best)


class _Sentence(NamedTuple):
    """A sentence and its terms; `place` is the index of its turn, negative for a known text."""

    place: int
    words: CorrectionCues | None
    text: str
    terms: frozenset[str]


def _best_overlap(mine: _Sentence, rows: Sequence[_Sentence], by_term: dict[str, list[int]]) -> float:
    shared: dict[int, int] = defaultdict(int)
    for term in mine.terms:
        for number in by_term[term] if len(by_term[term]) <= _COMMON else ():
            shared[number] += 1
    scores = (
        2 * count / (len(mine.terms) + len(rows[number].terms))
        for number, count in shared.items()
        if rows[number].place != mine.place
    )
    best = max(scores, default=0.0)
    return best if best >= LEAST else 0.0


def _sentence_terms(reading: CorrectionReading) -> list[tuple[str, frozenset[str]]]:
    """The sentences that are neither questions, nor long, nor narrative, with their terms."""
    rows = []
    for sentence in reading.directing:
        if sentence and not sentence.endswith(("?", "？")) and len(sentence.split()) <= _LONGEST:
            terms = frozenset(query_terms(sentence))
            if len(terms) >= 2:
                rows.append((sentence, terms))
    return rows


def _may_direct(row: _Sentence) -> bool:
    """Whether the sentence can be a wish: no praise, task or report; with a cue, or too short for one."""
    words, text = row.words, row.text
    if words is None:
        return True
    if any(words.has("opening", name, text) for name in _SILENT):
        return False
    if any(words.has("not", name, text) for name in _EMPTY):
        return False
    return len(text.split()) <= _FEW or _has_directing_cue(words, text)


def _has_directing_cue(words: CorrectionCues, sentence: str) -> bool:
    """Whether the sentence has a cue of a correction or of something lasting."""
    return any(cue.is_in(sentence) for group in ("cue", "standing") for cue in words.names(group).values())
