"""A text in pieces.

Takes: a text, also with markdown, code, logs. Gives: pieces with kind and offsets. Never: changes a character;
`piece.text` is `text[piece.start:piece.end]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["prose", "code", "quote", "list", "table", "heading", "log"]
_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """One sentence, list item, code block, table, heading or stretch of log."""

    text: str
    start: int
    end: int
    kind: Kind


def sentences(text: str) -> list[Piece]:
    """The pieces of the text in order; whitespace and markup between them are left out."""
    pieces: list[Piece] = []
    at = 0
    for match in [*_END.finditer(text), None]:
        end = match.start() if match else len(text)
        piece = text[at:end]
        lead = len(piece) - len(piece.lstrip())
        if piece.strip():
            start = at + lead
            stop = start + len(piece.strip())
            pieces.append(Piece(text=text[start:stop], start=start, end=stop, kind="prose"))
        at = match.end() if match else end
    return pieces
