"""The reader of sides over a small random encoder: what holds whatever its weights are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.embedders.sentence_embedder import TextStates
from dopejar.adapters.readers.side_reader import FittedSideReader
from dopejar.pipelines.procedural.classifier import HemisphereClassifier
from dopejar.values.scope import Side
from dopejar.values.statement import SideShares

WIDTH, HIDDEN = 8, 6
TEXT = st.lists(st.sampled_from(["always", "run", "tests", "explore", "two", "options"]), min_size=1).map(" ".join)


class SmallEncoder:
    """States by word."""

    def token_states(self, texts, layers, longest):
        """One token a word."""
        rng = np.random.default_rng(1).normal(size=(64, WIDTH)).astype(np.float32)
        ids = [[sum(map(ord, word)) % 64 for word in text.split()][:longest] for text in texts]
        return [TextStates(row, [], rng[row]) for row in ids]


class Sure:
    """A reader that is sure of one side."""

    def __init__(self, side: str) -> None:
        self._shares = SideShares(**{name: 0.98 if name == side else 0.01 for name in ("left", "right", "neither")})

    def sides(self, texts):
        """The same shares for every text."""
        return tuple(self._shares for _ in texts)


@pytest.fixture(scope="module")
def reader(tmp_path_factory) -> FittedSideReader:
    """A reader with random weights."""
    rng, path = np.random.default_rng(2), tmp_path_factory.mktemp("weights") / "sides.npz"
    np.savez(
        path,
        **{"hidden.weight": rng.normal(size=(HIDDEN, 3 * WIDTH)), "hidden.bias": rng.normal(size=HIDDEN)},
        **{"out.weight": rng.normal(size=(3, HIDDEN)), "out.bias": rng.normal(size=3)},
    )
    return FittedSideReader(SmallEncoder(), "minilm-l6-v2", path)


@given(texts=st.lists(TEXT, max_size=4))
def test_shares_add_up_to_one_and_are_each_texts_own(reader, texts):
    """Each text has three shares of one, whatever is read with it."""
    found = reader.sides(texts)
    assert all(math.isclose(one.left + one.right + one.neither, 1, abs_tol=1e-5) for one in found)
    assert found == tuple(reader.sides([text])[0] for text in texts)


@pytest.mark.parametrize(("side", "read"), [(Side.LEFT, "left"), (Side.RIGHT, "right"), (Side.NONE, "neither")])
def test_a_text_without_cues_has_the_side_that_is_read(side, read):
    """Where no cue fires, the reader decides."""
    assert HemisphereClassifier(Sure(read)).classify("Marmalade.").side is side


def test_cues_against_the_reader_lower_the_confidence():
    """Where the cues say the other side, nobody is as sure as where both agree."""
    text = "Always run the tests before you commit."
    agreed = HemisphereClassifier(Sure("left")).classify(text)
    disputed = HemisphereClassifier(Sure("right")).classify(text)
    assert agreed.side is Side.LEFT
    assert disputed.confidence < agreed.confidence
