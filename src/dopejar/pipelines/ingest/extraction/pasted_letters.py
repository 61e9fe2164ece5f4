"""Drafts: letters and templates that somebody brings along to be worked on; nobody states them here.

Takes: a text. Gives: the ranges that are such material. Never: the words around it.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern

_OPENS: Final = lazy_pattern(r"^[ \t>*]*(?:Subject:|Dear\b[^\n]{0,60}[,:]\s*$|To whom it may concern)", re.MULTILINE)
_CLOSES: Final = lazy_pattern(
    r"^[ \t>*]*(?:(?:best|kind|warm)(?:est)? (?:regards|wishes)|sincerely|yours (?:sincerely|faithfully|truly)|regards|"
    r"best|\[your name\])\b[^\n]{0,30}(?:\n[^\n]{1,60})?",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK: Final = lazy_pattern(
    r"\[(?:your|insert|briefly|name|company|date|recipient|position|address|mention|specific|client|add|describe)\b[^\]\n]*\]",
    re.IGNORECASE,
)
_MATERIAL: Final = lazy_pattern(
    r"\b(?:rewrite|rephrase|proofread|paraphrase|translate|polish|summari[sz]e|shorten|correct|edit|revise)\b[^\n:.?!]{0,80}"
    r":[ \t]*\n?",
    re.IGNORECASE,
)


def drafts(text: str) -> tuple[tuple[int, int], ...]:
    """Where a letter stands from its address to its close, a paragraph with blanks to fill in, a text to reword."""
    found: list[tuple[int, int]] = []
    if "Dear " in text or "Subject:" in text or "To whom" in text:
        found += _letters(text)
    if "[" in text:
        found += [_paragraph(text, blank.start()) for blank in _BLANK.finditer(text)]
    if ":" in text:
        asked = _MATERIAL.search(text)
        found += [(asked.end(), len(text))] if asked and asked.end() < len(text) else []
    return tuple(found)


def _letters(text: str) -> list[tuple[int, int]]:
    opened = _OPENS.search(text)
    if opened is None:
        return []
    closed = _CLOSES.search(text, opened.end())
    return [(opened.start(), closed.end() if closed else len(text))] if closed or opened.start() else []


def _paragraph(text: str, place: int) -> tuple[int, int]:
    start = text.rfind("\n\n", 0, place)
    end = text.find("\n\n", place)
    return (start + 2 if start >= 0 else 0, end if end >= 0 else len(text))
