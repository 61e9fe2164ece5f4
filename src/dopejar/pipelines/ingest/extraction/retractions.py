"""Words by which a speaker takes back what they have just said: "on Mondays, no wait, Tuesdays".

Takes: a turn, and a statement in it. Gives: where the correction that follows ends, and whether a statement is no more
than a correction of the one before. Never: another order of words.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.extraction.extractor import is_dangling

# no last stop of a date that a sentence goes on behind: "dd.mm.yyyy. in all letters"
NO_DATE: Final = r"(?!(?<=\.\d{4}|\.[yjYJ]{4})\. [a-z])"
CLAUSE_END: Final = re.compile(rf"{NO_DATE}[.!?](?=\s|$)|[,:](?!(?<=\d.)\d)|[;()\n\"“”„«»]|\s[-–—]\s")
# Words that take the words before them back, so that those after them are meant.
_TAKES_BACK: Final = (
    r"[\s,;…-]{0,8}\b(?:(?:hm+|oh|uh|ah|argh|er+|oops|well|sorry|wait|no|nope|actually)[\s,]{1,8}){0,6}"
    r"(?:sorry|wait|no(?=[,;]|$| (?:it|its|it's|they|not|i)\b)|nope|oops|scratch that|strike that|i mean(?:t)?|"
    r"make that|rather|correction|actually)\b[\s,]{0,8}"
)
_TAKEN_BACK_AFTER: Final = re.compile(_TAKES_BACK, re.IGNORECASE)
_TAKEN_BACK_WITHIN: Final = re.compile(_TAKES_BACK + "$", re.IGNORECASE)
_TAIL: Final = 60  # characters in which such words are looked for
_TAKEN_BACK_NEXT: Final = re.compile(
    r"(?:(?:hm+|oh|oops|sorry|no|wait)[\s,]{1,8}){0,4}"
    r"(?:no wait|wait|scratch that|strike that|i mean(?:t)?|make that|correction)\b[\s,:]{0,8}",
    re.IGNORECASE,
)
_SEPARATORS: Final = re.compile(r"[\s,;:]{0,8}")
_FEW: Final = 3  # words of a correction in a sentence of its own
_LONGEST_CORRECTION: Final = 12  # words
_NEXT_TO: Final = 4  # characters between a statement and its correction


def end_of_correction(text: str, start: int, end: int, last: int) -> int:
    """Where the correction ends that follows the range in its sentence: what was taken back alone is no statement."""
    tail = max(start, end - _TAIL)
    found = _TAKEN_BACK_WITHIN.search(text, tail, end) or _TAKEN_BACK_AFTER.match(text, end, min(last, end + _TAIL))
    if found is None:
        return end
    meant = _SEPARATORS.match(text, max(end, found.end()))
    closing = CLAUSE_END.search(text, meant.end() if meant else end, last)
    last = closing.start() if closing else last
    return last if len(text[end:last].split()) <= _LONGEST_CORRECTION else end


def corrects(before: Atom, words: str, start: int, *, directs: bool) -> bool:
    """Whether a statement is no more than a correction of the one before it; neither directs the work, or both do."""
    taken_back = _TAKEN_BACK_NEXT.match(words) if start - before.end <= _NEXT_TO else None
    if taken_back is None or before.directs_work != directs:
        return False
    meant = words[taken_back.end() :]
    return is_dangling(meant) or len(meant.split()) <= _FEW
