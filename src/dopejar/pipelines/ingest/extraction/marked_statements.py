"""Statements of a conversation as a marker finds them, made into atoms.

Takes: the turns of a conversation and a marker. Gives: an `Extraction` of each turn. Never: a word the speaker did not
say, except where a date or a pronoun is safe to resolve; anything from code, logs, tables or what was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Omission, Reason
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.answers import answered, holds_value, own_answer
from dopejar.pipelines.ingest.extraction.antecedents import leans_on_pronoun, with_antecedent
from dopejar.pipelines.ingest.extraction.clauses import weigh, with_change_of_mind, without_closing, without_opening
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, is_dangling, unspoken
from dopejar.pipelines.ingest.extraction.marked_ranges import (
    EDGES,
    SHORT_OF_IT,
    adds,
    beginning,
    ending,
    trimmed,
    wholes,
    with_case,
    with_whole,
    without_reason,
)
from dopejar.pipelines.ingest.extraction.marked_sentences import by_sentence
from dopejar.pipelines.ingest.extraction.momentary_words import (
    end_of_question,
    is_bare_answer,
    says_where_to_go_on,
    why_nothing,
)
from dopejar.pipelines.ingest.extraction.pasted_letters import material
from dopejar.pipelines.ingest.extraction.redacted_values import is_redacted_value, with_whole_marks
from dopejar.pipelines.ingest.extraction.references import resolved
from dopejar.pipelines.ingest.extraction.retractions import corrects, end_of_correction
from dopejar.pipelines.ingest.extraction.temporal_expressions import begins_after, read_time
from dopejar.pipelines.ingest.integrity.rule_endings import tells_rule_ended
from dopejar.ports.statement_reader import StatementMarker
from dopejar.text.lexicons import guess_language
from dopejar.text.polarity import polarity
from dopejar.text.ranges import in_order
from dopejar.text.sentences import Piece, sentences
from dopejar.text.words import UNSPACED
from dopejar.values.record import ENVIRONMENT_TAG, KIND_OF_SUBLAYER, Kind, Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

_WINDOW: Final = 700  # characters that a marker reads at once
_MOST_WINDOWS: Final = 12  # of one turn: what is longer was hardly said
_TELLING: Final = 300  # characters that tell a language
_PATH: Final = re.compile(r"\S*[@/\\]\S*")
_WORD: Final = re.compile(rf"[^\W_{UNSPACED}]+|[{UNSPACED}]")
_LEAST_WORDS: Final = 2  # besides names of files
_TELLS: Final = 0.7  # certainty of an answer that holds a value
_ANYBODY: Final = re.compile(r"they\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class SpokenTurn:
    """A turn to be read: its words, when they were said, the turn before, and the spans that are not its speaker's."""

    text: str
    at: datetime | None
    speaker_is_user: bool = True
    before: str = ""
    question: str = ""  # the one that the turn before asks, where that is the assistant's
    skip: Sequence[tuple[int, int]] = ()  # in order and apart


def extract_marked(turns: Sequence[SpokenTurn], marker: StatementMarker) -> list[Extraction]:
    """The lasting statements of each turn, all turns read at once."""
    pieces = [_pieces(turn) for turn in turns]
    windows = [_windows([piece for piece, reason in found if reason is None]) for found in pieces]
    texts = [turn.text[start:end] for turn, spans in zip(turns, windows, strict=True) for start, end in spans]
    marks = iter(marker.mark(texts, {turn.text for turn in turns}))
    found = []
    for turn, parts, spans in zip(turns, pieces, windows, strict=True):
        said = [(piece.start, piece.end) for piece, _ in parts]
        marked = [
            (start, one)
            for start, _ in spans
            for span in next(marks)
            for one in by_sentence(span, start, turn.text, said)
        ]
        found.append(_extraction(turn, parts, _with_labels(turn.text, marked)))
    return found


def _with_labels(text: str, marked: Iterable[tuple[int, MarkedStatement]]) -> list[tuple[int, MarkedStatement]]:
    """The statements, each with a label before it, or an addition behind it, that was marked by itself.

    "The mails: we dropped the footer", "our plumber is Craig, with the blue van".
    """
    found: list[tuple[int, MarkedStatement]] = []
    for offset, one in marked:
        begin = found[-1][0] + found[-1][1].start if found else offset + one.start
        joint = text[begin : offset + one.start].rstrip()
        if found and not (_directs(one) or _directs(found[-1][1])):
            low, before = found[-1]
            gap = text[low + before.end : offset + one.start].strip()
            if gap == "," and adds(text[offset + one.start : offset + one.end]):
                found[-1] = (low, replace(before, end=offset + one.end - low))
                continue
        if joint.find(":") == len(joint) - 1 >= 0 and len(joint.split()) <= SHORT_OF_IT:
            found[-1] = (offset, replace(one, start=begin - offset))
        else:
            found.append((offset, one))
    return found


