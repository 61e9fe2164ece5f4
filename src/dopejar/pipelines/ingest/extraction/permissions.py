"""Sentences that may end a rule or tell newer figures, which a marker leaves out: alone they state nothing that lasts.

Takes: a turn, and the spans of it that memories rest on or that are not its speaker's. Gives: an atom for each further
sentence, or part of one, that permits something ("eval is fine now") or holds a figure. Never: a question, what holds
for a time, or what is asked for now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.extractor import unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, atom_of, parts_outside
from dopejar.pipelines.ingest.extraction.momentary_words import asks_for_now
from dopejar.pipelines.ingest.integrity.exceptions import may_lift
from dopejar.text.lexicons import guess_language
from dopejar.text.sentences import sentences
from dopejar.text.text_values import has_digit
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

_JOINT: Final = re.compile(r"[\s,;:.–—-]*(?:(?:and|but|so|then)\b[\s,]*)*", re.IGNORECASE)
_BOUNDARY: Final = re.compile(r"[,;:](?=\s)|\s[–—-]\s")
_CONDITION: Final = re.compile(
    r"(?:if|when|whenever|unless|once|while|as long as|provided|as soon as|only|except|but not|not)\b", re.IGNORECASE
)
_POINTS_BACK: Final = re.compile(r"\b(?:it|that|this|them|they|those|these)\b(?! (?:is|'s)\b)", re.IGNORECASE)
_CLOSING: Final = " .!,;:"
_CONFIDENCE: Final = 0.5  # the least that is proposed of a conversation


def find_permissions(turn: SpokenTurn, taken: Sequence[tuple[int, int]]) -> list[Atom]:
    """The sentences of a turn that may end a rule, without the spans of them that are taken."""
    parts = (_permitting_clause(turn.text, *part) for part in _left_over(turn, taken))
    permitting = [part for part in parts if may_lift(turn.text[slice(*part)])]
    return _atoms(turn, permitting, FactClass.CONSTRAINT, Sublayer.RULE)


def find_figures(turn: SpokenTurn, taken: Sequence[tuple[int, int]]) -> list[Atom]:
    """The sentences of a turn that tell figures, which may be newer ones, without the spans of them that are taken."""
    figures = [part for part in _left_over(turn, taken) if has_digit(turn.text[slice(*part)])]
    return _atoms(turn, figures, FactClass.PLAIN, Sublayer.FACT)


def _left_over(turn: SpokenTurn, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for piece in sentences(turn.text):
        if not piece.text.rstrip().endswith("?") and unspoken(piece, turn.skip) is None:
            yield from (_trimmed(turn.text, *part) for part in parts_outside(piece.start, piece.end, taken))


def _atoms(turn: SpokenTurn, parts: Sequence[tuple[int, int]], fact_class: FactClass, sublayer: Sublayer) -> list[Atom]:
    """The parts of a turn as atoms, but for what is asked for now or holds for a time."""
    layer = Layer.INTENT if fact_class is FactClass.CONSTRAINT else Layer.WORLD
    found = []
    for start, end in parts:
        words, language = turn.text[start:end], guess_language(turn.text[start:end])
        if asks_for_now(words, cues(language)) is not None:
            continue
        said = MarkedStatement(
            start=start, end=end, certainty=_CONFIDENCE, fact_class=fact_class, layer=layer, sublayer=sublayer
        )
        atom = atom_of(" ".join(words.split()), start, end, said, turn, language)
        if not atom.temporary:
            found.append(atom)
    return found


def _permitting_clause(text: str, start: int, end: int) -> tuple[int, int]:
    """The one clause that permits something, without what is told beside it; all where it holds on a condition."""
    ends = [found.start() for found in _BOUNDARY.finditer(text, start, end)]
    clauses = [_trimmed(text, low, high) for low, high in pairwise((start, *ends, end))]
    permitting = [clause for clause in clauses if may_lift(text[clause[0] : clause[1]])]
    is_conditional = any(_CONDITION.match(text, low, high) for low, high in clauses)
    if len(permitting) != 1 or is_conditional or _POINTS_BACK.search(text, *permitting[0]):
        return start, end
    return permitting[0]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The part without the signs at its edges, and the conjunction that joins it to what is taken before it."""
    joint = _JOINT.match(text, start, end)
    start = joint.end() if joint else start
    return start, max(start, start + len(text[start:end].rstrip(_CLOSING)))
