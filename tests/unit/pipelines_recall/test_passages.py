"""Passages of long turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.recall.passages import best_passage
from dopejar.text.tokens import count_tokens
from dopejar.text.words import index_terms

FILLER = [
    f"The {place} train left the valley with its lamps lit and its doors open."
    for place in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
]


@given(st.text(max_size=600), st.integers(0, 200), st.frozensets(st.text(max_size=5), max_size=3))
def test_passage_keeps_its_budget(text: str, budget: int, wanted: frozenset[str]) -> None:
    """No passage has more tokens than it may."""
    assert count_tokens(best_passage(text, wanted, budget)) <= budget


def test_short_text_stays_whole() -> None:
    """What fits is not cut."""
    assert best_passage("One. Two.", frozenset(), 50) == "One. Two."


def test_passage_is_where_the_terms_are() -> None:
    """The sentence with the wanted terms is kept, and the cut places are marked."""
    text = " ".join([*FILLER[:4], "The lighthouse keeper counted eleven herons.", *FILLER[4:]])
    kept = best_passage(text, frozenset(index_terms("heron lighthouse")), 60)
    assert "eleven herons" in kept
    assert kept.startswith("... ")
    assert kept.endswith(" ...")


def test_passage_goes_on_around_its_centre() -> None:
    """Whole sentences around the best one fill the room."""
    text = " ".join([*FILLER[:4], "The lighthouse keeper counted eleven herons.", *FILLER[4:]])
    wider = best_passage(text, frozenset(index_terms("heron")), 100)
    assert FILLER[4] in wider
    assert len(wider) > len(best_passage(text, frozenset(index_terms("heron")), 40))
