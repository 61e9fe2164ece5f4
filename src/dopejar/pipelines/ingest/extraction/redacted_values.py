"""Redacted values: statements whose value was taken out before anything was kept.

Takes: words as they were kept. Gives: whether they say nothing besides the value. Never: guesses what stood there.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.values.episode import REDACTED

_MARK: Final = rf"[\"'`(]*{re.escape(REDACTED)}[\w-]+\][\"'`)]*"
_VALUE_ONLY: Final = re.compile(
    rf"(?:[^,;.!?]{{0,100}}?(?:\b(?:is|are|was|were|ist|lautet|es|est|é|je|это)\b|[=:])\s*:?\s*)?"
    rf"{_MARK}(?:(?:\s*[,/]\s*|\s+(?:and|or|und|y|et|e|a)\s+){_MARK}){{0,5}}[\s.!]*",
    re.IGNORECASE,
)


def is_redacted_value(text: str) -> bool:
    """Whether the words say no more than that something has a value, which was taken out."""
    return REDACTED in text and _VALUE_ONLY.fullmatch(text) is not None
