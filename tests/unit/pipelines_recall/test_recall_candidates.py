"""Fusing words and meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.recall.candidates import fuse_scores, vector_weight

scores = st.dictionaries(st.integers(0, 30), st.floats(0.01, 50), max_size=20)
cosines = st.dictionaries(st.integers(0, 30), st.floats(-1, 1), max_size=20)
weights = st.floats(0.1, 0.9)


@given(scores, cosines, weights)
def test_every_candidate_has_a_score_from_0_to_1(
    words: dict[int, float], meaning: dict[int, float], weight: float
) -> None:
    """No candidate is lost, the best has 1, and none lies outside."""
    fused = fuse_scores(words, meaning, weight)
    assert fused.keys() == words.keys() | meaning.keys()
    assert all(0 <= score <= 1 for score in fused.values())
    assert not fused or max(fused.values()) == pytest.approx(1)


@given(scores)
def test_words_alone_keep_their_order(words: dict[int, float]) -> None:
    """Without vectors the order is that of BM25."""
    fused = fuse_scores(words, {}, 0.5)
    assert sorted(fused, key=lambda key: (fused[key], key)) == sorted(words, key=lambda key: (words[key], key))


@given(scores, cosines, weights)
def test_better_in_both_is_better(words: dict[int, float], meaning: dict[int, float], weight: float) -> None:
    """A candidate that leads in words and in meaning is never behind the one it leads."""
    fused = fuse_scores(words, meaning, weight)
    both = words.keys() & meaning.keys()
    assert all(
        fused[one] >= fused[other] - 1e-9
        for one in both
        for other in both
        if words[one] >= words[other] and meaning[one] >= meaning[other]
    )


def test_missing_vector_is_average() -> None:
    """Equal in words, the one whose vector is still to come stands between a near and a far one."""
    fused = fuse_scores({"near": 2.0, "unknown": 2.0, "far": 2.0}, {"near": 0.9, "far": 0.1}, 0.5)
    assert fused["near"] > fused["unknown"] > fused["far"]


def test_weight_grows_with_the_question_and_halves_for_spelling() -> None:
    """Longer questions rely more on meaning; hashed vectors count half."""
    grown = [vector_weight(terms) for terms in range(60)]
    assert grown == sorted(grown)
    assert 0.3 <= grown[0] < grown[-1] < 0.7
    assert vector_weight(5, is_lexical=True) == vector_weight(5) / 2
