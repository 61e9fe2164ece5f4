"""Where the clause of a mark begins and ends: the whole of what a person said, where a marker found a part of it.

Takes: a turn, and the range of a mark in it. Gives: ranges. Never: reaches into another statement, or into words that
are not the speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.retractions import CLAUSE_END, NO_DATE
from dopejar.text.quotations import marked as marked_phrases

Range = tuple[int, int]
EDGES: Final = " \t\r\n,;:.-–—"
"""What no statement begins or ends with."""
SHORT_OF_IT: Final = 6  # words by which a mark may miss the boundary of its clause
_FULL_STOP: Final = re.compile(rf"{NO_DATE}[.!?](?=\s|$)|\n")
_FRAME: Final = r"(?:of|with|without|at|for|from|by|in|on|than|to|until|till|after|before)\b"
_NO_BEGINNING: Final = re.compile(  # what follows a subject or a verb of its clause
    rf"(?:{_FRAME}|(?:am|is|are|was|were|be|been|being|has|have|had|will|would|can|could|shall|should|may|might|must)\b)"
)
_NO_END: Final = re.compile(rf"\b(?:{_FRAME}|(?:the|an?|my|our|your|his|their|is|are|was|were|be|been|to))\s*$")
_ONE_WORD: Final = re.compile(r"\w+")
_ADDED: Final = re.compile(_FRAME)  # with no verb, a part of the clause before
_BEHIND_JOINT: Final = re.compile(  # where a clause may begin
    r"[^\w\s'’%*]\s*$|\b(?:and|but|or|so|because|bc|cos|cuz|since|that|as|if|when|whenever|while|like|although|though|"
    r"considering|given|which|who|where|what|how|whether|then|anyway|also|plus|well|yeah|yes|no|ok|okay|says?|said|think|"
    r"guess|know|mean|decided|now|just|still|um+|uh+)\s*$",
    re.IGNORECASE,
)
_OPENS_CLAUSE: Final = re.compile(
    r"(?:(?i:i|we|he|she|they|you|it|there|this|my|our|his|her|their|the|an?|these|those|never|always|please|don['’]?t)|"
    r"[A-Z]\w*)\b(?! (?i:i|we|he|she|they|you)\b)|(?!that)\w+['’](?:m|s|re|ve|ll|d)\b"
)
_MOST_BEFORE: Final = 25  # words of a clause before the mark in it
_ASKS: Final = re.compile(
    r"(?:(?:and|but|so|also|please) )*(?:can|could|would|will|do|does|did|is|are|should|shall|how|what|which|where|why|"
    r"when|who|help|give|tell|show|write|make|explain)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(  # before a clause that holds by itself
    r"(?:(?:and|but|so|or) )?(?:"
    r"(?:(?:especially|particularly) since|because|bc|cos|cuz|considering(?: that| the fact that)?|"
    r"given (?:that|the fact that)|seeing (?:as|that)) (?=(?:i|we|he|she|they|it|there|my|our|the|(?-i:[A-Z])\w+)\b)"
    r"|(?:since|as|considering|given) (?=(?:i|we|they|he|she)(?:['’](?:m|re|ve)\b|(?: (?:am|are|is|have|has|use|work|"
    r"live|do|don['’]t|can['’]t|never))\b))"
    r"|like (?=(?:i|we|my|our)\b(?! (?:did|do|said|say|mentioned|told|was saying)\b)))",
    re.IGNORECASE,
)
_HANGS_ON: Final = re.compile(  # whatever verb follows
    r"(?:and )?(?:(?:like|such as|including|especially|particularly|specifically|where|whose)\b"
    r"|which (?!(?:is|was|means|meant|makes?|made|seems|feels|felt)\b))",
    re.IGNORECASE,
)
# What joins a statement to words that follow in its sentence ("I think so." ends in none).
_JOINTS: Final = {  # a word of one language may be another's noun: "sold her car"
    "en": "and|or|but|so|because|although|whereas|und|oder|aber|weil|mais|pero|porque|mas",  # or a short foreign text
    "de": "und|oder|aber|weil",
    "fr": "et|mais|ou|car",
    "es": "y|pero|porque",
    "pt": "mas|porque|ou",
}
_JOINT: Final = {
    language: re.compile(rf"(?P<comma>,?)\s+(?P<word>{words})[\s,]*$", re.IGNORECASE)
    for language, words in _JOINTS.items()
}
_NEXT_CLAUSE: Final = re.compile(r"\s+(?=(?:and|but|so|because|or|which|who|while|when|if|although)\b)", re.IGNORECASE)
# What came of it for the same: ", so it runs on the new server".
_RESULT: Final = re.compile(r",\s+so\s+(?:now\s+)?(?:it|its|they|their|he|his|she|her|the)\b", re.IGNORECASE)
_TO_THE_OTHER: Final = re.compile(r"\b(?:you|your|please)\b|\?", re.IGNORECASE)
_ITEM: Final = r"[\w'-]+(?: [\w'-]+)?"
_LISTED: Final = re.compile(
    rf"(?:,\s+(?!and\b|or\b){_ITEM}){{1,20}}(?:,\s+|,?\s+(?:and|or)\s+){_ITEM}(?=\s*(?:[.;!?]|$))"
)
_CODE: Final = re.compile(r"`[^`\n]{1,80}`")
_ASIDE: Final = re.compile(r"\([^()\n]*\)|\[[^\[\]\n]*\]|\{[^{}\n]*\}")
# What belongs to a rule: the case before it; the case, purpose or contrast behind it.
_CASE: Final = re.compile(
    r"(?:(?:and|but|so|also|please|then) )*(?:if|when|whenever|unless|once|for|before|after)\b", re.IGNORECASE
)
_LIMIT: Final = re.compile(
    r"\s+(?:if|when|whenever|unless|until|except|so (?:that )?(?:it|they|we|the))\b"
    r"|,\s+(?:unless|except|not(?! (?:sure|that|yet|now)\b)|but (?:rather|only|not)|rather than|instead of)\b",
    re.IGNORECASE,
)
_LONGEST_CASE: Final = 20  # words


def beginning(text: str, start: int, before: int) -> int:
    """Where the clause begins, or the one before where it has no verb and adds to that: ", with a garden".

    `before` is the end of the statement before, or of words that are not the speaker's.
    """
    sentence = max((found.end() for found in _FULL_STOP.finditer(text, 0, start)), default=0)
    firsts = [found.end() for found in CLAUSE_END.finditer(text, sentence, start)]
    first = firsts.pop() if firsts else sentence
    lead = len(text[first:start].split())
    if lead > SHORT_OF_IT:
        closing = CLAUSE_END.search(text, start)
        is_stump = closing is not None and len(text[start : closing.start()].split()) == 1  # "exam, it's on 12 June"
        is_within = is_stump or _NO_BEGINNING.match(text, start) or _NO_END.search(text, first, start)
        if first < before or not (is_within or (lead <= _MOST_BEFORE and _is_cut(text, first, start))):
            return start
    while first > sentence and text[:first].endswith(","):
        closing = CLAUSE_END.search(text, first)
        clause = text[first : closing.start() if closing else len(text)].strip()
        earlier = firsts.pop() if firsts else sentence
        if earlier < before or not (adds(clause) or _ONE_WORD.fullmatch(clause)):
            break
        first = earlier
    return first


def _is_cut(text: str, first: int, start: int) -> bool:
    """Whether the words go on with the clause before them, which states something."""
    is_free = _BEHIND_JOINT.search(text, first, start) or _OPENS_CLAUSE.match(text, start)
    return not (is_free or _ASKS.match(text, first)) and FINITE.search(text, first, start) is not None


def without_reason(text: str, start: int, end: int) -> int:
    """Where the clause begins behind a conjunction that only ties it to a request: "considering I use Flask"."""
    found = _REASON.match(text, start)
    return found.end() if found and FINITE.search(text, found.end(), end) else start


def adds(words: str) -> bool:
    """Whether the words belong to the clause before them: ", with a garden", ", where I'm invited to speak"."""
    if _HANGS_ON.match(words):
        return not _REASON.match(words)
    return _ADDED.match(words) is not None and not FINITE.search(words)


def ending(text: str, start: int, end: int, behind: int, language: str) -> int:
    """Where the clause ends, with the clause behind that a conjunction joins to it, unless that is marked itself.

    `behind` is where the next statement begins, or words that are not the speaker's.
    """
    joints = _JOINT.get(language)
    joint = joints.search(text, start, end) if joints else None
    closing = CLAUSE_END.search(text, end)
    last = closing.start() if closing else len(text)
    if joint is not None and text[end:last].strip():
        return joint.start() if joint["comma"] and behind < last else last
    if joint is not None and (joint["comma"] or joint["word"].lower() != "so"):
        return joint.start()
    following = _NEXT_CLAUSE.search(text, end, last)
    reached = following.start() if following else last
    if len(text[end:last].split()) <= SHORT_OF_IT or _NO_END.search(text, start, end):
        end = last
    elif len(text[end:reached].split()) <= SHORT_OF_IT:
        end = reached
    listed = _LISTED.match(text, end)
    if listed is not None and (listed.end() <= behind or not FINITE.search(listed[0])):
        return listed.end()
    result = _RESULT.match(text, end)
    if result is None:
        return end
    closing = CLAUSE_END.search(text, result.end())
    last = closing.start() if closing else len(text)
    return end if behind < last or _TO_THE_OTHER.search(text, result.end(), last + 1) else last


def with_case(text: str, start: int, end: int, before: int, behind: int) -> tuple[int, int]:
    """The range of a rule with the case before it, and the case, purpose or contrast behind: "for lists, ..., not -".

    `before` and `behind` are as above.
    """
    sentence = max((found.end() for found in _FULL_STOP.finditer(text, 0, start)), default=0)
    case = text[sentence:start].strip(EDGES)
    if before <= sentence and text[:start].rstrip().endswith(",") and "," not in case and _CASE.match(case):
        start = sentence if len(case.split()) <= _LONGEST_CASE else start
    limit = _LIMIT.match(text, end)
    closing = CLAUSE_END.search(text, limit.end()) if limit else None
    last = closing.start() if closing else len(text)
    is_near = limit is not None and last <= behind and len(text[end:last].split()) <= _LONGEST_CASE
    return trimmed(text, start, last if is_near else end)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without spaces, stops and dashes at its ends."""
    while start < end and text[start] in EDGES:
        start += 1
    while start < end and text[end - 1] in EDGES:
        end -= 1
    return start, end


def wholes(text: str) -> tuple[Sequence[Range], Sequence[Range]]:
    """The ranges that no statement is cut within: quotations and inline code, and brackets."""
    quoted = (*marked_phrases(text), *(one.span() for one in _CODE.finditer(text)))
    return quoted, [one.span() for one in _ASIDE.finditer(text)]


def with_whole(whole: tuple[Sequence[Range], Sequence[Range]], start: int, end: int) -> Range:
    """The range with the whole of what it begins or ends within: "`-` marker", "the core (in Rust)"."""
    quoted, asides = whole
    for low, high in quoted:
        if start <= low <= end + 1 and end < high:  # or right behind it: "always sign with \"Yours\""
            end = high
        elif low < start < high <= end:
            start = low
    for low, high in asides:
        if start < low < end < high:
            end = high
        elif low < start < high < end:
            start = low
    return start, end
