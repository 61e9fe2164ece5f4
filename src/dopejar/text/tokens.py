"""Token counts that never fall short.

Takes: a text. Gives: an upper estimate of its BPE tokens; a prefix within a budget. Never: loads a vocabulary.
"""

from __future__ import annotations

import re
from typing import Final

_PIECE: Final = re.compile(r"[a-zA-Z]+|[0-9]{1,3}|[ ]+|\s+|.", re.DOTALL)


def count_tokens(text: str) -> int:
    """At least the tokens that the usual BPE tokenizers would count."""
    return sum(_cost(piece) for piece in _PIECE.findall(text)) or (1 if text else 0)


def _cost(piece: str) -> int:
    if piece == " ":
        return 0
    if piece.isascii():
        return -(-len(piece) // 4)
    return len(piece.encode("utf-8", "surrogatepass"))


def trim_to_tokens(text: str, budget: int) -> str:
    """The longest prefix at a word boundary whose count is within `budget`."""
    if count_tokens(text) <= budget:
        return text
    used = end = 0
    for match in _PIECE.finditer(text):
        used += _cost(match[0])
        if used > budget:
            break
        end = match.end()
    kept = text[:end].rstrip()
    while kept and count_tokens(kept) > budget:
        kept = kept[:-1]
    return kept
