"""Ranges of a text, in order and apart.

Takes: ranges as pairs of offsets. Gives: the same places as ranges in order, none of which meets another, and whether a
part of the text lies in one of those. Never: looks at each of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import itemgetter

Range = tuple[int, int]


def in_order(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The ranges in their order; those that meet are one."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def touch(ranges: Sequence[Range], start: int, end: int) -> bool:
    """Whether a part of the text shares a character with one of the ranges, which are `in_order`."""
    place = bisect_left(ranges, end, key=itemgetter(0))  # how many of them begin before it ends
    return place > 0 and start < ranges[place - 1][1]