def _pieces(turn: SpokenTurn) -> list[tuple[Piece, Reason | None]]:
    skip = in_order((*turn.skip, *material(turn.text))) if turn.speaker_is_user else turn.skip
    return [(piece, unspoken(piece, skip)) for piece in sentences(turn.text)]


def _windows(spoken: Sequence[Piece]) -> list[tuple[int, int]]:
    """Runs of sentences that lie side by side, each short enough to be read at once."""
    found: list[tuple[int, int]] = []
    for piece in spoken:
        if found and piece.end - found[-1][0] <= _WINDOW:
            found[-1] = (found[-1][0], piece.end)
        else:
            found.append((piece.start, piece.end))
    return found[:_MOST_WINDOWS]


def _extraction(
    turn: SpokenTurn, pieces: Sequence[tuple[Piece, Reason | None]], marked: Sequence[tuple[int, MarkedStatement]]
) -> Extraction:
    language = guess_language(turn.text[:_TELLING])
    atoms = _answer(turn, pieces, marked, language)
    left: list[Omission] = []
    closed = [(piece.start, piece.end) for piece, reason in pieces if reason is not None]
    spoken_parts = [(piece.start, piece.end) for piece, reason in pieces if reason is None]
    ends = [high for _, high in closed]
    whole = wholes(turn.text)
    begins = sorted((*(offset + statement.start for offset, statement in marked), *(low for low, _ in closed)))
    for offset, statement in marked:
        start, end = offset + statement.start, offset + statement.end
        said = [(max(start, piece.start), min(end, piece.end)) for piece, _ in pieces]
        said = [(low, high) for low, high in said if low < high]
        while len(said) > 1 and len(_WORD.findall(turn.text, *said[0])) < _LEAST_WORDS:  # "Noted. We moved to Ghent"
            start = said.pop(0)[1]
        before = max((high for high in (*ends, *(atom.end for atom in atoms)) if high <= start), default=0)
        behind = next((begin for begin in begins if begin >= end), len(turn.text))
        start, end = with_whole(whole, start, end)
        start, end = beginning(turn.text, start, before), ending(turn.text, start, end, behind, language)
        spoken = next((piece.end for piece, _ in pieces if piece.start < end <= piece.end), end)
        start, end = trimmed(turn.text, start, end_of_correction(turn.text, start, end, spoken))
        start, end = with_whole_marks(turn.text, *with_whole(whole, start, end))
        start, end = with_case(turn.text, start, end, before, behind) if _directs(statement) else (start, end)
        start = with_change_of_mind(turn.text, without_reason(turn.text, start, end))
        while atoms and start < atoms[-1].end <= offset + statement.start:
            atoms.pop()  # it told of nothing else
        taken = (*closed, *((atom.start, atom.end) for atom in atoms))
        if start >= end or any(low < end and start < high for low, high in taken):
            continue
        start += 0 if _directs(statement) else end_of_question(turn.text[start:end], cues(language))
        if start >= offset + statement.end:
            continue
        words = turn.text[start:end]
        if len(_WORD.findall(_PATH.sub("", words))) < _LEAST_WORDS:
            continue
        if atoms and corrects(atoms[-1], words, start, directs=_directs(statement)):
            start = atoms.pop().start  # what was said before is meant as corrected
            words = turn.text[start:end]
        said_before = "\n".join(turn.text[low : min(high, start)] for low, high in spoken_parts if low < start)
        why = _says_nothing(words, said_before, turn, language, directs=_directs(statement))
        named = (
            ""
            if why
            else own_answer(said_before, words)
            or _named(words, said_before, atoms[-1].text if atoms else "", turn.before, language)
        )
        if why is not None or not (named or not _directs(statement)):
            why = why or Reason.UNRESOLVED
            left.append(Omission(start=start, end=end, text=turn.text[start:end], reason=why))
            continue
        atom = atom_of(" ".join((named or words).split()), start, end, statement, turn, language)
        atoms.append(replace(_compared_if_whole(atom, turn.text, offset + statement.start), leans=not named))
    spans = [(atom.start, atom.end) for atom in atoms] + [(part.start, part.end) for part in left]
    for piece, reason in pieces:
        why = reason or (Reason.REDACTED if is_redacted_value(piece.text) else Reason.FLEETING)
        left += (
            Omission(start=start, end=end, text=turn.text[start:end], reason=why)
            for start, end in parts_outside(piece.start, piece.end, spans)
            if turn.text[start:end].strip(EDGES)
        )
    return Extraction(atoms=tuple(atoms), left_out=tuple(sorted(left, key=lambda part: part.start)))


