"""Sentences that may end a rule, which a marker leaves out because alone they state nothing that lasts.

Takes: a turn, and the spans of it that memories rest on or that are not its speaker's. Gives: an atom for each further
sentence that permits something ("eval is fine now"). Never: a question, a permission for a time, or anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.extractor import unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, atom_of
from dopejar.pipelines.ingest.extraction.momentary_words import asks_for_now
from dopejar.pipelines.ingest.integrity.exceptions import may_lift
from dopejar.text.lexicons import guess_language
from dopejar.text.sentences import sentences
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

_CLOSING: Final = " .!,;:"
_CONFIDENCE: Final = 0.5  # the least that is proposed of a conversation


def find_permissions(turn: SpokenTurn, taken: Sequence[tuple[int, int]]) -> list[Atom]:
    """The sentences of a turn that may end a rule, but for those in the spans that are taken."""
    found = []
    for piece in sentences(turn.text):
        start, end = piece.start, piece.start + len(piece.text.rstrip(_CLOSING))
        if piece.text.rstrip().endswith("?") or not may_lift(piece.text) or unspoken(piece, turn.skip) is not None:
            continue
        if any(low < end and start < high for low, high in taken):
            continue
        language = guess_language(piece.text)
        if asks_for_now(piece.text, cues(language)) is not None:
            continue
        said = MarkedStatement(
            start=start,
            end=end,
            certainty=_CONFIDENCE,
            fact_class=FactClass.CONSTRAINT,
            layer=Layer.INTENT,
            sublayer=Sublayer.RULE,
        )
        atom = atom_of(" ".join(turn.text[start:end].split()), start, end, said, turn, language)
        if not atom.temporary:
            found.append(atom)
    return found
