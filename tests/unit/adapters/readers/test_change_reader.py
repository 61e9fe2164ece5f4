"""The reader of changes over a small random encoder: what holds whatever its weights are."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.embedders.sentence_embedder import UnitStates
from dopejar.adapters.readers.change_reader import FittedChangeReader, mask
from dopejar.values.statement import Renaming

WIDTH, HIDDEN = 8, 6
WORDS = ["Halyard", "Tiller", "is", "now", "called", "the", "limit", "30", "days", "mail-relay"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


class SmallEncoder:
    """States by word."""

    def unit_states(self, texts, layers, longest):
        """One unit a word."""
        rng = np.random.default_rng(1).normal(size=(64, WIDTH)).astype(np.float32)
        found = []
        for text in texts:
            units = [match.span() for match in re.finditer(r"\S+", text)][:longest]
            rows = rng[[sum(map(ord, text[start:end])) % 64 for start, end in units]]
            found.append(UnitStates(units, rows, rows.mean(0)))
        return found


@pytest.fixture(scope="module")
def reader(tmp_path_factory) -> FittedChangeReader:
    """A reader with random weights."""
    rng, path = np.random.default_rng(3), tmp_path_factory.mktemp("weights") / "changes.npz"
    shapes = {"pair.hidden": (HIDDEN, 3 * WIDTH), "pair.out": (3, HIDDEN)}
    arrays = {f"{name}.weight": rng.normal(size=shape) for name, shape in shapes.items()}
    np.savez(path, **arrays, **{f"{name}.bias": rng.normal(size=shape[0]) for name, shape in shapes.items()})
    return FittedChangeReader(SmallEncoder(), "minilm-l6-v2", path)


@given(texts=st.lists(TEXT, max_size=4))
def test_a_change_is_made_of_the_texts_own_words(reader, texts):
    """Names stand in the text as they are given, and each text is read by itself."""
    found = reader.changes(texts)
    assert found == tuple(reader.changes([text])[0] for text in texts)
    for text, change in zip(texts, found, strict=True):
        assert all(name in text for name in change.renamed or ())


@given(text=TEXT)
def test_what_has_no_two_names_is_not_read(reader, text):
    """Without two names nothing has changed."""
    if mask(text) is None:
        assert reader.changes([text]) == (Renaming(),)


def test_names_make_no_difference():
    """Two texts that differ in their names alone are read as the same words."""
    one, other = mask("Halyard is called Tiller now."), mask("mail-relay is called Vale and Partners now.")
    assert one is not None
    assert other is not None
    assert one.text == other.text
