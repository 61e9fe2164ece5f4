"""The best passage of a long turn.

Takes: a text, the question's terms, and a budget in tokens. Gives: consecutive whole sentences around the one with most
of the terms. Never: more tokens than the budget.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.tokens import count_tokens, trim_to_tokens
from dopejar.text.words import index_terms, stem

ELLIPSIS: Final = "..."
_PLAIN_WORD: Final = lazy_pattern("[A-Za-z0-9_']+")
_SHORT: Final = 400  # characters, as statements have: the next questions compare them again, longer ones only this one
_CHARACTERS_PER_TOKEN: Final = 16  # more than running text has
_SENTENCE_END: Final = lazy_pattern(r"(?<=[.!?。！？])\s+|\s*\n\s*")


def text_terms(text: str) -> frozenset[str]:
    """The terms of a text, for comparison with a question's; compounds in ASCII text stay whole, for speed."""
    return (_terms_of_short if len(text) <= _SHORT else _terms_of_long)(text)


def _terms(text: str) -> frozenset[str]:
    return frozenset(map(stem, _PLAIN_WORD.findall(text)) if text.isascii() else index_terms(text))


_terms_of_short: Final = lru_cache(maxsize=16384)(_terms)
_terms_of_long: Final = lru_cache(maxsize=512)(_terms)


def best_passage(text: str, terms: frozenset[str], budget: int) -> str:
    """The sentence with most of the terms and what fits around it, with `...` where something is cut off."""
    # a much longer text is not worth counting
    if len(text) <= _CHARACTERS_PER_TOKEN * budget and count_tokens(text) <= budget:
        return text
    room = budget - 2 * count_tokens(f" {ELLIPSIS}")
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    if room < 1 or not sentences:
        return ""
    counts = [len(terms & text_terms(sentence)) for sentence in sentences]
    centre = max(range(len(sentences)), key=lambda place: (counts[place], -place))
    used = count_tokens(sentences[centre]) + 1
    if used > room:
        return _framed(trim_to_tokens(sentences[centre], room), is_start=centre == 0, is_end=False, budget=budget)
    first = last = centre
    can_grow = {-1: first > 0, 1: last < len(sentences) - 1}
    while any(can_grow.values()):
        side = _richer_side(counts, first, last, can_grow)
        place = first - 1 if side < 0 else last + 1
        cost = count_tokens(sentences[place]) + 1
        if used + cost > room:
            can_grow[side] = False
            continue
        first, last, used = min(first, place), max(last, place), used + cost
        can_grow = {-1: can_grow[-1] and first > 0, 1: can_grow[1] and last < len(sentences) - 1}
    passage = " ".join(sentences[first : last + 1])
    return _framed(passage, is_start=first == 0, is_end=last == len(sentences) - 1, budget=budget)


def _richer_side(counts: list[int], first: int, last: int, can_grow: dict[int, bool]) -> int:
    """The side whose next sentence has more terms; on a tie the later sentence, which continues the thought."""
    if not can_grow[-1] or not can_grow[1]:
        return 1 if can_grow[1] else -1
    return -1 if counts[first - 1] > counts[last + 1] else 1


def _framed(passage: str, *, is_start: bool, is_end: bool, budget: int) -> str:
    framed = f"{'' if is_start else ELLIPSIS + ' '}{passage}{'' if is_end else ' ' + ELLIPSIS}" if passage else ""
    return framed if count_tokens(framed) <= budget else trim_to_tokens(passage, budget)
