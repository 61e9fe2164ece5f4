"""The fitted reader over a small random encoder: what holds whatever its weights are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.adapters.embedders.sentence_embedder import TextStates
from dopejar.adapters.embedders.wordpiece import Unit
from dopejar.adapters.readers.fitted_reader import COORDINATES, LONGEST, FittedReader
from dopejar.errors import WeightsDamagedError
from dopejar.values.statement import FactClass, Relation, SpeechAct, Tense

WIDTH, HIDDEN = 8, 6
READ = len(SpeechAct) + len(Tense) + 2 * 3 + len(FactClass) + len(COORDINATES)
KERNEL, DIRECTION = 5, 4
NAMES = ["port", "owner", "release day"]
WORDS = ["the", "port", "is", "now", "eight", "retry", "limit", "gate", "opens", "never", "9", "10"]


class SmallEncoder:
    """States that depend on the token and its place; counts the texts that it encodes."""

    def __init__(self) -> None:
        self.encoded = 0
        self._table = np.random.default_rng(1).normal(size=(64, WIDTH)).astype(np.float32)

    def token_states(self, texts, layers, longest, searched=()):
        """States by token and place."""
        self.encoded += len(texts)
        ids = [[hash_of(word) for word in text.split()][:longest] or [0] for text in texts]
        return [
            TextStates(
                row, units_of(text)[: len(row)], self._table[row] + np.arange(len(row))[:, None].astype("f4") / 10
            )
            for text, row in zip(texts, ids, strict=True)
        ]

    def digit_tokens(self):
        """Every seventh token."""
        return np.arange(64) % 7 == 0


def units_of(text: str) -> list[Unit]:
    """Each word as a unit of one token."""
    return [Unit(*word.span(), at, at + 1) for at, word in enumerate(re.finditer(r"\S+", text))]


def hash_of(word: str) -> int:
    """A token of a word."""
    return sum(map(ord, word)) % 64


NETS = ("pair", "things")
OF_A_NET = {
    "value": (HIDDEN, WIDTH),
    "whole": (HIDDEN, WIDTH),
    "compare": (HIDDEN, 4 * HIDDEN + 5),
    "hidden": (HIDDEN, 8 * HIDDEN + 2 * READ + 1),
    "out": (len(Relation), HIDDEN),
}


@pytest.fixture(scope="module")
def weights(tmp_path_factory) -> Path:
    """A file of random weights."""
    rng = np.random.default_rng(2)
    shapes = {
        "sentence.hidden": (HIDDEN, 3 * WIDTH),
        "sentence.out": (READ, HIDDEN),
        "sentence.attribute": (DIRECTION, HIDDEN),
        "tags.input": (HIDDEN, WIDTH),
        "tags.context": (HIDDEN, WIDTH),
        "tags.near": (HIDDEN, HIDDEN, KERNEL),
        "tags.far": (HIDDEN, HIDDEN, KERNEL),
        "tags.out": (3, HIDDEN),
        **{f"{net}.{name}": shape for net in NETS for name, shape in OF_A_NET.items()},
    }
    arrays = {f"{name}.weight": rng.normal(size=shape) for name, shape in shapes.items()}
    arrays |= {f"{name}.bias": rng.normal(size=shape[0]) for name, shape in shapes.items()}
    for net in NETS:
        arrays |= {f"{net}.query.weight": rng.normal(size=(HIDDEN, WIDTH)), f"{net}.scale": 0.1, f"{net}.equal": 2.0}
    arrays |= {"attributes": rng.normal(size=(len(NAMES), DIRECTION))}
    of_the_last_layer = 3  # numbers of the eight
    arrays |= {"private.weight": rng.normal(size=(1, of_the_last_layer)), "private.bias": rng.normal(size=1)}
    for name in ("leans", "continues", "takes_back", "several", "stands"):
        arrays |= {f"{name}.weight": rng.normal(size=(1, 3 * WIDTH)), f"{name}.bias": rng.normal(size=1)}
    path = tmp_path_factory.mktemp("weights") / "reader.npz"
    halves = {name: np.asarray(value, dtype=np.float16) for name, value in arrays.items()}
    np.savez_compressed(path, **halves, attribute_names=np.array(NAMES))
    return path


TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=LONGEST + 5).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_a_pair_is_read_alike_alone_and_among_others(weights, pairs):
    """What stands beside a pair in one call changes nothing, and the probabilities are some."""
    together = FittedReader(SmallEncoder(), "minilm-l6-v2", weights).relate(pairs)
    for pair, related in zip(pairs, together, strict=True):
        alone = FittedReader(SmallEncoder(), "minilm-l6-v2", weights).relate([pair])[0]
        assert alone.relation is related.relation
        assert np.allclose(alone.shares, related.shares, atol=1e-5)
        assert abs(sum(related.shares) - 1) < 1e-5
        assert related.share(related.relation) == max(related.shares)


@settings(max_examples=20, deadline=None)
@given(pair=st.tuples(TEXTS, TEXTS))
def test_both_nets_count_alike(weights, tmp_path_factory, pair):
    """With the nets in each other's place a pair is read as before; with one of them in both, otherwise."""
    with np.load(weights) as known:
        arrays = dict(known)
    other = {"pair": "things", "things": "pair"}

    def shares(net_of: dict[str, str]) -> np.ndarray:
        path = tmp_path_factory.mktemp("nets") / "reader.npz"
        parts = {name: name.partition(".") for name in arrays}
        np.savez(path, **{name: arrays[net_of.get(net, net) + dot + rest] for name, (net, dot, rest) in parts.items()})
        return np.asarray(FittedReader(SmallEncoder(), "minilm-l6-v2", path).relate([pair])[0].shares)

    both = shares({})
    assert np.allclose(both, shares(other), atol=1e-5)
    one, two = shares({"things": "pair"}), shares({"pair": "things"})
    expected = np.sqrt(one * two)
    assert np.allclose(both, expected / expected.sum(), atol=1e-4)


