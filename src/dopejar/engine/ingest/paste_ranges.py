"""Which ranges of a kept turn were pasted, after redaction changed its text.

Takes: the ranges of the text as it was read, and the text before and after redaction. Gives: the ranges of the kept
text. Never: a range that ends before the paste does, whatever was redacted, and in which paste.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dopejar.text.ranges import in_order

Span = tuple[int, int]


def kept_paste_ranges(
    ranges: Sequence[Span], raw: str, kept: str, find_pasted: Callable[[str], tuple[Span, ...]]
) -> tuple[Span, ...]:
    """The pasted ranges of `kept`: those found in it, and those of `raw` at their new places.

    Both, because a redaction may take away the mark that opens or closes a block.
    """
    if raw == kept:
        return tuple(ranges)
    return in_order((*find_pasted(kept), *_moved(ranges, raw, kept)))


def _moved(ranges: Sequence[Span], raw: str, kept: str) -> list[Span]:
    """The ranges in `kept`. Before the first redaction and behind the last one places are known exactly.

    A range that reaches in between covers all that lies in between.
    """
    same_start = _same_characters(raw, kept)
    rest = min(len(raw), len(kept)) - same_start
    same_end = _same_characters(raw[::-1][:rest], kept[::-1][:rest])
    changed_to, longer = len(raw) - same_end, len(kept) - len(raw)

    def moved(place: int, within: int) -> int:
        return place if place <= same_start else place + longer if place >= changed_to else within

    return [(moved(start, same_start), moved(end, changed_to + longer)) for start, end in ranges]


def _same_characters(one: str, other: str) -> int:
    """How many characters both texts begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
