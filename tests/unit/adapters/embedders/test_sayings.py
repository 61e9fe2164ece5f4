"""MiniLM turned towards what sentences say: changes of low rank are what they claim to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bert import HEADS, random_tensors, write_turns

from dopejar.adapters.embedders.bert import BertEncoder
from dopejar.adapters.embedders.installing import LocalSource, install
from dopejar.adapters.embedders.minilm import MiniLmEmbedder
from dopejar.adapters.embedders.sayings import SHIPPED, MiniLmSayings
from dopejar.adapters.embedders.weights import MINILM
from dopejar.errors import EmbedderError

TEXTS = ["cab unable!", "ab", "東京 a, b", "un able", "do " * 100]


def test_a_change_of_low_rank_is_a_change_of_the_weights(tmp_path: Path) -> None:
    """Two factors beside a dense layer give what their product added to its weights gives."""
    tensors = random_tensors()
    with np.load(write_turns(tmp_path / "turns.npz", tensors)) as kept:
        turns = {name[: -len(".down")]: (kept[name], kept[f"{name[: -len('.down')]}.up"]) for name in kept if
                 name.endswith(".down")}  # fmt: skip
    merged = dict(tensors)
    for name, (down, up) in turns.items():
        merged[f"{name}.weight"] = tensors[f"{name}.weight"] + (down.astype(np.float32) @ up.astype(np.float32)).T
    texts = [[1, 2, 3], [4, 5, 6, 7, 8], [9]]
    changed = BertEncoder(tensors, HEADS, turns).encode(texts)
    assert np.abs(changed - BertEncoder(merged, HEADS).encode(texts)).max() < 1e-4
    assert np.abs(changed - BertEncoder(tensors, HEADS).encode(texts)).max() > 1e-3


def test_what_is_remembered_is_what_was_embedded(tiny_model, tmp_path: Path) -> None:
    """In any order and company a sentence has the same vector, by an identity that is not MiniLM's own."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    turns = write_turns(tmp_path / "turns.npz", tiny_model.tensors)
    turned = MiniLmSayings(folder, tiny_model.weights, turns)
    alone = {text: MiniLmSayings(folder, tiny_model.weights, turns).embed([text])[0] for text in TEXTS}
    for texts in (TEXTS, TEXTS[::-1], [TEXTS[2], TEXTS[2], TEXTS[0]]):
        rows = turned.embed(texts)
        assert max(np.abs(row - alone[text]).max() for row, text in zip(rows, texts, strict=True)) < 1e-5
    assert turned.embed([]).shape == (0, tiny_model.weights.dimensions)
    assert turned.identity != MiniLmEmbedder(folder, tiny_model.weights).identity


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_changes_that_cannot_be_read_say_what_to_do(tiny_model, tmp_path: Path, content: bytes) -> None:
    """A damaged file of changes is a fault of the embedder with its next step, so that telling goes on by words."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    broken = tmp_path / "turns.npz"
    broken.write_bytes(content)
    with pytest.raises(EmbedderError, match="Reinstall"):
        MiniLmSayings(folder, tiny_model.weights, broken).embed(["cab"])


def test_the_shipped_changes_fit_minilm() -> None:
    """Every dense layer of MiniLM has two factors of one rank, all finite."""
    with np.load(SHIPPED) as kept:
        names = {name.rpartition(".")[0] for name in kept}
        for name in names:
            down, up = kept[f"{name}.down"], kept[f"{name}.up"]
            assert name.startswith("encoder.layer.")
            assert down.shape[1] == up.shape[0]
            assert {down.shape[0], up.shape[1]} <= {MINILM.dimensions, 4 * MINILM.dimensions}
            assert np.isfinite(down).all()
            assert np.isfinite(up).all()
    assert len(names) == 6 * 6
