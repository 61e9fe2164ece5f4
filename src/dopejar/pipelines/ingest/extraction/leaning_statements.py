"""Statements that lean on what was said before: "The number is 555 0142." is kept with the words that tell whose.

Takes: the turns of a conversation with what was extracted from them, and a reader. Gives: the extractions; a statement
that says nothing alone has a name in the place of its pronoun, or else the statement before it in front. Never: the
words of the assistant; a statement that directs the work; a name for what may be one of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Reason, first_part
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.answers import own_question
from dopejar.pipelines.ingest.extraction.antecedents import (
    leans_on_pronoun,
    names_somebody,
    with_earlier_antecedent,
)
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE, is_label
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, is_dangling, unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.momentary_words import asks_for_now, is_bare_answer
from dopejar.pipelines.ingest.extraction.orders import holds_order
from dopejar.pipelines.ingest.extraction.smalltalk import is_smalltalk
from dopejar.pipelines.ingest.guidance_words import directs_assistant
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.injection_detector import is_instruction_like
from dopejar.text.normalisation import fold
from dopejar.text.sentences import Piece, sentences
from dopejar.text.words import content_words
from dopejar.values.episode import REDACTED
from dopejar.values.record import Kind
from dopejar.values.statement import CONTINUES, GUIDES, LEANS, TAKES_BACK, SpeechAct, Statement

_QUOTE: Final = re.compile('["\u201c-\u201f\u00ab\u00bb]')
_MAY_ASK: Final = 0.3  # probability that it guides from which a statement is no continuation, and has none
_NEAR: Final = 240  # characters between a statement and the one that it leans on
_LONGEST: Final = 240  # characters of the words before
_LEAST_WORDS: Final = 2
_OTHER: Final = re.compile(r"\bother\b", re.IGNORECASE)  # of two that were named
_TURNS_BACK: Final = 2  # earlier turns of the speaker that may say what a statement is about
_YOUR: Final = re.compile(r"\byour\b", re.IGNORECASE)
_WHO: Final = re.compile(r"\b(?:who(?:['’]?s|m|se)?|name|called)\b(?!.*\b(?:s?he|him|her|his)\b).*\?$", re.IGNORECASE)
_OFFERS: Final = re.compile(  # what an assistant adds to any reply
    r"\b(?:(?:shall|should|can|may|could) (?:i|we)|(?:do|would) you (?:want|like|need)|(?:want|like) me|"
    r"anything else)\b"
    r".*\?$",
    re.IGNORECASE,
)
_SOON: Final = timedelta(hours=1)
_SURELY: Final = 0.94  # probability from which what names its subject leans on an earlier turn
_NEVER: Final = 2.0
_RATHER: Final = 0.8  # the same of any other words
_VERB: Final = re.compile(
    rf"{FINITE.pattern}|\b(?:costs?|closes?|opens?|starts?|begins?|ends?|expires?)\b", re.IGNORECASE
)
_NAMES_SUBJECT: Final = re.compile(  # as a bare noun: "rent", "payment terms"
    r"(?!(?:the|an?|it|its|they|their|he|his|she|her|this|that|these|those|there|here|other|another|both|and|but|so|or|"
    r"also|then|not|no|yes|my|our|your|what|which|who|where|when|how)\b)(?:[\w-]+ ){0,2}[\w-]+ $",
    re.IGNORECASE,
)
_NAMES_THING: Final = re.compile(
    r"(?:the|our|my) (?!(?:ones?|others?|first|second|third|last|same)\b)[^\W\d]", re.IGNORECASE
)
_PROPERTY: Final = re.compile(  # which says nothing without the thing that has it
    r"(?:the|our|my) (?:(?:phone|mobile|account|door|entry|full|last|first) )?(?:number|code|pin|password|passcode|"
    r"address|price|cost|fee|deposit|colou?r|size|name|owner|contact|key|dose|weight|model|login|username|e?mail|"
    r"deadline) $",
    re.IGNORECASE,
)
_CONTENT: Final = re.compile(  # of a sentence that the turn before began: "What shall it say?" "That I'm sorry."
    r"(?:(?:and|just|only|maybe) )?(?:that (?:i|it|we|he|she|they|you|there|the|my|our|his|her|their|your)|whether)\b",
    re.IGNORECASE,
)
_GREETS: Final = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|"
    r"(?:that['’]s|that is) (?:\w+ )?(?:helpful|great|good|perfect))\b",
    re.IGNORECASE,
)
_EDGES: Final = " \t\r\n,;:.!-–—"


def with_contexts(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader | None
) -> list[Extraction]:
    """The extractions of one conversation, each statement that leans on another with its name or behind its words.

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
            before = list(_before(turns, [*found, whole], place, atom, contexts, graded))
            said = [] if leaning[place, atom.start] else _said(turns, [*found, whole], place, atom, graded)
            named = _named(atom, said)
            if named is not None:
                whole = whole.with_atom(named)
            elif before:
                context = _chosen(atom, before, graded)
                if not context.endswith("?"):  # else the next one may be about the answer
                    contexts[place, atom.start] = context
                whole = whole.with_atom(_behind(atom, context))
            elif atom.leans or (turns[place].before and not _is_clause(atom.says)):
                whole = whole.without_atom(atom, turns[place].text, Reason.UNRESOLVED)
        found.append(whole)
    return found