def _answer(
    turn: SpokenTurn,
    pieces: Sequence[tuple[Piece, Reason | None]],
    marked: Sequence[tuple[int, MarkedStatement]],
    language: str,
) -> list[Atom]:
    """The first sentence with the question that it answers, where it says nothing alone and is marked or holds a value.

    The question's words are the assistant's: what they make is a fact that is compared with nothing, never a rule.
    """
    piece, reason = pieces[0] if pieces else (None, None)
    if piece is None or reason is not None or not (turn.question and turn.speaker_is_user):
        return []
    start, end = trimmed(turn.text, piece.start, piece.end)
    words = turn.text[start:end]
    text = answered(turn.question, words) if is_bare_answer(words, turn.before) else ""
    if not text or leans_on_pronoun(text) or is_redacted_value(words):
        return []
    marks = [one for offset, one in marked if offset + one.start < end and start < offset + one.end]
    certainty = max((one.certainty for one in marks), default=0.0)
    certainty = max(certainty, _TELLS) if holds_value(turn.question, words) else certainty
    if not certainty or any(_directs(one) for one in marks):
        return []
    said = MarkedStatement(
        start=start,
        end=end,
        certainty=certainty,
        fact_class=FactClass.PLAIN,
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
    )
    atom = atom_of(" ".join(text.split()), start, end, said, turn, language)
    return [replace(atom, answers=True, quotes=True, states=False)]


def _compared_if_whole(atom: Atom, text: str, marked: int) -> Atom:
    """The statement; where a marker found its end alone, too little is known of it to compare it with others."""
    is_part = not atom.directs_work and len(text[atom.start : marked].split()) > SHORT_OF_IT
    return replace(atom, quotes=True, states=False) if is_part else atom


def _says_nothing(words: str, said_before: str, turn: SpokenTurn, language: str, *, directs: bool) -> Reason | None:
    """Why the words of a mark state nothing, where they do not."""
    if is_redacted_value(words):
        return Reason.REDACTED
    opens = not (directs or said_before.strip(EDGES))
    if opens and (says_where_to_go_on(words) or (turn.before and is_bare_answer(words, turn.before))):
        return Reason.FRAGMENT
    if directs and tells_rule_ended(words):
        return Reason.TALK  # no rule, but what ends one
    return why_nothing(words, said_before, cues(language), directs=directs)


def _named(words: str, said_before: str, previous: str, before: str, language: str) -> str:
    """The words, with a name for a pronoun that they lean on; "" where it is not safe to say which."""
    bare = without_opening(words, cues(language))
    leans = language == "en" and leans_on_pronoun(bare)
    if not leans and not is_dangling(bare):
        return words
    named = with_antecedent(bare, said_before) if language == "en" else None
    if named or leans:
        return named or ""
    if bare != words and _ANYBODY.match(bare):  # "well, they moved the exam": whoever it was
        return words
    return resolved(bare, previous, before) or ""


def parts_outside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The parts of a range that no span covers."""
    for low, high in sorted(spans):
        if low < end and start < high:
            if start < low:
                yield start, low
            start = max(start, high)
    if start < end:
        yield start, end


def atom_of(text: str, start: int, end: int, marked: MarkedStatement, turn: SpokenTurn, language: str) -> Atom:
    """The words at a place of a turn as an atom of what they were marked as."""
    words = cues(language)
    text = without_closing(without_opening(text, words))
    time = read_time(text, turn.at, words)
    begin = begins_after(turn.text, start, turn.at, words) if turn.at and not time.temporary else None
    return Atom(
        text=as_sentence(time.text),
        start=start,
        end=end,
        layer=marked.layer,
        sublayer=marked.sublayer,
        kind=_kind(marked),
        cue=f"reads as {marked.fact_class}",
        certainty=weigh(text, words)[1],
        confidence=round(marked.certainty, 3),
        polarity=polarity(text, language),
        valid_from=begin or time.valid_from,
        valid_to=time.valid_to,
        temporary=time.temporary,
        directs_work=_directs(marked),
        planned=words.has("time.planned", text),
        past=words.has("time.past", text),
        speaker_is_user=turn.speaker_is_user,
        language=language,
        tags=(ENVIRONMENT_TAG,) if marked.fact_class is FactClass.ENVIRONMENT else (),
    )


def _directs(marked: MarkedStatement) -> bool:
    is_rule = marked.fact_class is FactClass.CONSTRAINT and marked.layer is Layer.INTENT
    return is_rule and marked.sublayer is not Sublayer.GOAL


def _kind(marked: MarkedStatement) -> Kind:
    return Kind.ALIAS if marked.fact_class is FactClass.ALIAS else KIND_OF_SUBLAYER[marked.sublayer]
