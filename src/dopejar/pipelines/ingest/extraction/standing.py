"""Standing alone: whether a statement still says something when the talk around it is gone.

Takes: a clause that was read as a statement, and how. Gives: the reading; the reading as one that stays in its
episode; or the reason why it is no statement of the speaker. Never: a statement that was not read before.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Coordinates, Reason
from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.antecedents import refers_out
from dopejar.pipelines.ingest.extraction.carrying import carried, is_named
from dopejar.pipelines.ingest.extraction.classify import PASSING
from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.values.record import Kind, Layer, Sublayer

_FEAR: Final = re.compile(
    r"\b(?:worr(?:y|ied|ying)|afraid|scared|concerned|nervous|anxious|stressed(?: out)?|overwhelmed) "
    r"(?:that|about|because|by|over)?\s*.*?\b(?:won't|will|would|might|(?<!\d )may(?! \d)|could|can't|cannot|not be)\b",
    re.IGNORECASE,
)
_PURPOSE: Final = re.compile(
    r"^[\s,]*(?:and )?so (?:that )?(?:i|we|it|they|he|she)(?:'ll| can| could| don't| do not| won't| will| would| may|"
    r" might| doesn't| have to| get to)\b",
    re.IGNORECASE,
)
_EMBEDDED: Final = re.compile(r"\b(?:how|what|why|whether|which|where|who)(?: \w+ly)?\s*$", re.IGNORECASE)
_OPEN_QUOTE: Final = re.compile(r"[\u201c\u201e\u00ab]")
_CLOSE_QUOTE: Final = re.compile(r"[\u201d\u00bb]")
_LASTS: Final = re.compile(
    r"^(?:i|we)(?:'ve| have)? (?:\w+ly |also |never |always |still )*(?:have|use|own|play|speak|drive|live|work|"
    r"study|teach|never|"
    r"always|decided|chose|quit|am|are)\b|^(?!i\b|i'|we\b|we')",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|am|be|has|have|had|do|does|did|will|can|may|must|should|shall|would|could|might|"
    r"loves?|likes?|enjoys?|hates?|prefers?|plays?|teaches|helps?|wants?|knows?|says?|goes|comes?|makes?|gives?|"
    r"shows?|feels?|looks?|seems?|"
    r"runs?|uses?|lives?|works?|listens?|takes?|lasts?|leads?|owns?|means?|keeps?|needs?|gets?|goes|starts?|ends?|"
    r"stores?|crash(?:es)?|fails?|breaks?|leaks?|serves?|supports?|requires?|contains?|depends?|targets?|deploys?|writes?|expires?|costs?|allows?|"
    r"moved|became|met|went|got|took|made|said|spent|gave|came|left|saw|ran|began|built|bought|sold|won|lost|wrote|"
    r"(?:(?<!having )\b\w{2,}ed))\b(?! by\b)|'(?:s|re|m|ve|d|ll)\b|^\W*(?:i|we|he|she|they)\b",
    re.IGNORECASE,
)
_NOUN_FIRST: Final = re.compile(r"^(?:my|our|the|a|an|his|her|their|some|several|many)\b", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"\b(?:that|which|who|whose|where)\b", re.IGNORECASE)
_DATE: Final = re.compile(
    r",? (?:on|by|in|until|since|about|around)? ?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}"
    r"(?:st|nd|rd|th)?(?:,? \d{4})?|(?:the week of )?\d{4}-\d\d(?:-\d\d)?)\b",
    re.IGNORECASE,
)
_DEFINITE: Final = re.compile(
    r"\bthe (?!(?:\w+ )?(?:internet|web|future|past|world|gym|beach|city|country|morning|afternoon|evening|night|"
    r"weekend|"
    r"summer|winter|spring|house|kitchen|garden|office|road|weather|news|environment|community|industry|market|job|bus|"
    r"train|piano|guitar|violin|drums|ocean|sea|mountains|outdoors|basics|groomer|dentist|doctor|vet|latest|least|most|"
    r"best|moment|time|day|week|month|quarter|year|season|idea|fact|way|people|public|sun|rain|sky|store|library)\b)"
    r"(?:(?:first|second|final|new|current|whole|full|main|initial|original|previous|other|entire|"
    r"rest of the) )?[a-z-]+(?=$|[,.;]| (?:and|but|or|so|now|too|again|as well|instead|yet|already|soon|first|well|"
    r"carefully|effectively|properly|better|further|lately|recently|before|after|while|because|since|myself|"
    r"so far|into|on|to (?!work\b|school\b|\w+ (?:from|and)\b)|\d)\b)"
)
_GERUND: Final = re.compile(r"^\w{2,}ing\b")
_NAMED: Final = re.compile(r"\d|[`\"\u201c]|\b(?:my|our)\b|(?<=[\w,] )(?!I\b|I')[A-Z]\w", re.MULTILINE)
_SHORT: Final = 3  # words that carry a meaning, up to which a number makes nothing known
_HAS: Final = re.compile(r"^(?:i|we) (?:also )?(?:have|own|live|work|speak|play)\b", re.IGNORECASE)
_MONEY: Final = re.compile(r"[$€£]\d")
_WISHED: Final = re.compile(r"^(?:i|we)(?:'d| would)? (?:\w+ )?(?:want|like|love|need) to\b", re.IGNORECASE)
_FAILING: Final = re.compile(
    r"\b(?:can't|cannot|doesn't|does not|isn't|not|something) (?:find|work|working|wrong)\b", re.IGNORECASE
)
_CONDITION: Final = re.compile(r"\b(?:when|if|unless|because|after|since|with|without)\b", re.IGNORECASE)
_WORDY: Final = 120  # characters; so many words carry something
_OWN: Final = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
_PRESUPPOSED: Final = re.compile(r"presuppos|taken for granted")


def standing(clause: Clause, found: Coordinates, words: Cues, joined: str = "") -> Coordinates | Reason:
    """What is to become of a statement read from a clause.

    `joined` is the clause with the word that joins it to the one before. What directs the work, and names, stand by
    their form. Only English is looked at in full: the forms are those of its grammar.
    """
    if found.directs_work or found.kind is Kind.ALIAS or words.language != "en":
        return found
    text = clause.text
    reason = _not_said(clause, found, words, joined)
    if reason is not None:
        return reason
    if clause.wrapped and (_FEAR.search(clause.raw) or _GERUND.match(text) or _is_phrase(text)):
        return replace(found, confidence=min(found.confidence, PASSING))  # what one is worried about, not that it is so
    if _is_of_this_turn(text, found, words):
        return replace(found, confidence=min(found.confidence, PASSING))
    if _is_empty(text, found, words) or refers_out(text):
        return Reason.UNRESOLVED
    return found


def phrase_standing(text: str, found: Coordinates, words: Cues) -> Coordinates:
    """The same for a noun phrase that a question takes for granted: it stays in its episode where it hangs."""
    if words.language != "en":
        return found
    if _is_exercise(text, words) or words.has("alone.talk", text) or words.has("alone.empty", text) or refers_out(text):
        return replace(found, confidence=min(found.confidence, PASSING))
    return found


def says_little(text: str, found: Coordinates) -> bool:
    """Whether a statement that stands says more with the one before it: it only happened, and nothing is named."""
    if found.layer is not Layer.WORLD or found.kind is Kind.ALIAS or len(text) > _WORDY or _HAS.match(text):
        return False
    return not is_named(text) and carried(text)[0] <= _SHORT


def _not_said(clause: Clause, found: Coordinates, words: Cues, joined: str) -> Reason | None:
    """Why the clause is not stated by the speaker as something that is so."""
    text = clause.text
    if clause.wrapped:
        removed = clause.raw[: max(clause.raw.find(text[:12]), 0)]
        if _EMBEDDED.search(removed):
            return Reason.QUESTION
    if joined[:8].lstrip(" ,")[:2].lower() in ("so", "an") and _PURPOSE.match(joined):
        return Reason.HYPOTHETICAL
    if _is_unbalanced(text):
        return Reason.FRAGMENT
    if found.sublayer is not Sublayer.PREFERENCE and _is_exercise(text, words):
        return Reason.REQUEST
    return None


def _is_of_this_turn(text: str, found: Coordinates, words: Cues) -> bool:
    """Whether it speaks of the talk itself, or wants what the answer will bring."""
    if words.has("act.task", text) or words.has("alone.talk", text):
        return True
    if found.sublayer is Sublayer.FAILURE and _FAILING.search(text) and not _CONDITION.search(text):
        return True  # a fault to be mended now
    if found.layer is not Layer.INTENT:
        return False
    if words.has("alone.step", text) or words.has("alone.answer", text):
        return True
    return words.has("alone.turn", text) and not _NAMED.search(text)


def _is_exercise(text: str, words: Cues) -> bool:
    return words.has("alone.exercise", text) and not words.has("alone.study", text)


def _is_unbalanced(text: str) -> bool:
    """Whether a quotation or a bracket was cut through."""
    return bool(
        text.count('"') % 2
        or len(_OPEN_QUOTE.findall(text)) != len(_CLOSE_QUOTE.findall(text))
        or text.count("(") > text.count(")")
    )


def _is_bare(text: str) -> bool:
    """Whether all that is named is "the route" or "the first draft": of what, only the talk around it says."""
    if "the " not in text:
        return False
    undated = _DATE.sub("", text)
    found = None if is_named(undated) else _DEFINITE.search(undated)
    if found is None or _OWN.search(undated, 0, found.start()):
        return False
    return not _NAMED.search(undated) or (carried(undated)[0] <= _SHORT and not _MONEY.search(undated))


def _is_phrase(text: str) -> bool:
    """Whether the words are a noun with its attributes, and nothing is said of it."""
    if not _NOUN_FIRST.match(text):
        return False
    verbs = sum(1 for _ in _VERB.finditer(text))
    return verbs <= sum(1 for _ in _ATTRIBUTE.finditer(text))


def _is_empty(text: str, found: Coordinates, words: Cues) -> bool:
    """Whether the informative half is missing: no predicate, or one that waits for its complement."""
    if _PRESUPPOSED.search(found.cue):
        return False
    if found.layer is Layer.WORLD and _is_phrase(text):
        return True
    if words.has("alone.empty", text) or _is_bare(text):
        return True
    return _is_thin(text, found)


def _is_thin(text: str, found: Coordinates) -> bool:
    """Whether too little is said to know what it is about."""
    if len(text) > _WORDY or is_named(text):
        return False
    words, parts = carried(text)
    if found.layer is Layer.SELF:
        return words == 0 and not _NAMED.search(text)
    if words == 1 and not parts:  # something only happened, or is only wished for
        return _WISHED.match(text) is not None if found.layer is Layer.INTENT else _LASTS.match(text) is None
    return words <= bool(parts)