def _named(atom: Atom, said: Sequence[str]) -> Atom | None:
    """The statement with a name for what it leans on, where only one can be meant."""
    text = with_earlier_antecedent(atom.text, said) if said and atom.language == "en" else None
    core = with_earlier_antecedent(atom.core, said) or atom.core
    return None if text is None else replace(atom, text=text, core=core, leans=False)


def _said(
    turns: Sequence[SpokenTurn],
    extractions: Sequence[Extraction],
    place: int,
    atom: Atom,
    reader: StatementReader | None,
) -> list[str]:
    """The sentences that may name whom a statement is about, in order; what was found in them as it was found."""
    turn = turns[place]
    found: list[str] = []
    for earlier in (*_spoken_before(turns, place), place):
        if earlier == place and not leans_on_pronoun(atom.text):
            found = [one for one in found if _goes_on(turn.before, one, reader)]
        if earlier == place:  # what the assistant said last may be of somebody else
            asked = [_YOUR.sub("my", one.text) for one in sentences(turn.before)[-1:]]
            found += [one for one in asked if names_somebody(one, surely=True)]
        told = [one for one in extractions[earlier].atoms if not (one.answers or one.quotes)]
        for piece in sentences(turns[earlier].text):
            if unspoken(piece, turns[earlier].skip) is None and (earlier < place or piece.start < atom.start):
                end = piece.end if earlier < place else min(piece.end, atom.start)
                if _WHO.search(piece.text):
                    found.clear()  # it is about somebody else
                found.append(_as_found(turns[earlier].text, piece.start, end, told))
    return [one for one in found if one and not _CONTENT.match(one)]


def _as_found(text: str, start: int, end: int, atoms: Sequence[Atom]) -> str:
    """The words of a range, with the names that were found in the statements there."""
    words = []
    for atom in atoms:
        if start <= atom.start and atom.end <= end:
            words += [text[start : atom.start], atom.says if atom.context else atom.text]
            start = atom.end
    return " ".join("".join([*words, text[start:end]]).split()).strip(_EDGES)


