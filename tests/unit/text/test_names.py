"""Which words of a text are spelled as names, and which are figures."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.names import measures, spelled_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We renamed mail-relay to Halyard.", ["mail-relay", "Halyard"]),
        ("Please ask Vale and Partners about Tall Oak.", ["Vale and Partners", "Tall Oak"]),
        ("Thanks, that is all for Monday.", []),
        ('It is "the red one" now, says FastAPI.', ["the red one", "FastAPI"]),
    ],
)
def test_names_are_the_words_spelled_so(text: str, names: list[str]) -> None:
    """Capitals, hyphens and quotes make a name; the first word of a sentence and a weekday do not."""
    assert [one.text for one in spelled_names(text)] == names


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("from 14 days to 30 days", ["14 days", "30 days"]),
        ("it costs €120 or 15 % more", ["€120", "15 %"]),
        ("two approvals, 10MB, 7 now", ["two approvals", "10MB", "7"]),
        ("version 1.2.3-rc1 of 2024-03-01", []),
    ],
)
def test_figures_stand_with_their_unit(text: str, figures: list[str]) -> None:
    """A figure has the word that it counts; versions and dates are none."""
    assert [one.text for one in measures(text)] == figures


@given(st.text(max_size=300))
def test_spans_lie_in_order_in_the_text(text: str) -> None:
    """Of any text the spans are in it, in order and apart."""
    for found in (spelled_names(text), measures(text)):
        assert all(one.text in text[one.start : one.end] for one in found)
        assert all(one.end <= other.start for one, other in pairwise(found))
