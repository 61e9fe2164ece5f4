"""Rules that say nothing alone: "in no repo", "never do it in one step", "all our new endpoints are".

Takes: the turns of a conversation, with what a marker found in them. Gives: the extractions; such a rule has the words
before it in its turn in front, with the rule that was found in these, if any; without such words it is left out, and
so is an order for the next step ("after that delete it everywhere"). Never: changes a fact, or takes the words of
another turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Reason
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.pipelines.ingest.extraction.smalltalk import EVER
from dopejar.text.sentences import Piece, sentences
from dopejar.values.record import Layer

_LONGEST: Final = 240  # characters of the words before
_LEAST_WORDS: Final = 2
_EDGES: Final = " \t\r\n,;:.!-–—"
_JOIN: Final = r"(?:(?:and|but|or|so|no|also|please|only|just|ok|okay|again)[ ,]+)*"
_DETERMINER: Final = r"(?:(?:no|all|any|every|each|the|our|my|your|this|that|these|those|an?|both|either)\s+)"
_IN: Final = r"(?:in|on|for|with|without|at|from|by|to|under|of|per|through|via|inside|within|behind|outside)"
_PHRASE: Final = rf"(?:{_DETERMINER}(?:[\w`'./-]+\s+)?[\w`'./-]+|[\w`'./-]+)"
_NO_VERB: Final = re.compile(  # "in no repo", "with tabs, not spaces", "in any of my repos"
    rf"{_JOIN}(?:not |never )?{_IN} {_PHRASE}(?:,? (?:of|and|or|not) {_PHRASE}){{0,2}}"
    r"(?:,? (?:please|only|too|either))?",
    re.IGNORECASE,
)
_NO_COMPLEMENT: Final = re.compile(  # "all our new endpoints are": what the clause before says
    rf"{_JOIN}(?:{_DETERMINER}|most |none )"
    r"(?:(?!(?:as|what|which|who|where|how|than|that|when|why|if)\b)[\w`'./-]+ ){1,5}"
    r"(?<!\bi )(?<!\b(?:we|he|it) )(?<!\b(?:you|she) )(?<!\bthey )(?:is|are|do|does|must|should|will|were|was)",
    re.IGNORECASE,
)
_VERB: Final = r"(?!(?:keep|make|call|take|name|give|let|if|when|is|are|was|be|say|said|that|this|and|or)\b)[a-z]+"
_HEAD: Final = (
    rf"{_JOIN}(?:(?:never|always|not|do not|don['’]?t|dont|stop|avoid|nobody|no one|we(?= (?:never|always|do))|"
    r"you (?:must|should|may|can|have to))[ ,]+)+"
)
_THING_BEFORE: Final = re.compile(  # "never do it in one step", "don't do that again", but not "never touch that file"
    rf"{_HEAD}(?:ever |just |only )?{_VERB} (?:(?:it|them)\b|(?:that|this|those|these)(?=[ .]*$|[,;]|"
    r" (?:in|on|at|again|after|before|for|with|without|by|from|unless|anymore|any|ever|either|here)\b))",
    re.IGNORECASE,
)
_OBJECT_BEFORE: Final = re.compile(  # "every PR needs it"
    rf"{_JOIN}{_DETERMINER}"
    r"(?:(?!(?:if|when|before|after|and|that|who|which)\b)[\w`'./-]+ ){2,4}(?:it|them)(?:,? (?:too|please|first))?",
    re.IGNORECASE,
)
_THERE: Final = re.compile(r"(?:(?!\b(?:if|when|where|in|on|at|to|under|and)\b)[^,;:]){3,}\bthere", re.IGNORECASE)
_IN_ALL: Final = re.compile(r"\b(?:all|any|instead of|from then on|keep)\b", re.IGNORECASE)  # no one step
_NEXT_STEP: Final = re.compile(
    rf"{_JOIN}(?:(?:right |soon )?after (?:that|this)|afterwards?|then|(?:once|when) (?:that|this)(?:['’]s| is) "
    r"(?:done|over|gone|off|out|through|finished|merged|live))\b[ ,]*",
    re.IGNORECASE,
)


def with_whole_rules(turns: Sequence[SpokenTurn], extractions: Sequence[Extraction]) -> list[Extraction]:
    """The extractions, each rule that says nothing alone behind the words before it in its turn, or left out."""
    both = zip(turns, extractions, strict=True)
    return [_whole(turn, found) if turn.speaker_is_user else found for turn, found in both]


def is_unfinished(text: str) -> bool:
    """Whether an English rule lacks its verb, the end of its clause, or the thing that it is about."""
    words = text.strip(_EDGES)
    if len(words) > _LONGEST:
        return False
    whole = (_NO_VERB, _NO_COMPLEMENT, _OBJECT_BEFORE, _THERE)
    return any(one.fullmatch(words) for one in whole) or _THING_BEFORE.match(words) is not None


def _whole(turn: SpokenTurn, extraction: Extraction) -> Extraction:
    found, directs = extraction, False
    for atom in extraction.atoms:
        if atom in found.atoms and atom.directs_work and atom.language == "en":
            step = _next_step(turn, atom)
            if step and not directs and (is_order(step, cues("en")) or not FINITE.search(step)):
                found = found.without_atom(atom, turn.text, Reason.REQUEST)
            elif step or is_unfinished(atom.text):
                found = _with_words_before(turn, found, atom)
        directs = atom.directs_work
    return found


def _next_step(turn: SpokenTurn, atom: Atom) -> str:
    """What the rule says is to be done next, where it opens its sentence so, and not for every time; else ""."""
    start = max((one.start for one in sentences(turn.text) if one.start <= atom.start), default=0)
    opening = _NEXT_STEP.match(turn.text, start, atom.end)
    if opening is None or opening.end() < atom.start or EVER.search(atom.text) or _IN_ALL.search(atom.text):
        return ""
    return turn.text[opening.end() : atom.end]


def _with_words_before(turn: SpokenTurn, extraction: Extraction, atom: Atom) -> Extraction:
    piece = _words_before(turn, atom)
    if piece is None:
        return extraction.without_atom(atom, turn.text, Reason.UNRESOLVED)
    end = atom.end if piece.end > atom.start else piece.end
    words = as_sentence(" ".join(turn.text[piece.start : end].split()).strip(_EDGES))
    text = words if end == atom.end else f"{words}. {atom.text}"
    said = [one for one in extraction.atoms if one.start < atom.start and piece.start < one.end]
    if all(one.layer is Layer.INTENT for one in said):  # what was ordered there is in these words
        return extraction.with_atom(replace(atom, text=text, start=min((piece.start, *(one.start for one in said)))))
    return extraction.with_atom(replace(atom, text=text))


def _words_before(turn: SpokenTurn, atom: Atom) -> Piece | None:
    """The sentence of a statement, where it has words before that, or else the sentence before it."""
    for piece in reversed(sentences(turn.text)):
        words = turn.text[piece.start : min(piece.end, atom.start)].strip(_EDGES)
        if len(words.split()) >= _LEAST_WORDS:
            return piece if unspoken(piece, turn.skip) is None and len(words) <= _LONGEST else None
    return None
