"""Statements that lean on what was said before: "The number is 555 0142." is kept with the words that tell whose.

Takes: the turns of a conversation with what was extracted from them, and a reader. Gives: the extractions; a statement
that says nothing alone has the statement before it in front. Never: the words of the assistant; a statement that
directs the work; a name for what is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Omission, Reason
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.antecedents import leans_on_pronoun, names_somebody
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.momentary_words import asks_for_now
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.sentences import sentences
from dopejar.values.statement import GUIDES, LEANS

_NEAR: Final = 240  # characters between a statement and the one that it leans on
_LONGEST: Final = 240  # characters of the words before
_LEAST_WORDS: Final = 2
_OTHER: Final = re.compile(r"\bother\b", re.IGNORECASE)  # of two that were named
_TURNS_BACK: Final = 2  # earlier turns of the speaker that may say what a statement is about
_SOON: Final = timedelta(hours=1)
_EDGES: Final = " \t\r\n,;:.!-–—"


def with_contexts(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader | None
) -> list[Extraction]:
    """The extractions of one conversation, each statement that leans on another behind the words of that one.

    Without a reader of frames, only those do that an unexplained pronoun shows; where nothing was said before, such a
    one is left out.
    """
    graded = reader if reader is not None and reader.finds_frames else None
    leaning = _leaning(turns, extractions, graded)
    contexts: dict[tuple[int, int], str] = {}  # by turn and start, what a statement that leans stands behind
    found: list[Extraction] = []
    for place, extraction in enumerate(extractions):
        whole = extraction
        for atom in extraction.atoms:
            if (place, atom.start) not in leaning:
                continue
            before = list(_before(turns, [*found, extraction], place, atom, contexts))
            if before:
                contexts[place, atom.start] = context = _chosen(atom, before, graded)
                whole = whole.with_atom(_behind(atom, context))
            elif atom.leans:
                whole = _without(whole, atom, turns[place].text)
        found.append(whole)
    return found


def _behind(atom: Atom, context: str) -> Atom:
    """The statement behind the words that tell what it is about."""
    context = context.rstrip(_EDGES)
    text = f"{context}. {as_sentence(atom.text)}"
    return replace(atom, text=text, core=atom.says, context=context, states=False, leans=False)


def _chosen(atom: Atom, before: Sequence[str], reader: StatementReader | None) -> str:
    """The nearest words that stand alone themselves, and name somebody where the statement is about a person."""
    named = [words for words in before if names_somebody(words)] if leans_on_pronoun(atom.text) else []
    if named or reader is None:
        return (named or list(before))[0]
    leans = [one.frame.leans if one.frame is not None else 0.0 for one in reader.read(before)]
    return next((words for words, share in zip(before, leans, strict=True) if share < LEANS), before[0])


def _leaning(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader | None
) -> set[tuple[int, int]]:
    """The turn and start of each statement that says nothing alone."""
    stated = [
        (place, atom)
        for place, extraction in enumerate(extractions)
        for atom in extraction.atoms
        if not (atom.directs_work or atom.quotes or atom.renamed) and turns[place].speaker_is_user
    ]
    leaning = {(place, atom.start) for place, atom in stated if atom.leans}
    asked = [(place, atom) for place, atom in stated if atom.language == "en" and (place or atom.start)]
    if reader is None or not asked:
        return leaning
    for (place, atom), read in zip(asked, reader.read([atom.says for _, atom in asked]), strict=True):
        if read.frame is not None and read.frame.leans >= LEANS and read.frame.guides < GUIDES:
            leaning.add((place, atom.start))
    return leaning


def _before(
    turns: Sequence[SpokenTurn],
    extractions: Sequence[Extraction],
    place: int,
    atom: Atom,
    contexts: Mapping[tuple[int, int], str],
) -> Iterator[str]:
    """What may tell what a statement is about, the nearest first: statements, and the sentence right before it."""
    turn = turns[place]
    stated = [one for one in extractions[place].atoms if one.end <= atom.start and _tells(one)]
    is_of_person = leans_on_pronoun(atom.text)  # who may be named by words that lean on others themselves
    near = [
        one.text if is_of_person else contexts.get((place, one.start)) or one.text
        for one in stated
        if atom.start - one.end <= _NEAR
    ]
    if near:
        yield f"{near[-2]}. {near[-1]}" if _OTHER.search(atom.text) and len(near) > 1 else near[-1]
    said = [piece for piece in sentences(turn.text) if piece.end <= atom.start and unspoken(piece, turn.skip) is None]
    yield from reversed(near[:-1])
    words = " ".join(said[-1].text.split()).strip(_EDGES) if said else ""
    if _is_statement(words, atom.language):
        yield as_sentence(words)
    spoken = [one for one in range(place) if turns[one].speaker_is_user and _is_soon_after(turns[one], turn)]
    for earlier in reversed(spoken[-_TURNS_BACK:]):
        for one in reversed(extractions[earlier].atoms):
            if _tells(one):
                yield contexts.get((earlier, one.start)) or one.text


def _is_soon_after(earlier: SpokenTurn, later: SpokenTurn) -> bool:
    return earlier.at is None or later.at is None or later.at - earlier.at < _SOON


def _tells(atom: Atom) -> bool:
    return not (atom.directs_work or atom.leans) and len(atom.text) <= _LONGEST


def _is_statement(words: str, language: str) -> bool:
    is_short = len(words) > _LONGEST or len(words.split()) < _LEAST_WORDS
    return not (is_short or words.endswith("?")) and asks_for_now(words, cues(language)) is None


def _without(extraction: Extraction, atom: Atom, text: str) -> Extraction:
    left = Omission(start=atom.start, end=atom.end, text=text[atom.start : atom.end], reason=Reason.UNRESOLVED)
    atoms = tuple(one for one in extraction.atoms if one is not atom)
    return Extraction(atoms=atoms, left_out=tuple(sorted((*extraction.left_out, left), key=lambda part: part.start)))
