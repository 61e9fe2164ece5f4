"""Spans become a mark, and every other offset still points at its own words."""

from hypothesis import given
from hypothesis import strategies as st

from dopejar.memory.replaced_spans import TextRedaction

texts = st.text(alphabet="abcdefghij ", max_size=40)
spans = st.lists(st.tuples(st.integers(-2, 45), st.integers(-2, 45)), max_size=5)


def _blanked(text: str, wanted: list[tuple[int, int]], mark: str = "#") -> TextRedaction:
    result = TextRedaction(text=text, mark=mark)
    for start, end in wanted:
        result = result.with_span(start, end)
    return result


@given(texts, spans)
def test_exactly_the_spans_go(text: str, wanted: list[tuple[int, int]]) -> None:
    """Without a mark, what is left is the text without the characters of any span."""
    gone = {place for start, end in wanted for place in range(max(start, 0), min(end, len(text)))}
    assert _blanked(text, wanted, "").redacted() == "".join(c for i, c in enumerate(text) if i not in gone)


@given(texts, spans, st.randoms(use_true_random=False))
def test_the_order_of_spans_does_not_matter(text: str, wanted: list[tuple[int, int]], chance: object) -> None:
    """Any order of the same spans gives the same text and the same spans."""
    shuffled = list(wanted)
    chance.shuffle(shuffled)
    one, other = _blanked(text, wanted), _blanked(text, shuffled)
    assert (one.redacted(), one.spans) == (other.redacted(), other.spans)


@given(texts, spans, st.integers(0, 40), st.integers(0, 40))
def test_untouched_words_are_found_where_they_moved(
    text: str, wanted: list[tuple[int, int]], start: int, end: int
) -> None:
    """A span that loses no word reads the same at its new place; any other lies inside the new text."""
    blanking = _blanked(text, wanted, "[gone]")
    start, end = min(start, len(text)), min(end, len(text))
    if start >= end:
        return
    first, last = blanking.moved(start, end)
    assert 0 <= first <= last <= len(blanking.redacted())
    if not blanking.touches(start, end):
        assert blanking.redacted()[first:last] == text[start:end]
