"""The marker over a small random encoder: what holds whatever its weights are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.embedders.sentence_embedder import UnitStates
from dopejar.adapters.readers.statement_marker import COORDINATES, LASTING, FittedMarker
from dopejar.errors import WeightsDamagedError
from dopejar.values.record import SUBLAYERS
from dopejar.values.statement import FactClass

WIDTH, HIDDEN, ALONE = 8, 6, 4
TEXTS = st.lists(st.sampled_from(["we", "use", "port", "8080", "now", ",", "never", "."]), max_size=30).map(" ".join)


class SmallEncoder:
    """States by word and place."""

    def __init__(self) -> None:
        self._table = np.random.default_rng(1).normal(size=(64, WIDTH)).astype(np.float32)

    def unit_states(self, texts, layers, longest, searched=()):
        """One unit a word."""
        return [self._states(text) for text in texts]

    def adapted(self, factors):
        """Has no weights to adapt."""
        return self

    def _states(self, text: str) -> UnitStates:
        words = list(re.finditer(r"\S+", text))
        rows = self._table[[sum(map(ord, word.group())) % 64 for word in words]]
        mean = rows.mean(0) if words else np.zeros(WIDTH, dtype=np.float32)
        return UnitStates([word.span() for word in words], rows, mean)


@pytest.fixture(scope="module")
def marker(tmp_path_factory) -> FittedMarker:
    """A marker with random weights."""
    rng, shapes = np.random.default_rng(3), {
        "input": (HIDDEN, WIDTH),
        "context": (HIDDEN, WIDTH),
        "near": (HIDDEN, HIDDEN, 5),
        "far": (HIDDEN, HIDDEN, 5),
        "tag": (3, HIDDEN),
        "class": (len(FactClass), 2 * HIDDEN),
        "layer": (len(COORDINATES), 2 * HIDDEN),
        "alone": (ALONE, 2 * HIDDEN + WIDTH),
        "alone_class": (len(FactClass), ALONE),
    }  # fmt: skip
    arrays = {f"{name}.weight": rng.normal(size=shape) for name, shape in shapes.items()}
    arrays |= {f"{name}.bias": rng.normal(size=shape[0]) for name, shape in shapes.items()}
    path: Path = tmp_path_factory.mktemp("weights") / "marker.npz"
    np.savez(path, **arrays)
    return FittedMarker(SmallEncoder(), "minilm-l6-v2", path)


@given(texts=st.lists(TEXTS, max_size=4))
def test_marks_lie_in_their_text_in_order_and_apart(marker, texts):
    """Each text has its own marks, none overlaps another, and each has coordinates that exist."""
    found = marker.mark(texts)
    assert len(found) == len(texts)
    for text, marks in zip(texts, found, strict=True):
        end = 0
        for mark in marks:
            assert end <= mark.start < mark.end <= len(text)
            assert LASTING <= mark.certainty <= 1
            assert mark.sublayer in SUBLAYERS[mark.layer]
            end = mark.end


@given(texts=st.lists(TEXTS, min_size=2, max_size=4))
def test_a_text_is_marked_alike_in_any_company(marker, texts):
    """The marks of a text do not depend on the texts that are read with it."""
    assert marker.mark(texts) == tuple(marker.mark([text])[0] for text in texts)


@given(texts=st.lists(TEXTS, max_size=4))
def test_a_class_is_told_alike_in_any_company(marker, texts):
    """Each text has one class, whatever is read with it; one without words is plain."""
    found = marker.classes(texts)
    assert found == tuple(marker.classes([text])[0] for text in texts)
    assert all(told is FactClass.PLAIN for text, told in zip(texts, found, strict=True) if not text)


def test_damaged_weights_are_named(tmp_path):
    """A file that is no archive raises the error that names it."""
    path = tmp_path / "marker.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(WeightsDamagedError, match=re.escape(str(path))):
        FittedMarker(SmallEncoder(), "minilm-l6-v2", path).mark(["We use port 8080."])
