"""What is said in passing and no marker takes for lasting: "we're dropping Kafka", "pls also sign it, never with Mr".

Takes: the turns of a conversation with what was extracted from them, and a reader. Gives: the extractions; an end is a
statement that is kept only where it changes what is known, and an order is a rule where its words say that it is for
good, and a reader is sure. Never: a question, a condition, a denial, or an end for the moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.clauses import without_opening
from dopejar.pipelines.ingest.extraction.extractor import unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, atom_of
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.pipelines.ingest.extraction.smalltalk import EVER
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.lexicons import guess_language
from dopejar.text.sentences import Piece, sentences
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement, SpeechAct

_TELLING: Final = 300  # characters that tell a language
_SURE: Final = 0.55  # certainty: enough to change what is known, too little to stand by itself
_SURELY_RULES: Final = 0.8  # of a reader, that an order is a rule, and that it lasts
_LONGEST: Final = 160  # characters
_BEGIN: Final = r"(?:^|(?<=[,;:–—-] )|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\bbecause ))"
_WHAT: Final = r"(?!(?:it|this|that|these|those|them|what|who|he|she|they|we|i|you|there|nothing|nobody|everything)\b)"
_REST: Final = r"(?:(?! (?:and|but|so|because|since) (?:i|we|it|they|the|our|my)\b)[^,;:.!?]){2,60}"
_ADVERB: Final = r"(?: (?:now|just|finally|also|all|both|officially|completely|already|actually))*"
_DROP: Final = (
    r"(?:dropp|scrapp|ditch|retir|abandon|phas)(?:ed|ing)(?: out)?|(?:switch|turn)(?:ed|ing) off|"
    r"(?:shut|shutting|closed|closing) down|(?:got(?:ten)?|getting) rid of|(?:mov|migrat)(?:ed|ing) (?:off|away from)"
)
_QUIT: Final = (
    r"stopp(?:ed|ing)(?: using)?|cancell?(?:ed|ing)|g[ai]v(?:e|en|ing) up(?: on)?|quit(?:ting)?|no longer (?:use|have)"
)
_GONE: Final = (
    r"gone|off|dropped|scrapped|ditched|retired|abandoned|switched off|turned off|shut down|closed down|phased out|"
    r"decommissioned|discontinued|cancell?ed|history|dead|no more|over|(?:done|finished|complete)(?= since\b)"
)
_SINCE: Final = (
    r"(?:since|as of|for good|altogether|entirely|last (?:week|month|year|\w+day)|(?:from|on) (?:the )?\d)\b"
)
_END: Final = (
    rf"(?= {_SINCE}| (?:now|too|anyway|as planned|by the way|btw|and|but|so|because)\b|\s*(?:[,;:.!…)]|$|\s[–—-]\s))"
)
_FORMS: Final = re.compile(
    rf"{_BEGIN}(?:"
    rf"we(?:['’](?:re|ve)| are| have)?{_ADVERB} (?:{_DROP}|{_QUIT}) {_WHAT}{_REST}"
    rf"|i(?:['’](?:m|ve)| am| have)?{_ADVERB} (?:{_QUIT}) {_WHAT}{_REST}"
    rf"|{_WHAT}(?:[\w.+#-]+ ){{0,4}}?[\w.+#-]+(?:['’]s| is| are| was| were| got| has been| have been){_ADVERB} "
    rf"(?:{_GONE}){_END}[^,;:!?]{{0,60}}"
    r")",
    re.IGNORECASE,
)
_FOR_NOW: Final = re.compile(
    r"\b(?:again|today|tonight|tomorrow|right now|for now|this time|at the moment|for (?:today|the moment)|until|till|"
    r"not|never|nearly|almost|unless|if|when|once)\b|n['’]t\b",
    re.IGNORECASE,
)


_DOUBT: Final = re.compile(  # before an end, it is none yet: "If they raise it again, we're cancelling it"
    r"\b(?:if|unless|once|when(?:ever)?|until|till|maybe|perhaps|might|may|could|would|imagine|suppose|doubt|hope|wish|fear|"
    r"thinks?|says?|said|claims?|not|never|no)\b|n['’]t\b",
    re.IGNORECASE,
)


def with_unmarked(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader | None
) -> list[Extraction]:
    """The extractions with the ends that turns tell, and the orders for good, where nothing else was found."""
    found = list(extractions)
    spoken = [(place, piece) for place, turn in enumerate(turns) for piece in _spoken(turn)]
    for place, piece in spoken:
        for atom in _ends(turns[place], piece):
            if _is_free(found[place], atom):
                found[place] = found[place].with_atom(atom)
    orders = [(place, piece) for place, piece in spoken if _orders(piece.text) and _is_free(found[place], piece)]
    if reader is None or not reader.finds_frames or not orders:
        return found
    for (place, piece), read in zip(orders, reader.read([piece.text for _, piece in orders]), strict=True):
        if read.act is SpeechAct.RULE and min(read.act_certainty, read.durable) >= _SURELY_RULES:
            words = piece.text.rstrip(" .!")
            atom = _atom(turns[place], piece.start, words, read.act_certainty, directs=True)
            found[place] = found[place].with_atom(atom)
    return found


def _spoken(turn: SpokenTurn) -> Iterator[Piece]:
    """The English sentences of a person that may say so: short, and no question."""
    if turn.speaker_is_user and guess_language(turn.text[:_TELLING]) == "en":
        for piece in sentences(turn.text):
            if len(piece.text) <= _LONGEST and piece.text[-1] != "?" and unspoken(piece, turn.skip) is None:
                yield piece


def _is_free(extraction: Extraction, said: Atom | Piece) -> bool:
    return not any(one.start < said.end and said.start < one.end for one in extraction.atoms)


def _orders(text: str) -> bool:
    return EVER.search(text) is not None and is_order(without_opening(text, cues("en")), cues("en"))


def _ends(turn: SpokenTurn, piece: Piece) -> Iterator[Atom]:
    for found in _FORMS.finditer(piece.text):
        words = found[0].rstrip(" .")
        if not (_FOR_NOW.search(words) or _DOUBT.search(piece.text, 0, found.start())):
            atom = _atom(turn, piece.start + found.start(), words, _SURE, directs=False)
            yield replace(atom, cue="tells an end", only_changes=True)


def _atom(turn: SpokenTurn, start: int, words: str, certainty: float, *, directs: bool) -> Atom:
    said = MarkedStatement(
        start=start,
        end=start + len(words),
        certainty=certainty,
        fact_class=FactClass.CONSTRAINT if directs else FactClass.PLAIN,
        layer=Layer.INTENT if directs else Layer.WORLD,
        sublayer=Sublayer.RULE if directs else Sublayer.FACT,
    )
    return atom_of(" ".join(words.split()), said.start, said.end, said, turn, "en")
