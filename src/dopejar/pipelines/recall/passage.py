"""The best passage of a long turn.

Takes: a text, the terms looked for, a budget in tokens. Gives: the stretch of whole sentences around the most of them.
Never: more tokens than the budget.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.tokens import count_tokens, trim_to_tokens
from dopejar.text.words import index_terms, stem

ELLIPSIS: Final = "..."
_PLAIN_WORD: Final = re.compile("[A-Za-z0-9_']+")
_CHARACTERS: Final = 16  # more than a token of running text has
_END: Final = re.compile(r"(?<=[.!?。！？])\s+|\s*\n\s*")


def terms_of(text: str) -> frozenset[str]:
    """The terms of a text, to be compared with a question's; compounds of plain ASCII text in one piece, for speed."""
    return frozenset(map(stem, _PLAIN_WORD.findall(text)) if text.isascii() else index_terms(text))


def passage(text: str, wanted: frozenset[str], budget: int) -> str:
    """The sentences with most of the wanted terms and what fits around them, with `...` where something is cut off."""
    if len(text) <= _CHARACTERS * budget and count_tokens(text) <= budget:  # a longer text is not worth counting
        return text
    room = budget - 2 * count_tokens(f" {ELLIPSIS}")
    parts = [part for part in _END.split(text) if part.strip()]
    if room < 1 or not parts:
        return ""
    counts = [len(wanted & terms_of(part)) for part in parts]
    centre = max(range(len(parts)), key=lambda place: (counts[place], -place))
    used = count_tokens(parts[centre]) + 1
    if used > room:
        return _framed(trim_to_tokens(parts[centre], room), is_start=centre == 0, is_end=False, budget=budget)
    first = last = centre
    sides = {-1: first > 0, 1: last < len(parts) - 1}  # where it may still grow
    while any(sides.values()):
        side = _richer(counts, first, last, sides)
        place = first - 1 if side < 0 else last + 1
        cost = count_tokens(parts[place]) + 1
        if used + cost > room:
            sides[side] = False
            continue
        first, last, used = min(first, place), max(last, place), used + cost
        sides = {-1: sides[-1] and first > 0, 1: sides[1] and last < len(parts) - 1}
    kept = " ".join(parts[first : last + 1])
    return _framed(kept, is_start=first == 0, is_end=last == len(parts) - 1, budget=budget)


def _richer(counts: list[int], first: int, last: int, sides: dict[int, bool]) -> int:
    """The open side whose next sentence holds more; where both hold as much, the later one goes on with the thought."""
    if not sides[-1] or not sides[1]:
        return 1 if sides[1] else -1
    return -1 if counts[first - 1] > counts[last + 1] else 1


def _framed(kept: str, *, is_start: bool, is_end: bool, budget: int) -> str:
    framed = f"{'' if is_start else ELLIPSIS + ' '}{kept}{'' if is_end else ' ' + ELLIPSIS}" if kept else ""
    return framed if count_tokens(framed) <= budget else trim_to_tokens(kept, budget)
