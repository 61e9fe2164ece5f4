"""What a question or a request takes for granted: "my two daughters" are there, whatever is asked about them.

Takes: a clause that asserts nothing by itself. Gives: (text, coordinates) of what it presupposes. Never: what is
asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dopejar.pipelines.ingest.atoms import Coordinates
from dopejar.pipelines.ingest.clauses import Clause
from dopejar.pipelines.ingest.cues import Cues
from dopejar.values.record import Kind, Layer, Sublayer

_STOP: Final = (
    r"(?=\s+(?:is|are|was|were|to|so|or|can|could|should|would|will|might|do|does|that|which|because|but|in order|"
    r"into|from)\b|[,.;:?!]|$)"
)
_NUMBERED: Final = re.compile(
    rf"\b(?:my|our|the) (?:[\w'’/-]+ ){{0,3}}[$€£]?\d[\d,.]*[%kKmM]?(?:[ /-][\w'’/%-]+){{1,14}}?{_STOP}", re.IGNORECASE
)
_TELLING: Final = 5  # words; "the 80% baseline" tells nothing by itself
_OWN: Final = re.compile(
    r"\bmy (?:new |old |own |vintage |\w+[- ]themed )*(?:(?:[A-Z][\w'-]+ )+)?(?:kids?|children|son|daughter|"
    r"wife|husband|partner|girlfriend|"
    r"boyfriend|dog|cat|motorcycle|car|bike|house|apartment|flat|garden|boat|sister|brother|twins|collection|tank|"
    r"(?:\w+ )?(?:figures?|guitar|piano|camera|telescope|printer|aquarium))(?: (?:named |called )?[A-Z][\w-]+)?\b",
)


_PATH: Final = re.compile(r"\b(?:my|our|the) (?:[\w.-]+ ){1,3}?(?:~|\.{1,2})?[\w.-]*[\\/][\w.\\/-]+\w", re.IGNORECASE)


_THE_FACT: Final = re.compile(r"\bthe fact that ((?:i|we|my|our|the)\b[^,;?]+)", re.IGNORECASE)


def presupposed(clause: Clause, words: Cues) -> Iterator[tuple[str, Coordinates]]:
    """Noun phrases with a number ("the $300 allowance for the move") and possessions ("my motorcycle")."""
    taken = 0
    for found in _THE_FACT.finditer(clause.text):
        yield re.split(r" to (?:further|better|improve|make)\b", found.group(1))[0], _fact(0.6)
        taken += 1
    for found in _PATH.finditer(clause.text):
        yield (
            found.group(0),
            Coordinates(
                layer=Layer.WORLD,
                sublayer=Sublayer.FACT,
                kind=Kind.FACT,
                confidence=0.55,
                cue="a place that is taken for granted",
                tags=("env:",),
            ),
        )
        taken += 1
    for found in _NUMBERED.finditer(clause.text):
        phrase = found.group(0).strip()
        yield phrase, _fact(0.55 if len(phrase.split()) >= _TELLING else 0.4)
        taken += 1
    if taken:
        return
    own = _OWN.search(clause.text)
    if own and not words.has("act.hypothetical", clause.text):
        yield f"I have {_article(own.group(0)[3:])}", _fact(0.55)


def _article(noun: str) -> str:
    first = noun.split(maxsplit=1)[0]
    plural = noun.endswith(("s", "children", "kids"))
    if plural or first[:1].isupper():
        return noun
    return f"{'an' if first[:1].lower() in 'aeiou' else 'a'} {noun}"


def _fact(confidence: float) -> Coordinates:
    return Coordinates(
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        kind=Kind.FACT,
        confidence=confidence,
        cue="presupposed by a question",
    )
