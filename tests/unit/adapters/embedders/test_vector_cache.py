"""Vectors that are remembered are those that were embedded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.embedders.vector_cache import VectorCache

WORDS = [f"word {number}" for number in range(6)]


class Counting:
    """Gives each word its own row, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The rows of the words, which are now asked."""
        self.asked += texts
        return np.array([[WORDS.index(one), 1.0] for one in texts], dtype=np.float32).reshape(len(texts), 2)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=9), max_size=8), st.integers(0, 7))
def test_any_company_and_any_forgetting_gives_each_text_its_own_row(told: list[list[str]], most: int) -> None:
    """Whatever was asked before and however little is kept, the rows are those of the texts, in their order."""
    recent, embed = VectorCache(most), Counting()
    for texts in told:
        assert np.array_equal(recent.rows(texts, embed), Counting()(texts))


def test_a_text_is_embedded_once() -> None:
    """What is remembered is not embedded again, nor is a text that stands twice in one call."""
    recent, embed = VectorCache(), Counting()
    for texts in (WORDS[:3], [WORDS[1], WORDS[4], WORDS[4]], WORDS[:5]):
        recent.rows(texts, embed)
    assert embed.asked == [*WORDS[:3], WORDS[4], WORDS[3]]


def test_what_is_given_is_not_what_is_kept() -> None:
    """A caller that writes into its rows changes nothing for the next one."""
    recent = VectorCache()
    for _ in range(2):
        rows = recent.rows(WORDS[:2], Counting())
        assert np.array_equal(rows, Counting()(WORDS[:2]))
        rows[:] = 9
