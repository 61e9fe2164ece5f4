"""The opening clause of a statement: what it says before it gives the reason or goes on.

Takes: a text. Gives: the words of its first clause. Never: a clause that what follows limits ("we closed the shop, but
only on Mondays"), or that opens with its condition.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.extraction.clause_groups import FINITE

_BEHIND: Final = re.compile(
    r"\s*[,;]\s+(?!(?:but|except|unless|if|when|whenever|while|until|till|only|or|not|before|after|although|though|"
    r"which|who|where|whose)\b)|\s+[-–—]\s+|\s+(?:because|since)\s+",
    re.IGNORECASE,
)
_WAITS: Final = re.compile(  # for its main clause
    r"(?:if|when|whenever|once|unless|until|before|after|because|since|as|although|though|while)\b", re.IGNORECASE
)
_LEAST: Final = 3  # words


def opening_clause(text: str) -> str:
    """The first clause with a verb, where another one with a verb follows it; "" where the text is one clause."""
    if _WAITS.match(text):
        return ""
    for joint in _BEHIND.finditer(text):
        head = text[: joint.start()]
        if len(head.split()) >= _LEAST and FINITE.search(head):
            return head if FINITE.search(text, joint.end()) else ""
    return ""
