"""The order of time: a named day that was past counts, else when it was said."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_values import ranked, record, turn

from dopejar.pipelines.recall.time_order import time_of

SAID = datetime(2026, 6, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I ran the Leiden half in March", date(2026, 3, 1)),
        ("We moved in December", date(2025, 12, 1)),
        ("We moved in 2019", date(2019, 1, 1)),
        ("We move in 2031", SAID.date()),
        ("I bought a fern", SAID.date()),
        ("I was born in 1980 and ran the race last week", SAID.date()),
        ("We opened the mill, founded in 1998, on 3 June 2025", SAID.date()),
    ],
)
def test_a_past_day_that_is_named_counts(text: str, day: date) -> None:
    """A month without a year is the last one; a day to come, or one of several, says nothing of when it happened."""
    assert time_of(ranked(record(1, text, valid_from=SAID), 1.0)).date() == day
    assert time_of(ranked(turn(1, text, at=SAID), 1.0)).date() == day


@given(st.text(max_size=80) | st.dates(date(1990, 1, 1), date(2040, 1, 1)).map(lambda day: f"It was on {day}."))
def test_nothing_happened_after_it_was_said(text: str) -> None:
    """Whatever is said, it is not placed behind the moment of saying it."""
    assert time_of(ranked(record(1, text, valid_from=SAID), 1.0)) <= SAID
