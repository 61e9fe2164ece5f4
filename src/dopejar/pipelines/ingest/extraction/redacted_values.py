"""Redacted values: statements whose value was taken out before anything was kept.

Takes: words as they were kept. Gives: whether they say nothing besides the value. Never: guesses what stood there.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.values.episode import REDACTED

_MARK: Final = rf"[\"'`(]*{re.escape(REDACTED)}[\w-]+\][\"'`)]*"
_WHOLE_MARK: Final = lazy_pattern(rf"{re.escape(REDACTED)}[\w-]+\]")
_VALUE_ONLY: Final = lazy_pattern(
    rf"(?:[^,;.!?]{{0,100}}?(?:\b(?:is|are|was|were|ist|lautet|es|est|é|je|это)\b|[=:])\s*:?\s*)?"
    rf"{_MARK}(?:(?:\s*[,/]\s*|\s+(?:and|or|und|y|et|e|a)\s+){_MARK}){{0,5}}[\s.!]*",
    re.IGNORECASE,
)

# a code or a password, with what says of it no more than that it is one, what it opens, and when it changed
_TYPED: Final = rf"[\"'`(]*{re.escape(REDACTED)}(?:pin|password|card-code|security-answer)\][\"'`)]*"
_STATED: Final = lazy_pattern(
    rf"(?!(?:please )?(?:never|don['’]?t|do not|always|avoid|stop)\b)"
    rf"(?:(?!{re.escape(REDACTED)}).){{0,100}}?{_TYPED}"
    rf"(?:\s+(?:now|again|today|yesterday|tomorrow|from|since|until|as of|on|in|at|for|into|to|by|this|last|next"
    rf"|as well|too|instead|any ?more|is|was|opens|unlocks|disarms)\b(?:(?!{re.escape(REDACTED)}).){{0,80}}?)?",
    re.IGNORECASE,
)
_CHANGED: Final = lazy_pattern(
    r"(?=.*\b(?:codes?|\w+code|pins?|passwords?|combination|one|locks?|it)\b)"
    r"(?=.*\b(?:changed|reset|renewed|new|updated|different|replaced|swapped)\b).{0,80}"
    r"|(?:[^\s,]+ ){0,3}(?:codes?|pin|combination|password)(?: (?:for|of|to|at|on) [^,]{0,50})?"  # the name of it
    r"|(?:to|for|if) .{0,50}|\S+(?: \S+)?",  # what it is for; two words are no clause
    re.IGNORECASE,
)
_JOINT: Final = lazy_pattern(r"\s*[,;:.!?]+\s+|\s+[—–-]\s+|\s*,?\s+(?:and|but|so)\s+")
_TO_ANOTHER: Final = lazy_pattern(rf"{_TYPED}\s+to\s+(?={_TYPED})")
_SECOND: Final = lazy_pattern(  # the words before "and" say something of their own
    r"\b(?:is|are|was|were|am|has|have|had)\b[^\[]*\band\b[^\[]*\b(?:is|are|was|were)\b"
)


def with_whole_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """The range with the whole of the marks of redactions that it begins or ends within."""
    for mark in _WHOLE_MARK.finditer(text) if REDACTED in text else ():
        start = mark.start() if mark.start() < start < mark.end() else start
        end = mark.end() if mark.start() < end < mark.end() else end
    return start, end


def is_redacted_value(text: str) -> bool:
    """Whether the words say no more than that something has a value, which was taken out, or that it has changed."""
    if REDACTED not in text:
        return False
    if _VALUE_ONLY.fullmatch(text) is not None and _SECOND.search(text) is None:
        return True
    return _is_stated_code(_TO_ANOTHER.sub("", text.strip(" .!?,;")))


def _is_stated_code(text: str) -> bool:
    """Whether a clause states a code that was taken out, and the others name it, or say that it is another one now."""
    clauses = [clause for clause in _JOINT.split(text) if clause]
    stated = [clause for clause in clauses if _STATED.fullmatch(clause)]
    return bool(stated) and all(clause in stated or _CHANGED.fullmatch(clause) for clause in clauses)
