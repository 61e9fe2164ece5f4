"""Words of the moment among what a marker finds: questions, requests, dictated sentences, bare answers.

Takes: the words of a mark, and the cues of their language. Gives: why they state nothing, or where a statement begins
behind a question. Never: takes a standing wish ("could you always use grams") for a request of the moment.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.clauses import without_opening
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.pipelines.ingest.extraction.self_corrections import values_in
from dopejar.pipelines.ingest.extraction.smalltalk import EVER, names_what, statement_in_request

# "Put in that ...", "tell them that ...": what a text is to say, and not what its author tells the assistant
_DICTATED: Final = re.compile(
    r"^\w+(?: (?:in|down|to|them|him|her|also|too|again|there|at the (?:end|top))){0,3},? that\b", re.I
)
_POLITE: Final = re.compile(r"^(?:so |then |now )*(?:can|could|would|will) (?:you|u|ya)\b", re.IGNORECASE)
_WONDERS: Final = re.compile(
    r"^(?:i['’]?m|i am|we['’]re)(?: (?:just|kinda|sorta|kind of|also|a bit|really))* "
    r"(?:curious|wondering|not (?:quite )?sure|unsure)\b",
    re.IGNORECASE,
)
_TODAY: Final = re.compile(  # what day it is
    r"(?:it['’]?s|it is|today is|today['’]s)(?: (?:already|now|currently|only|just))? (?:the )?"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\b,? ?)?"
    r"(?:(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?(?:,? \d{4})?)?",
    re.IGNORECASE,
)
_UNTIED: Final = re.compile(
    r"(?:where|which|whose|(?:like|such as|including|especially|particularly|specifically)\b"
    r"(?!.*\b(?:i|we|my [\w-]+|our [\w-]+)(?:['’](?:m|ve|re|s)| am| are| is| have| has)\b))\b",  # "like I said, I am"
    re.IGNORECASE,
)
_OF_SELF: Final = re.compile(  # what is told behind a question or a wonder
    r"(?:,\s+(?:(?:and|but|so|because|since|as)\s+)?|\s+but\s+)(?=(?:i|my|we|our)\b)", re.IGNORECASE
)
_ASKS: Final = re.compile(  # "Have a dog and two cats" does not
    r"^(?:what|which|who|whom|whose|where|why|how)\b|^\w+(?:n['’]t)? (?:i|you|we|he|she|it|they|there|this|that)\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(r"you(?:['’]re| are)(?: now)? (?:(?:an?|the|my|our) |[a-z]+ing\b)", re.IGNORECASE)
_DATA: Final = re.compile(r"\[\s*\]|\{\s*\}|\{[^{}\n]*[:,][^{}\n]*\}")  # what a program holds
_CLAUSE: Final = re.compile(r",\s+(?=\S)")
_MINE: Final = re.compile(r"\b(?:my|our|your|his|her|their|the|an?) $", re.IGNORECASE)  # "my work days": no verb
_NAMED: Final = re.compile(r"[:=]")
_VERB: Final = re.compile(r"^(?:(?:my|our|the|his|her) )?[^\W\d][\w'-]*(?: [a-z]\w*)? [a-z]{2,}(?:es|[^s\W]s)\b")
_SAME: Final = r"(?:the )?same [\w'-]+(?: (?!as )[\w'-]+)?"
_KEPT: Final = (  # what may be as it was: no verb is among it, so that no order is
    r"(?:(?:the|my|our|all) )?(?:times?|days?|nights?|hours?|place|venue|room|prices?|fees?|rates?|money|terms|doses?|"
    r"numbers?|address|rest|route|team|everything(?: else)?)"
)
_AS_IT_WAS: Final = (
    r"(?:the same|unchanged|(?:as|the way) (?:it|they) (?:is|are|was|were)|as (?:before|ever|always|usual))"
)
_AS_BEFORE: Final = re.compile(  # "same number", "postage stays the same", "day and time as before", "no calls then"
    rf"(?:(?:and|but|so|still|with|at) )*{_SAME}(?:,? (?:and )?{_SAME}){{0,2}}(?: as (?:before|ever|always|now))?"
    r"|(?:[\w'-]+ ){1,4}(?:stays?|remains?|(?:is|are)(?: still)?) (?:the same|unchanged|as (?:it|they) (?:is|are|was|"
    r"were))(?: too| though| for now| as before)?"
    rf"|{_KEPT}(?:(?:,| and) {_KEPT}){{0,2}} (?:stays? |remains? )?(?:{_AS_IT_WAS}|as in the [\w'-]+)"
    r"|no [\w'-]+(?: [\w'-]+)? (?:then|that day|there|either)",
    re.IGNORECASE,
)
_SUPPOSED: Final = re.compile(  # what somebody would do, as far as the words that go on with it
    r"\b(?:i|we|he|she|they)(?:['’]?d| would| could| might) (?:(?:\w+ly|just) )?"
    r"(?!(?:(?:have|really|much) )*(?:like|love|prefer|rather|want|appreciate|hate|suggest|recommend)\b)[^.!?\n]+$",
    re.IGNORECASE,
)
_IF: Final = re.compile(r"\b(?:if|were|suppose|imagine|dreams?)\b", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"(?:and |or |then )*(?:never|always|don['’]?t|do not)\b(?P<again>.*\bagain\W*$)?", re.I)
_PHRASE: Final = re.compile(r"(?:back|off|over|on|in|at|to|for|with|still|again|now)\b", re.IGNORECASE)
_TURNS_TO: Final = re.compile(r"(?:back|off|over|on) (?:on|to|at|with|in) (?:the|our|my|this|that)\b", re.IGNORECASE)
_MOST_WORDS: Final = 6  # of a phrase: a verb that no pattern knows stands in a longer one
_FEW: Final = 4  # words of a reply that say nothing by themselves, whatever it replies to


def is_as_before(text: str) -> bool:
    """Whether the words only say that something is as it was, or hang on a time just named: "same number"."""
    return _AS_BEFORE.fullmatch(text.strip(" .,;:!")) is not None


def _is_supposed(text: str, before: str) -> bool:
    """Whether an order without a subject goes on with what somebody would do: "I'd move, and never answer again"."""
    goes_on = _GOES_ON.match(text)
    return bool(goes_on and _SUPPOSED.search(before) and (goes_on["again"] or _IF.search(before)))


def asks_for_now(text: str, words: Cues) -> Reason | None:
    """Why the words only ask for something now; None where they may state something or wish for good."""
    bare = without_opening(text, words)
    if _POLITE.match(bare):
        return None if statement_in_request(bare) or EVER.search(bare) else Reason.REQUEST
    return Reason.REQUEST if _DICTATED.match(bare) and words.has("act.task", bare) else None


def why_nothing(text: str, before: str, words: Cues, *, directs: bool) -> Reason | None:
    """Why the words of a mark state nothing, by themselves or behind what was said `before` them; else None.

    What is marked as a rule may ask, and wishes for good.
    """
    if is_as_before(text) or _TODAY.fullmatch(text) or (before and not directs and _UNTIED.match(text)):
        return Reason.FRAGMENT
    told = _DATA.sub("", text)
    if told != text and not (FINITE.search(told) or is_order(without_opening(told, words), words)):
        return Reason.CODE
    if not directs and _ROLE.match(without_opening(text, words)):
        return Reason.ADDRESSEE
    if directs:
        return Reason.HYPOTHETICAL if _is_supposed(text, before) else None
    return Reason.QUESTION if _WONDERS.match(text) else asks_for_now(text, words)


def end_of_question(text: str, words: Cues) -> int:
    """Where the clause behind a question begins that the words start with: 0 without one, their end where all asks.

    Behind what its speaker wonders, where they go on to tell of themselves.
    """
    if _WONDERS.match(text):
        told = (one.end() for one in _OF_SELF.finditer(text) if FINITE.search(text, one.end()))
        return next(told, 0)
    if not _asks(without_opening(text, words), words):
        return 0
    for found in _CLAUSE.finditer(text):
        behind = text[found.end() :]
        if FINITE.search(behind) and not _asks(behind, words):
            return found.end()
    return len(text)


def _asks(text: str, words: Cues) -> bool:
    return words.has("act.question", text) and _ASKS.match(text) is not None and not names_what(text)


def is_bare_answer(text: str, before: str) -> bool:
    """Whether a reply states something only together with what it replies to: "140 quid", "Dave on my work days"."""
    has_verb = any(_MINE.search(text, 0, found.start()) is None for found in FINITE.finditer(text))
    if has_verb or _NAMED.search(text) or _VERB.match(text):
        return False
    return before.rstrip().endswith("?") or len(text.split()) <= _FEW


def is_bare_phrase(text: str) -> bool:
    """Whether the words have neither a subject nor a verb nor a value: "still on decaf", "back on the portal"."""
    is_short = len(text.split()) <= _MOST_WORDS
    return is_short and _PHRASE.match(text) is not None and not (FINITE.search(text) or values_in(text))


def says_where_to_go_on(text: str) -> bool:
    """Whether the words only say what the talk turns to again: "back on the portal", "off to our importer"."""
    return is_bare_phrase(text) and _TURNS_TO.match(text) is not None