def _behind(atom: Atom, context: str) -> Atom:
    """The statement behind the words that tell what it is about."""
    context = context.rstrip(_EDGES)
    text = f"{context}{'' if context.endswith('?') else '.'} {as_sentence(atom.text)}"
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
) -> dict[tuple[int, int], bool]:
    """The turn and start of each statement that says nothing alone, and whether it takes back what was said."""
    stated = [
        (place, atom)
        for place, extraction in enumerate(extractions)
        for by_text in ({atom.text: atom for atom in reversed(extraction.atoms)},)
        for atom in extraction.atoms
        if not (atom.directs_work or atom.quotes or atom.renamed) and turns[place].speaker_is_user
        if first_part(atom, by_text) is atom and not _is_named(atom, turns[place].text)
    ]
    leaning = {
        (place, atom.start): False for place, atom in stated if atom.leans or _is_label(atom, extractions[place].atoms)
    }
    asked = [(place, atom) for place, atom in stated if atom.language == "en" and (place or atom.start)]
    if reader is None or not asked:
        return leaning
    for (place, atom), read in zip(asked, reader.read([atom.says for _, atom in asked]), strict=True):
        frame = read.frame
        if frame is None or (frame.guides >= GUIDES and not atom.leans):
            continue
        opens = not any(one.end <= atom.start for one in extractions[place].atoms)
        leans = atom.leans or frame.leans >= (_least_share(atom.says) if opens else LEANS)
        if leans or (frame.continues >= CONTINUES and _goes_on_in(turns[place].text, atom, extractions[place], reader)):
            leaning[place, atom.start] = frame.takes_back >= TAKES_BACK
    return leaning


def _goes_on_in(text: str, atom: Atom, extraction: Extraction, reader: StatementReader) -> bool:
    """Whether it stands right behind another statement, as sure as that, and nothing was left out between the two.

    Neither may direct anybody, or has somebody else's words; nor was a noun put in the place of its pronoun, or begins
    it as the other one does: "The shop opens at 9. Sorry, the shop opens at 10."
    """
    before = next((one for one in reversed(extraction.atoms) if one.end <= atom.start), None)
    if before is None or text[before.end : atom.start].strip(_EDGES):
        return False
    names_it_again = atom.says.casefold().split()[:_LEAST_WORDS] == before.says.casefold().split()[:_LEAST_WORDS]
    if before.certainty != atom.certainty or not _tells(before) or names_it_again:
        return False
    both = (before, atom)
    said = text[before.start : atom.end]
    is_quoted = _QUOTE.search(said) or REDACTED in said or any(one.quotes or one.answers for one in both)
    if is_quoted or atom.renamed or is_dangling(text[atom.start : atom.end]):
        return False
    return all(_only_states(one, read) for one, read in zip(both, reader.read([one.says for one in both]), strict=True))


def _only_states(atom: Atom, read: Statement) -> bool:
    """Whether nothing in it may direct anybody: alone it is a plain statement, too."""
    states = read.act is SpeechAct.ASSERTION and read.frame is not None and read.frame.guides < _MAY_ASK
    may_direct = directs_assistant(atom.says, Kind.PREFERENCE) or holds_order(atom.says, cues(atom.language))
    return states and not (may_direct or is_instruction_like(atom.says))


def _least_share(words: str) -> float:
    """The probability from which words lean on an earlier turn.

    Those with a bare subject ("rent is ...") seldom do, those about a thing by its noun ("the rent is ...") only where
    the noun is what things have ("the number is ...").
    """
    verb = _VERB.search(words)
    if verb is None:
        return _RATHER
    if _NAMES_THING.match(words, 0, verb.start()) and not _PROPERTY.match(words, 0, verb.start()):
        return _NEVER
    return _SURELY if _NAMES_SUBJECT.fullmatch(words, 0, verb.start()) else _RATHER


def _is_label(atom: Atom, atoms: Sequence[Atom]) -> bool:
    """Whether it gives a name or figure of what was told before it in the text; a list of such is about nothing."""
    return is_label(atom.text) and any(one.end <= atom.start and not is_label(one.text) for one in atoms)


def _is_named(atom: Atom, text: str) -> bool:
    """Whether a name was put for the pronoun that it leans on."""
    said = text[atom.start : atom.end]
    return leans_on_pronoun(said) and not (atom.leans or leans_on_pronoun(atom.text) or is_dangling(atom.text))


