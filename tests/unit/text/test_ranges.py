"""Ranges of a text: put in order, and looked up without looking at each."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.ranges import in_order, touch

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda one: (one[0], one[0] + one[1])))


@given(ranges=RANGES, start=st.integers(0, 30), length=st.integers(1, 9))
def test_a_part_touches_what_it_shares_a_character_with(ranges: list[tuple[int, int]], start: int, length: int) -> None:
    """The answer is that of looking at every range."""
    shared = any(begin < start + length and start < end for begin, end in ranges)
    assert touch(in_order(ranges), start, start + length) == shared


@given(ranges=RANGES)
def test_ranges_in_order_cover_the_same_places_and_do_not_meet(ranges: list[tuple[int, int]]) -> None:
    """No character is lost or added, and there is a gap between any two."""
    found = in_order(ranges)
    places = [place for start, end in found for place in range(start, end)]
    assert set(places) == {place for start, end in ranges for place in range(start, end)}
    assert all(before[1] < after[0] for before, after in pairwise(found))
