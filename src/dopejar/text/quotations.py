"""Quotations: sentences between quotation marks, which somebody else said.

Takes: a text. Gives: where such words lie, and the text with a mark in their place. Never: takes a quoted name, term or
title, a short wish, or what the speaker calls their own ("my motto is ...", "remember: ...") for somebody else's word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.text.sentences import sentences

MARK: Final = '"…"'
"""What stands for a quotation in a text without them."""
_QUOTED: Final = re.compile(
    r'(?<![\w"])"(?=\S)(?P<straight>[^"]+)(?<=\S)"(?!\w)|“(?P<english>[^“”]+)”|„(?P<low>[^„“”]+)[“”]|«(?P<angle>[^«»]+)»'
)
_LEAST: Final = 5  # words; what is shorter is a name, a term, a wish
_SEVERAL: Final = 8  # words of more than one sentence
_SPEAKS: Final = re.compile(
    r"\b(?:I|[Ww]e|[Oo]urs?|[Mm]y|[Uu]s|[Mm]e|[Ii]ch|[Mm]ein\w*|[Ww]ir|[Uu]nser\w*|[Yy]o|[Mm]is?|"
    r"[Nn]uestr\w+|[Jj]e|[Mm]on|[Nn]ous|[Nn]otre|[Ee]u|[Mm]eus?|[Mm]inhas?)\b"
)
_GREETS: Final = re.compile(r"\s*(?:hi|hello|hey|dear|good (?:morning|day|afternoon|evening))\b", re.IGNORECASE)
_BEFORE: Final = 80  # characters that tell what introduces a quotation
_STANDS_ALONE: Final = re.compile(r"(?:^|[:.!?…;)\n–—-])\s*$")
_GOES_ON: Final = re.compile(r"\s+(?:is|are|was|were|means|should|must|has to)\b", re.IGNORECASE)
# "my motto is ...", and a request to the one who listens; what is called so by "the rule is ..." may be either's
_OWN: Final = re.compile(
    r"\b(?:my|our) (?:[\w-]+ ){1,4}(?:is|are|was)\s*:?\s*$"
    r"|\b(?:remember|memori[sz]e|note|save|store|record|keep in mind|write down|add)"
    r"(?:,? (?:this|that|it|the following|please|down|for me|as|an?|the|new|rule|fact))*\s*:?\s*$",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(r"\b(?:is|are|was|be|called|named|titled|as|=)\s*:?\s*$", re.IGNORECASE)


def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges, with their marks, of what somebody else says: a sentence of theirs that stands alone, or several."""
    found = [one.span() for one in _QUOTED.finditer(text) if _is_said_by_others(text, one)]
    return tuple(found) if _has_words(text, found) else ()  # who quotes all they say says it themselves


def without_quotations(text: str) -> str:
    """The text with a mark at the end of each quotation's range and blanks before it; of the same length."""
    for start, end in quotations(text):
        text = f"{text[:start]}{MARK:>{end - start}}{text[end:]}"
    return text


def _is_said_by_others(text: str, found: re.Match[str]) -> bool:
    body = found[found.lastgroup or 0]
    count = len(body.split())
    if count < _LEAST:
        return False
    before = text[max(0, found.start() - _BEFORE) : found.start()]
    if _OWN.search(before):
        return False
    speaks = _SPEAKS.search(body) is not None or _GREETS.match(body) is not None
    if count >= _SEVERAL and len(sentences(body)) > 1:
        return speaks or _CALLED.search(before) is None
    return speaks and _STANDS_ALONE.search(before) is not None and _GOES_ON.match(text, found.end()) is None


def _has_words(text: str, ranges: Sequence[tuple[int, int]]) -> bool:
    places = [0, *(place for span in ranges for place in span), len(text)]
    return any(any(map(str.isalnum, text[place:end])) for place, end in zip(places[::2], places[1::2], strict=True))
