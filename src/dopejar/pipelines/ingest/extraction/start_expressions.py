"""Beginnings: what begins on the day on which it is told lasts; what is said for the day alone ends with it.

Takes: a statement. Gives: whether it tells of such a state, and the statement without the day where that says no more
than since when it holds. Never: takes a clock time of a day ("starts at ten today") for a beginning. English only.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.cues import Cues
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.names import spelled_names
from dopejar.text.normalisation import fold
from dopejar.text.number_words import NUMBER_WORDS

_NUMBERS: Final = "|".join(sorted((word for word in NUMBER_WORDS if word not in ("a", "an")), key=len, reverse=True))
_NUMBER: Final = rf"(?:\d{{1,3}}|(?:{_NUMBERS})(?:[- ](?:{_NUMBERS}))?)"
_DAY: Final = r"(?:today|tonight|this (?:morning|afternoon|evening))"
_IS: Final = r"(?: is| are| am|['’]s|['’]m|['’]re)(?: now| already| just| officially)?"
_A_DAY: Final = lazy_pattern(rf",? ?\b{_DAY}\b(?!['’]s)", re.IGNORECASE)
_FOR_THE_DAY: Final = lazy_pattern(rf"\b(?:for|only|just) {_DAY}|\b{_DAY} only\b", re.IGNORECASE)
_AGED: Final = lazy_pattern(
    rf"^(?:(?:i|he|she)|(?:my|our|his|her|their) (?:[\w'’-]+ ){{0,2}}?(?P<kin>\w+)(?: (?-i:[A-Z])[\w'’-]+)?"
    rf"|(?P<name>(?-i:[A-Z])[\w'’-]+?)(?: and (?-i:[A-Z])[\w-]+)?){_IS} {_NUMBER}[.! ]*$",
    re.IGNORECASE,
)
_YEARS_OLD: Final = lazy_pattern(rf"{_IS} {_NUMBER} (?:years?|months?|weeks?) old[.! ]*$", re.IGNORECASE)
_TURNS: Final = lazy_pattern(rf" (?:{_IS} )?turn(?:s|ing)? {_NUMBER}(?: years old)?[.! ]*$", re.IGNORECASE)
_BEGINS: Final = lazy_pattern(
    r"(?:[\w)]|['’](?:m|s|re)) (?:(?:start|begin)(?:s|n?ing)?\b(?! (?:with|by|off)\b)"
    r"|mov(?:e|es|ing) (?:in|into|out|away|house|home|back)\b|retir(?:e|es|ing)\b|becom(?:e|es|ing)\b"
    r"|being (?:put|moved|switched|promoted|transferred) (?:on|onto|to|up)\b"
    r"|(?:tak|com)(?:e|es|ing) (?:effect|into (?:effect|force|use))\b|go(?:es|ing)? live\b|reopen(?:s|ing)?\b"
    r"|expir(?:e|es|ing)\b|clos(?:e|es|ing) for good\b|join(?:s|ing)? (?:(?:the|our|my) (?:team|company|board|crew|"
    r"family|club|choir|band)\b|(?-i:[A-Z])))"
    r"|^(?:i|we|he|she|they)(?:['’](?:m|s|re)| am| is| are)? (?:mov|switch)(?:e|es|ing)? (?:\w+ ){0,4}?to\b",
    re.IGNORECASE,
)
# how a team works, and where a thing runs: "today" is nowadays there, unless the object is one of the day ("the ...")
_NAMED: Final = r"(?!(?:the|a|an|this|that|these|those|my|your|his|her|time|schedule|course)\b)"
_STILL: Final = r"(?: all| both| still| already| mostly| also)?"
_OURS: Final = r"(?:we|they|it|(?:our|the) [\w-]+(?: [\w-]+)?|[\w.-]+)"
_SET_UP: Final = (
    rf"(?:{_OURS}{_STILL} (?:uses?|rely on|relies on|deploys? to|builds? with|runs? (?:on|under|behind)) {_NAMED}\w"
    rf"|{_OURS}(?: is| are|['’]re|['’]s){_STILL} (?:hosted|deployed|stored|written|built|based|running) "
    rf"(?:at|on|in|with|by|under|from) {_NAMED}\w"
    rf"|(?:we|they|it|our [\w-]+(?: [\w-]+)?)(?: is| are|['’]re|['’]s){_STILL} on {_NAMED}"
    r"(?=(?-i:[A-Z])|[\w-]*[.\d]|[\w-]+ v?\d)\w)"
)
_NOWADAYS: Final = lazy_pattern(
    r"(?:^|[,;:] |\b(?:and|but|so|that) )(?!(?:i|he|she)\b)"
    rf"(?:today,? {_SET_UP}|{_SET_UP}[^,;:]{{0,60}}? today\b(?!['’]s))",
    re.IGNORECASE,
)
_AT_A_TIME: Final = lazy_pattern(
    rf"\b(?:at|by|from|around|about|after|before) (?:half|quarter|noon|midnight|lunch|{_NUMBER})\b"
    r"|\b(?:later|late|early|earlier|soon|o['’]clock|in the (?:morning|afternoon|evening))\b|\d ?[ap]m\b",
    re.IGNORECASE,
)
_OF_WISHES: Final = lazy_pattern(
    r"^(?:please|let['’]?s?|start|begin|move|switch|join|go)\b|\byou\b"
    r"|\b(?:not|never|should|shall|must|could|can|may|might|would|needs? to|have to|has to|wants? to)\b|n['’]t\b",
    re.IGNORECASE,
)


def begins_today(text: str, words: Cues) -> bool:
    """Whether a statement tells what begins on the day of which it speaks, or is so nowadays, and says no end of it."""
    rest = _without_day(text)
    if rest == text or _FOR_THE_DAY.search(text) or words.has("time.temporary", rest):
        return False
    if _is_nowadays(text):
        return True
    if _OF_WISHES.search(rest):
        return False
    return _is_age(rest) or bool((_TURNS.search(rest) or _BEGINS.search(rest)) and not _AT_A_TIME.search(rest))


def without_needless_day(text: str) -> str:
    """The age, or the state of nowadays, that a statement tells, without the day; any other statement as it is."""
    rest = _without_day(text)
    return rest if rest != text and (_is_age(rest) or _is_nowadays(text)) else text


def _is_nowadays(text: str) -> bool:
    return len(_A_DAY.findall(text)) == 1 and _NOWADAYS.search(text) is not None and not _AT_A_TIME.search(text)


def _without_day(text: str) -> str:
    return _A_DAY.sub("", text).lstrip(", ")


def _is_age(text: str) -> bool:
    found = _AGED.search(text)
    if found is None:
        return bool(_YEARS_OLD.search(text))
    if found["name"] is not None:
        return bool(spelled_names(found["name"]))
    if found["kin"] is None:
        return True
    from dopejar.pipelines.ingest.extraction.clause_groups import KIN  # a recall that reads an end needs no clauses

    return fold(found["kin"]) in KIN
