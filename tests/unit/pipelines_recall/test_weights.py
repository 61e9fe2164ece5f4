"""Weights of ranking: data that ranking reads, and others for as long as they are tried."""

from __future__ import annotations

from dataclasses import asdict, replace

from recall_values import turn

from dopejar.pipelines.recall.item_weights import brevity
from dopejar.pipelines.recall.weights import trying, weights


def test_packaged_weights_are_positive_and_shares_are_shares() -> None:
    """No weight turns an order around, and the cosine's share of a score is never more than all of it."""
    assert all(value > 0 for value in asdict(weights()).values())
    assert weights().vector_least + weights().vector_more <= 1


def test_other_weights_count_while_they_are_tried() -> None:
    """They change a score inside the block, and not after it."""
    text = turn(1, "abc " * 50).text
    packaged = brevity(text)
    with trying(replace(weights(), brief=2 * weights().brief)):
        assert brevity(text) > packaged
    assert brevity(text) == packaged
