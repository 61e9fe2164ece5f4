"""The reader of answers over a small random encoder: what holds whatever its weights are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.readers.answer_reader import FittedAnswerReader

WIDTH, HIDDEN = 8, 6
TEXT = st.lists(st.sampled_from(["the", "boiler", "is", "serviced", "in", "May"]), min_size=1).map(" ".join)


class SmallEncoder:
    """States by word of both texts."""

    factors = None

    def pair_states(self, pairs, layers, longest):
        """One token a word, and one between the two."""
        table = np.random.default_rng(1).normal(size=(64, WIDTH)).astype(np.float32)
        return [table[[sum(map(ord, word)) % 64 for word in f"{a} | {b}".split()]] for a, b in pairs]

    def adapted(self, factors):
        """The same; the factors are kept for the test."""
        self.factors = factors
        return self


@pytest.fixture(scope="module")
def reader(tmp_path_factory) -> FittedAnswerReader:
    """A reader with random weights."""
    rng, path = np.random.default_rng(2), tmp_path_factory.mktemp("weights") / "answers.npz"
    np.savez(
        path,
        **{"hidden.weight": rng.normal(size=(HIDDEN, 2 * WIDTH)), "hidden.bias": rng.normal(size=HIDDEN)},
        **{"out.weight": rng.normal(size=(1, HIDDEN)), "out.bias": rng.normal(size=1)},
    )
    return FittedAnswerReader(SmallEncoder(), "minilm-l6-v2", path)


@given(question=TEXT, texts=st.lists(TEXT, max_size=4))
def test_each_text_has_its_own_odds(reader, question, texts):
    """One number per text, whatever is read with it."""
    found = reader.answers(question, texts)
    assert found == pytest.approx([reader.answers(question, [text])[0] for text in texts], abs=1e-4)


def test_the_encoder_is_adapted_with_the_factors_of_the_same_file(tmp_path):
    """What adapts the encoder comes with the net, and is read when it is first asked for."""
    encoder, path = SmallEncoder(), tmp_path / "answers.npz"
    FittedAnswerReader(encoder, "minilm-l6-v2", path)
    np.savez(path, **{"encoder.layer.0.output.dense.up": np.ones((2, 1))})
    assert list(encoder.factors()) == ["encoder.layer.0.output.dense.up"]
