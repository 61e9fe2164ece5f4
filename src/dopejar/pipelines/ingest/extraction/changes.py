"""New names in what a turn says, as a reader of changes finds them, or a request gives them.

Takes: turns with what was extracted from them, and a reader. Gives: the extractions; a statement that tells of a new
name is one atom. Never: reads what nobody said, or takes a question for a statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.momentary_words import asks_for_now
from dopejar.pipelines.ingest.keys.read_slot import gives_a_name
from dopejar.ports.statement_reader import ChangeReader
from dopejar.text.lexicons import guess_language
from dopejar.text.names import spelled_names
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences
from dopejar.values.record import Kind, Layer, Sublayer

_BRIEF: Final = 300  # characters of two sentences that may say one thing
_TELLING: Final = 300  # characters that tell a language
_CONFIDENCE: Final = 0.8  # of a new name
_REFERS: Final = re.compile(r"\b(?:it|its|it's|that|they|them)\b", re.IGNORECASE)
Span = tuple[int, int]


def with_changes(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: ChangeReader
) -> list[Extraction]:
    """The extractions with the changes that the turns tell of, all turns read at once."""
    asked = [(place, span) for place, turn in enumerate(turns) for span in _candidates(turn)]
    found = reader.changes([turns[place].text[slice(*span)] for place, span in asked])
    result = list(extractions)
    taken: dict[int, list[Span]] = {}
    for (place, span), change in zip(asked, found, strict=True):
        if any(start < span[1] and span[0] < end for start, end in taken.get(place, ())):
            continue
        if change.renamed is not None:
            taken.setdefault(place, []).append(span)
            result[place] = _renamed(turns[place], result[place], span, change.renamed)
    return [_with_names(turn, extraction) for turn, extraction in zip(turns, result, strict=True)]


def _with_names(turn: SpokenTurn, extraction: Extraction) -> Extraction:
    """The extraction with the names that the turn asks to use: "Call the server Box A"."""
    for piece in sentences(turn.text):
        is_named = any(atom.kind is Kind.ALIAS and piece.start <= atom.start < piece.end for atom in extraction.atoms)
        if not is_named and unspoken(piece, turn.skip) is None and gives_a_name(piece.text.strip().rstrip(".!")):
            said = replace(
                _whole(turn, (piece.start, piece.end)), kind=Kind.ALIAS, cue="gives a name", only_states=True
            )
            extraction = extraction.with_atom(said)
    return extraction


def _candidates(turn: SpokenTurn) -> list[Span]:
    """Sentences that may tell of a change, and after them two that may do so together."""
    words = cues(guess_language(turn.text[:_TELLING]))
    spoken = [
        piece
        for piece in sentences(turn.text)
        if unspoken(piece, turn.skip) is None and asks_for_now(piece.text, words) is None
    ]
    named = [frozenset(fold(name.text) for name in spelled_names(piece.text)) for piece in spoken]
    alone, together = list[Span](), list[Span]()
    for place, piece in enumerate(spoken):
        if not piece.text.rstrip().endswith("?") and len(named[place]) > 1:
            alone.append((piece.start, piece.end))
        before = spoken[place - 1] if place else None
        if (
            before is not None
            and len(named[place - 1]) == len(named[place]) == 1
            and named[place - 1] != named[place]
            and piece.end - before.start < _BRIEF
            and _REFERS.search(piece.text)
            and not piece.text.rstrip().endswith("?")
        ):
            together.append((before.start, piece.end))
    return alone + together


def _renamed(turn: SpokenTurn, extraction: Extraction, span: Span, names: tuple[str, str]) -> Extraction:
    inside = [atom for atom in extraction.atoms if atom.start < span[1] and span[0] < atom.end]
    told = next((atom for atom in inside if all(name in atom.text for name in names)), None) or _whole(turn, span)
    sure = max(told.confidence, _CONFIDENCE)
    said = replace(_as_fact(told), kind=Kind.ALIAS, cue=", ".join(names), confidence=sure, only_states=True)
    return extraction.with_atom(replace(said, renamed=names))


def _whole(turn: SpokenTurn, span: Span) -> Atom:
    """The sentence as one atom that is said, but found by nothing else to last."""
    start, end = span
    return Atom(
        text=as_sentence(" ".join(turn.text[start:end].split()).rstrip(".!")),
        start=start,
        end=end,
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        kind=Kind.FACT,
        cue="reads as a change",
        confidence=_CONFIDENCE,
        speaker_is_user=turn.speaker_is_user,
    )


def _as_fact(atom: Atom) -> Atom:
    return replace(atom, layer=Layer.WORLD, sublayer=Sublayer.FACT, kind=Kind.FACT, directs_work=False)
