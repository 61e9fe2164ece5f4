"""The reader of corrections over a small random encoder: what holds whatever its weights are."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.readers.correction_reader import FittedCorrectionReader
from dopejar.pipelines.corrections import detect
from dopejar.pipelines.corrections.detection.detector import score_turns
from dopejar.pipelines.corrections.exchange import Durability, Exchange
from dopejar.values.statement import CorrectionOdds

WIDTH, HIDDEN = 8, 6
TEXT = st.lists(st.sampled_from(["no", "use", "tabs", "always", "why", "thanks"]), min_size=1).map(" ".join)
NOTHING_SAID = "the ferry leaves at nine"


class SmallEncoder:
    """States by word."""

    def token_states(self, texts, layers, longest):
        """One token a word."""
        rng = np.random.default_rng(1).normal(size=(64, WIDTH)).astype(np.float32)
        ids = [[sum(map(ord, word)) % 64 for word in text.split()][:longest] for text in texts]
        return [(row, rng[row]) for row in ids]


class Told:
    """A reader that says the same of every turn, and keeps what it was shown."""

    def __init__(self, corrects: float, lasts: float = 0.0) -> None:
        self._odds = CorrectionOdds(corrects=corrects, lasts=lasts)
        self.shown: list[str] = []

    def corrections(self, texts):
        """The same log odds for every turn."""
        self.shown += texts
        return tuple(self._odds for _ in texts)


def _turn(text: str, **more: object) -> Exchange:
    return Exchange(text=text, before="I put the table first.", at=datetime(2025, 1, 1, tzinfo=UTC), **more)


@pytest.fixture(scope="module")
def reader(tmp_path_factory) -> FittedCorrectionReader:
    """A reader with random weights."""
    rng, path = np.random.default_rng(2), tmp_path_factory.mktemp("weights") / "corrections.npz"
    np.savez(
        path,
        **{"hidden.weight": rng.normal(size=(HIDDEN, 3 * WIDTH)), "hidden.bias": rng.normal(size=HIDDEN)},
        **{"out.weight": rng.normal(size=(2, HIDDEN)), "out.bias": rng.normal(size=2)},
    )
    return FittedCorrectionReader(SmallEncoder(), "minilm-l6-v2", path)


@given(texts=st.lists(TEXT, max_size=70))
def test_the_odds_of_a_turn_are_its_own(reader, texts):
    """Whatever is read with it, in however many batches."""
    assert reader.corrections(texts) == tuple(reader.corrections([text])[0] for text in texts)


def test_the_reader_finds_a_correction_without_cues_and_drops_a_suspicion():
    """Where no cue fires the reader can find a correction; one that is sure of the contrary overrules a weak cue."""
    assert not detect([_turn(NOTHING_SAID)])
    assert detect([_turn(NOTHING_SAID)], reader=Told(9.0))
    assert detect([_turn("no, the other one")])
    assert not detect([_turn("no, the other one")], reader=Told(-9.0))


def test_the_reader_speaks_for_durability():
    """The same wish lasts or not by what the reader says."""
    (lasting,) = detect([_turn(NOTHING_SAID)], reader=Told(9.0, 9.0))
    (once,) = detect([_turn(NOTHING_SAID)], reader=Told(9.0, -9.0))
    assert (lasting.durability, once.durability) == (Durability.STANDING, Durability.ONE_OFF)


def test_only_a_persons_own_words_are_read():
    """What was pasted is not shown to the reader, and a turn without own words has the odds of its features."""
    told, pasted = Told(9.0), "never deploy on fridays"
    text = f"what does this mean?\n{pasted}"
    score_turns([_turn(text, pasted=((text.index(pasted), len(text)),))], reader=told)
    assert told.shown == ["what does this mean?"]
    only = _turn(pasted, pasted=((0, len(pasted)),))
    assert score_turns([only], reader=told)[0].probability == score_turns([only])[0].probability
