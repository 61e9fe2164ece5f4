"""The best passage of a long turn.

Takes: a text, the terms looked for, a budget in tokens. Gives: the stretch of whole sentences around the most of them.
Never: more tokens than the budget.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.tokens import count_tokens, trim_to_tokens
from dopejar.text.words import index_terms

ELLIPSIS: Final = "..."
_END: Final = re.compile(r"(?<=[.!?。！？])\s+|\s*\n\s*")


def passage(text: str, wanted: frozenset[str], budget: int) -> str:
    """The sentences with most of the wanted terms and what fits around them, with `...` where something is cut off."""
    if count_tokens(text) <= budget:
        return text
    room = budget - 2 * count_tokens(f" {ELLIPSIS}")
    parts = [part for part in _END.split(text) if part.strip()]
    if room < 1 or not parts:
        return ""
    counts = [len(wanted.intersection(index_terms(part))) for part in parts]
    costs = [count_tokens(part) + 1 for part in parts]
    centre = max(range(len(parts)), key=lambda place: (counts[place], -place))
    if costs[centre] > room:
        return _framed(trim_to_tokens(parts[centre], room), is_start=centre == 0, is_end=False, budget=budget)
    first = last = centre
    used = costs[centre]
    while True:
        grown = [(counts[place], place > last, place) for place in (first - 1, last + 1)
                 if 0 <= place < len(parts) and used + costs[place] <= room]
        if not grown:
            break
        place = max(grown)[2]
        first, last, used = min(first, place), max(last, place), used + costs[place]
    kept = " ".join(parts[first : last + 1])
    return _framed(kept, is_start=first == 0, is_end=last == len(parts) - 1, budget=budget)


def _framed(kept: str, *, is_start: bool, is_end: bool, budget: int) -> str:
    framed = f"{'' if is_start else ELLIPSIS + ' '}{kept}{'' if is_end else ' ' + ELLIPSIS}" if kept else ""
    return framed if count_tokens(framed) <= budget else trim_to_tokens(kept, budget)
