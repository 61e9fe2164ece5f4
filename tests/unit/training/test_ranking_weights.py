"""The search of ranking weights: what it draws, and that no set chooses for itself."""

from __future__ import annotations

from dopejar.pipelines.recall.weights import weights
from training.ranking_weights import SHARES, Try, best_apart, drawn_weights


def test_the_packaged_weights_are_tried_first_and_shares_stay_shares() -> None:
    """What is drawn keeps its meaning: a share is at most 1."""
    first, *others = drawn_weights(20)
    assert first == weights()
    assert all(0 < getattr(one, name) <= 1 for one in others for name in SHARES)


def test_no_set_chooses_for_itself() -> None:
    """The figure of a set on the others is that of their best try, however good another is on the set."""
    tries = [Try(weights(), {"a": 0.9, "b": 0.1, "c": 0.1}), Try(weights(), {"a": 0.2, "b": 0.8, "c": 0.3})]
    assert best_apart(tries) == {"a": 0.2, "b": 0.1, "c": 0.1}
