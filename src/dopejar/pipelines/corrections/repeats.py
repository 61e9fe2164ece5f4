"""What a person says again: sentences that return in other turns, or that memory holds already.

Takes: readings of the turns of a conversation, and texts that are known. Gives: for each turn how much of it returns.
Never: counts applause, questions or plain tasks as a wish that returns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.corrections.cues import Cues
from dopejar.pipelines.corrections.features import Reading
from dopejar.text.words import query_terms

LEAST: Final = 0.6  # Dice overlap from which a sentence returns
_LONGEST: Final = 40  # words; longer ones are no instruction
_FEW: Final = 3  # words; so short a turn may be nothing but the object of a wish
_SILENT: Final = ("only_approval", "task", "question", "command")
_EMPTY: Final = ("bug", "praise", "fine", "idea")


def repeats(readings: Sequence[Reading], known: Sequence[str] = ()) -> tuple[float, ...]:
    """The best overlap of a directing sentence of each turn with one of another turn or with what is known."""
    rows: list[tuple[int, frozenset[str]]] = []
    for place, reading in enumerate(readings):
        rows += [(place, terms) for terms in _sentences(reading)]
    rows += [(-1 - place, frozenset(query_terms(text))) for place, text in enumerate(known)]
    by_term: dict[str, list[int]] = defaultdict(list)
    for number, (_, terms) in enumerate(rows):
        for term in terms:
            by_term[term].append(number)
    best = [0.0] * len(readings)
    for place, terms in rows:
        if place >= 0:
            best[place] = max(best[place], _best(place, terms, rows, by_term))
    return tuple(best)


def _best(
    place: int, terms: frozenset[str], rows: Sequence[tuple[int, frozenset[str]]], by_term: dict[str, list[int]]
) -> float:
    shared: dict[int, int] = defaultdict(int)
    for term in terms:
        for number in by_term[term] if len(by_term[term]) <= 200 else ():
            shared[number] += 1
    scores = (
        2 * count / (len(terms) + len(rows[number][1])) for number, count in shared.items() if rows[number][0] != place
    )
    found = max(scores, default=0.0)
    return found if found >= LEAST else 0.0


def _directs(words: Cues, sentence: str) -> bool:
    """Whether any cue of a correction or of something lasting stands in the sentence."""
    return any(pattern.search(sentence) for group in ("cue", "standing") for pattern in words.names(group).values())


def _sentences(reading: Reading) -> list[frozenset[str]]:
    """The terms of each sentence that may direct."""
    words, found = reading.words, []
    for one in reading.folded:
        if not one or one.endswith(("?", "？")) or len(one.split()) > _LONGEST:
            continue
        if any(words.has("opening", name, one) for name in _SILENT) or any(words.has("not", name, one) for name in _EMPTY):
            continue
        if len(one.split()) > _FEW and not _directs(words, one):
            continue
        terms = frozenset(query_terms(one))
        if len(terms) >= 2:
            found.append(terms)
    return found
