"""What a question or a request takes for granted: "my two daughters" are there, whatever is asked about them.

Takes: a clause that asserts nothing by itself. Gives: (text, coordinates) of what it presupposes. Never: what is
asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dopejar.pipelines.ingest.atoms import Coordinates
from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.values.record import ENVIRONMENT_TAG, Kind, Layer, Sublayer

_STOP: Final = (
    r"(?=\s+(?:is|are|was|were|to|so|or|can|could|should|would|will|might|do|does|that|which|because|but|in order|"
    r"into|from)\b|[,.;:?!]|$)"
)
_NUMBERED: Final = re.compile(
    rf"\b(?:my|our|the) (?:[\w'’/-]+ ){{0,3}}[$€£]?\d[\d,.]*[%kKmM]?(?:[ /-][\w'’/%-]+){{1,14}}?{_STOP}", re.IGNORECASE
)
_OWN: Final = re.compile(
    r"\bmy (?:new |old |own |vintage |\w+[- ]themed )*(?:(?:[A-Z][\w'-]+ )+)?(?:kids?|children|son|daughter|"
    r"wife|husband|partner|girlfriend|"
    r"boyfriend|dog|cat|motorcycle|car|bike|house|apartment|flat|garden|boat|sister|brother|twins|collection|tank|"
    r"(?:\w+ )?(?:figures?|guitar|piano|camera|telescope|printer|aquarium))(?: (?:named |called )?[A-Z][\w-]+)?\b",
)


_PATH: Final = re.compile(r"\b(?:my|our|the) (?:[\w.-]+ ){1,3}?(?:~|\.{1,2})?[\w.-]*[\\/][\w.\\/-]+\w", re.IGNORECASE)


_PLACE: Final = re.compile(r"(?:^|\s)(?:[~.][\w.-]*)?[\\/]\w|(?:[\\/][\w.-]+){2}|[\\/][\w-]*\.\w")  # "rock/pop" is none
_PART_OF: Final = re.compile(r"the (?:top|end|bottom|start|beginning|rest|contents?|middle) of\b", re.IGNORECASE)
_THE_FACT: Final = re.compile(r"\bthe fact that ((?:i|we|my|our|the)\b[^,;?]+)", re.IGNORECASE)


def presupposed(clause: Clause, words: Cues) -> Iterator[tuple[str, Coordinates]]:
    """Noun phrases with a number ("the $300 allowance for the move") and possessions ("my motorcycle")."""
    taken = 0
    text = clause.text
    for found in _THE_FACT.finditer(text):
        yield re.split(r" to (?:further|better|improve|make)\b", found.group(1))[0], _fact(0.6)
        taken += 1
    for found in _PATH.finditer(text) if "/" in text or "\\" in text else ():
        if not _PLACE.search(found.group(0)) or _PART_OF.match(found.group(0)):
            continue
        yield (
            found.group(0),
            Coordinates(
                layer=Layer.WORLD,
                sublayer=Sublayer.FACT,
                kind=Kind.FACT,
                confidence=0.55,
                cue="a place that is taken for granted",
                tags=(ENVIRONMENT_TAG,),
            ),
        )
        taken += 1
    for found in _NUMBERED.finditer(text) if any(map(str.isdecimal, text)) else ():
        yield _noun_phrase(found.group(0)), _fact(0.55)
        taken += 1
    if taken:
        return
    own = _OWN.search(text)
    if own and not words.has("act.hypothetical", text):
        yield f"I have {_article(own.group(0)[3:])}", _fact(0.55)


def _noun_phrase(found: str) -> str:
    """The found words as far as they are one noun phrase: up to the next subject, and without what hangs at the end."""
    words = found.split()
    kept: list[str] = []
    for place, word in enumerate(words):
        bare = word.strip(",;").casefold()
        after = words[place + 1].strip(",;").casefold() if place + 1 < len(words) else ""
        is_next = bare in _DETERMINERS and place > 0 and not _LEADS_ON.match(words[place - 1].casefold())
        if bare in _SUBJECTS and len(kept) > 1 and kept[-2].casefold() in ("and", "or"):
            del kept[-2:]  # "... and tell you": the next clause began before its subject
        if bare in _SUBJECTS or (is_next and after not in _UNITS):
            break
        kept.append(word)
    while kept and kept[-1].strip(",;").casefold() in _HANGING:
        kept.pop()
    return " ".join(kept).rstrip(",;")


_SUBJECTS: Final = frozenset(
    [
        *("i", "you", "me", "we", "us", "he", "him", "she", "they", "them", "it"),
        *("when", "while", "if", "how", "what", "why", "who"),
    ]
)
_DETERMINERS: Final = frozenset(["the", "a", "an", "my", "our", "your", "his", "her", "their", "this", "that"])
_LEADS_ON: Final = re.compile(
    r"(?:of|for|to|in|on|at|by|with|from|per|and|or|like|about|between|into|over|under|as|than|\w+ing|\w+ed)$"
)
_UNITS: Final = frozenset(["second", "minute", "hour", "day", "week", "month", "year", "night", "piece", "person"])
_HANGING: Final = frozenset(
    [*_DETERMINERS, "or", "and", "but", "is", "are", "was", "were", "of", "for", "to", "in", "on", "at", "by", "with"]
)


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
