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
from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.pipelines.ingest.salience.content_words import carried, is_named
from dopejar.pipelines.ingest.salience.score import hangs, is_worth_keeping, points_away
from dopejar.text.policies import states_policy
from dopejar.values.record import ENVIRONMENT_TAG, Kind, Layer, Sublayer

LEARNED: Final = 0.5  # confidence from which a conversation may propose
PASSING: Final = 0.4  # below it; the words stay in their episode
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
_SINCE: Final = re.compile(r"^as of [^,]{1,30}, ", re.IGNORECASE)  # says from when, and points at nothing
_HAS: Final = re.compile(r"^(?:i|we) (?:also )?(?:have|own|live|work|speak|play)\b", re.IGNORECASE)
_DOES: Final = re.compile(r"^(?:i|we)\b", re.IGNORECASE)
_SHORT: Final = 3  # words that carry a meaning
_WORDY: Final = 120  # characters; so many words carry something
_BRIEF: Final = 8  # words, of which what fills a slot is the most


def standing(clause: Clause, found: Coordinates, words: Cues, joined: str = "") -> Coordinates | Reason:
    """What is to become of a statement read from a clause.

    `joined` is the clause with the word that joins it to the one before. What directs the work stands by its form, and
    so does a name that points at nothing around it. Only English is looked at: the forms are those of its grammar.
    """
    if found.directs_work or words.language != "en":
        return found
    if found.kind is Kind.ALIAS:
        return staying(found) if points_away(_SINCE.sub("", clause.text)) else found
    reason = _not_said(clause, found, words, joined)
    if reason is not None:
        return reason
    if clause.wrapped and _FEAR.search(clause.raw):
        return staying(found)  # what one is worried about, not that it is so
    return weighed(clause.text, found)


def weighed(text: str, found: Coordinates) -> Coordinates:
    """The reading of English words as one that may be learned, or as one that stays in its episode."""
    if is_worth_keeping(text) or _stands_by_form(text, found):
        return replace(found, confidence=max(found.confidence, LEARNED))
    return staying(found)


def staying(found: Coordinates) -> Coordinates:
    """The reading as one that stays in its episode."""
    return replace(found, confidence=min(found.confidence, PASSING))


def says_little(text: str, found: Coordinates) -> bool:
    """Whether a statement that stands says more with the one before it: it only happened, and nothing is named."""
    if found.layer is not Layer.WORLD or found.kind is Kind.ALIAS or len(text) > _WORDY or _HAS.match(text):
        return False
    return not is_named(text) and carried(text) <= _SHORT


def _stands_by_form(text: str, found: Coordinates) -> bool:
    """Whether it says how the work is set up, which revision of a policy holds, or hardly more than a slot's value."""
    is_of_work = (ENVIRONMENT_TAG in found.tags or states_policy(text)) and not _DOES.match(text)
    return (is_of_work or (text.count(" ") < _BRIEF and read_slot(text, 1) is not None)) and not hangs(text)


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
    if found.sublayer is not Sublayer.PREFERENCE and words.has("alone.exercise", text):
        return None if words.has("alone.study", text) else Reason.REQUEST
    return None


def _is_unbalanced(text: str) -> bool:
    """Whether a quotation or a bracket was cut through."""
    return bool(
        text.count('"') % 2
        or len(_OPEN_QUOTE.findall(text)) != len(_CLOSE_QUOTE.findall(text))
        or text.count("(") > text.count(")")
    )
