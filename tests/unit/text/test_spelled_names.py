"""Which words of a text are spelled as names."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.names import spelled_names


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


@given(st.text(max_size=300))
def test_spans_lie_in_order_in_the_text(text: str) -> None:
    """Of any text the spans are in it, in order and apart."""
    found = spelled_names(text)
    assert all(one.text in text[one.start : one.end] for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
