"""Values of a slot: when two are one.

Takes: two normalised values with their polarity in front. Gives: whether they say the same. Never: compares numbers
loosely.
"""

from __future__ import annotations


def same_value(a: str, b: str) -> bool:
    """Whether two slot values are one: equal, or one names the other more fully (`+berlin`, `+kreuzberg berlin`)."""
    if a == b:
        return True
    if not a or not b or a[0] != b[0] or any(char.isdigit() for char in a + b):
        return False
    mine, theirs = set(a[1:].split()), set(b[1:].split())
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)