def test_each_sentence_is_encoded_once(weights):
    """Reading a sentence and relating it to others costs one pass of the encoder per sentence."""
    encoder = SmallEncoder()
    reader = FittedReader(encoder, "minilm-l6-v2", weights)
    reader.read(["the port is 9", "the gate opens"])
    reader.relate([("the port is 9", "the gate opens"), ("the gate opens", "the port is 9")])
    reader.read(["the port is 9"])
    assert encoder.encoded == 2


@given(text=TEXTS)
def test_a_frame_is_made_of_the_words_of_its_sentence(weights, text):
    """Subject and value are whole words of the sentence or empty; the property is one that the weights name."""
    frame = FittedReader(SmallEncoder(), "minilm-l6-v2", weights).read([text])[0].frame
    assert frame is not None
    assert frame.attribute in NAMES
    assert all(f" {words} " in f" {text} " for words in (frame.subject, frame.value) if words)
    assert 0 <= frame.guides <= 1
    shares = (frame.private, frame.leans, frame.continues, frame.takes_back, frame.several, frame.stands)
    assert all(0 <= share <= 1 for share in shares)
    assert 0 < min(frame.class_certainty, frame.layer_certainty) <= 1


def test_nothing_is_read_of_nothing(weights):
    """No sentences and no pairs give no answers, and encode nothing."""
    encoder = SmallEncoder()
    reader = FittedReader(encoder, "minilm-l6-v2", weights)
    assert (reader.read([]), reader.relate([]), encoder.encoded) == ((), (), 0)


def test_damaged_weights_are_named(tmp_path):
    """A weights file that cannot be read ends in an error that names it and what to do."""
    path = tmp_path / "reader.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(WeightsDamagedError, match="Reinstall"):
        FittedReader(SmallEncoder(), "minilm-l6-v2", path).read(["the port is 9"])
