"""Sentences that may end a rule, which a marker leaves out because alone they state nothing that lasts.

Takes: a turn, and the spans of it that memories rest on or that are not its speaker's. Gives: an atom for each further
sentence, or part of one, that permits something ("eval is fine now"). Never: a question, a permission for a time, or
anything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    found = []
    for piece in sentences(turn.text):
        if piece.text.rstrip().endswith("?") or unspoken(piece, turn.skip) is not None:
            continue
        for part in parts_outside(piece.start, piece.end, taken):
            start, end = _permitting_clause(turn.text, *_trimmed(turn.text, *part))
            words = turn.text[start:end]
            language = guess_language(piece.text)
            if not may_lift(words) or asks_for_now(words, cues(language)) is not None:
                continue
            said = MarkedStatement(
                start=start,
                end=end,
                certainty=_CONFIDENCE,
                fact_class=FactClass.CONSTRAINT,
                layer=Layer.INTENT,
                sublayer=Sublayer.RULE,
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
