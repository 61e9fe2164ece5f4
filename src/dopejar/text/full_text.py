"""The terms under which records and episodes stand in the full-text index.

Takes: a text, and the key of a record. Gives: stemmed terms, repeats kept. Never: asks a store.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.words import index_terms

_KEY_SEPARATORS: Final = re.compile(r"[-_.:#/]+")


def record_terms(text: str, key: str) -> list[str]:
    """The terms of a record's text and of the words of its key; none where it has no text."""
    if not text:
        return []
    return index_terms(f"{text} {_KEY_SEPARATORS.sub(' ', key)}" if key else text)


def episode_terms(text: str) -> list[str]:
    """The terms of an episode's text."""
    return index_terms(text)
