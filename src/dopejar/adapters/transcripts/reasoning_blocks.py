"""Removal of the assistant's reasoning blocks from Markdown transcripts.

Takes: the text of an assistant's turn. Gives: the text without them, and how many were removed. Never: cuts a block
that has no end.
"""

from __future__ import annotations

import re

_OPEN = re.compile(
    r"<(?P<tag>think|thinking|thinking-content-[0-9a-f]{1,64})>|^(?P<line>► \*\*THINKING\*\*)$", re.MULTILINE
)
_ANSWER = "► **ANSWER**"


def strip_reasoning(text: str) -> tuple[str, int]:
    """`text` without its reasoning blocks, and how many were removed."""
    if "<think" not in text and "► **THINKING" not in text:
        return text, 0
    kept: list[str] = []
    place = 0
    endless: set[str] = set()  # closing tags known to be missing: searched for only once
    for opening in _OPEN.finditer(text):
        close = f"</{opening['tag']}>" if opening["tag"] else _ANSWER
        if opening.start() < place or close in endless:
            continue
        end = text.find(close, opening.end())
        if end == -1:
            endless.add(close)
            continue
        kept.append(text[place : opening.start()])
        place = end + len(close)
    if not kept:
        return text, 0
    return "".join([*kept, text[place:]]), len(kept)