def _before(
    turns: Sequence[SpokenTurn],
    extractions: Sequence[Extraction],
    place: int,
    atom: Atom,
    contexts: Mapping[tuple[int, int], str],
    reader: StatementReader | None,
) -> Iterator[str]:
    """What may tell what a statement is about, the nearest first: statements, and the sentence right before it.

    A pronoun is about its own turn where that says anything before it; otherwise about the question that its speaker
    asked last, or about an earlier statement where the turn between goes on with that.
    """
    turn = turns[place]
    stated = [one for one in extractions[place].atoms if one.end <= atom.start and _tells(one)]
    is_of_person = leans_on_pronoun(atom.text)  # who may be named by words that lean on others themselves
    near = [
        one.says if is_of_person and names_somebody(one.says) else contexts.get((place, one.start)) or one.text
        for one in stated
        if atom.start - one.end <= _NEAR
    ]
    if near:
        two = list(dict.fromkeys(near))[-2:] if _OTHER.search(atom.text) else near[-1:]
        yield ". ".join(two)
    said = [piece for piece in sentences(turn.text) if piece.end <= atom.start and unspoken(piece, turn.skip) is None]
    yield from reversed(near[:-1])
    words = " ".join(said[-1].text.split()).strip(_EDGES) if said else ""
    if _is_statement(words, atom.language):
        yield as_sentence(words)
    points = is_dangling(atom.text) and not is_of_person
    if turn.before and ((points and len(words.split()) > _LEAST_WORDS) or not _is_clause(atom.says)):
        return
    for earlier in reversed(_spoken_before(turns, place)):
        asked = _asked_last(turns[earlier].text, atom.language, requests_too=points)
        for one in reversed(extractions[earlier].atoms):
            context = contexts.get((earlier, one.start)) or one.text
            if _tells(one) and (asked is None or one.start >= asked.end) and _goes_on(turn.before, context, reader):
                yield context
        if asked is not None:
            is_answer = points or (is_of_person and _WHO.search(asked.text) is not None)
            yield from filter(None, [own_question(asked.text)] if is_answer else [])
            return


def _is_clause(words: str) -> bool:
    return _VERB.search(words) is not None or not is_bare_answer(words, "?") or is_label(words)


def _asked_last(text: str, language: str, *, requests_too: bool) -> Piece | None:
    """The last question of a turn, or request in the form of one."""
    asked = [one for one in sentences(text) if one.text.endswith("?")]
    return next((one for one in reversed(asked) if requests_too or not asks_for_now(one.text, cues(language))), None)


def _goes_on(before: str, told: str, reader: StatementReader | None) -> bool:
    """Whether the turn between only acknowledges what was told, or goes on with it: what follows may be of that too."""
    if not before or not {fold(one) for one in content_words(before)}.isdisjoint(map(fold, content_words(told))):
        return True
    said = " ".join(one.text for one in sentences(before) if not _OFFERS.search(one.text))
    if reader is None or len(said) > _LONGEST:
        return is_smalltalk(said)
    return not said or reader.read([said])[0].act is SpeechAct.ACKNOWLEDGEMENT


def _spoken_before(turns: Sequence[SpokenTurn], place: int) -> list[int]:
    """The last turns of the speaker before one."""
    spoken = [one for one in range(place) if turns[one].speaker_is_user and _is_soon_after(turns[one], turns[place])]
    return spoken[-_TURNS_BACK:]


def _is_soon_after(earlier: SpokenTurn, later: SpokenTurn) -> bool:
    return earlier.at is None or later.at is None or later.at - earlier.at < _SOON


def _tells(atom: Atom) -> bool:
    return not (atom.directs_work or atom.leans) and len(atom.text) <= _LONGEST


def _is_statement(words: str, language: str) -> bool:
    is_short = len(words) > _LONGEST or len(words.split()) < _LEAST_WORDS or _GREETS.match(words)
    return (
        not (is_short or _CONTENT.match(words) or words.endswith("?")) and asks_for_now(words, cues(language)) is None
    )
