"""MiniLM adapted towards what sentences say: changes of low rank are what they claim to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bert import HEADS, random_tensors, write_factors

from dopejar.adapters.embedders.bert import NETWORKS, BertEncoder
from dopejar.adapters.embedders.model_installation import LocalSource, install
from dopejar.adapters.embedders.paraphrase_embedder import SHIPPED, ParaphraseEmbedder, find_paraphrase_embedder
from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE, Weights
from dopejar.errors import EmbedderError

TEXTS = ["cab unable!", "ab", "東京 a, b", "un able", "do " * 100]


def test_a_change_of_low_rank_is_a_change_of_the_weights(tmp_path: Path) -> None:
    """Two factors beside a dense layer give what their product added to its weights gives."""
    tensors = random_tensors()
    with np.load(write_factors(tmp_path / "factors.npz", tensors)) as kept:
        factors = {name[: -len(".down")]: (kept[name], kept[f"{name[: -len('.down')]}.up"]) for name in kept if
                 name.endswith(".down")}  # fmt: skip
    merged = dict(tensors)
    for name, (down, up) in factors.items():
        merged[f"{name}.weight"] = tensors[f"{name}.weight"] + (down.astype(np.float32) @ up.astype(np.float32)).T
    texts = [[1, 2, 3], [4, 5, 6, 7, 8], [9]]
    changed = BertEncoder(tensors, HEADS, factors).encode(texts)
    assert np.abs(changed - BertEncoder(merged, HEADS).encode(texts)).max() < 1e-4
    assert np.abs(changed - BertEncoder(tensors, HEADS).encode(texts)).max() > 1e-3


def test_what_is_remembered_is_what_was_embedded(tiny_model, tmp_path: Path) -> None:
    """In any order and company a sentence has the same vector, by an identity that is not MiniLM's own."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    factors = write_factors(tmp_path / "factors.npz", tiny_model.tensors)
    adapted = ParaphraseEmbedder(folder, tiny_model.weights, factors)
    alone = {text: ParaphraseEmbedder(folder, tiny_model.weights, factors).embed([text])[0] for text in TEXTS}
    for texts in (TEXTS, TEXTS[::-1], [TEXTS[2], TEXTS[2], TEXTS[0]]):
        rows = adapted.embed(texts)
        assert max(np.abs(row - alone[text]).max() for row, text in zip(rows, texts, strict=True)) < 1e-5
    assert adapted.embed([]).shape == (0, tiny_model.weights.dimensions)
    assert adapted.identity != SentenceEmbedder(folder, tiny_model.weights).identity


def test_the_best_that_is_installed_tells_what_is_said(tmp_path: Path) -> None:
    """With both models there the larger one is taken, with one that one, and with none there is nothing."""
    assert find_paraphrase_embedder(tmp_path) is None
    for weights in (MINILM, MPNET_BASE):
        folder = tmp_path / weights.name
        folder.mkdir()
        (folder / weights.vocabulary_file).touch()
        with (folder / weights.weights_file).open("wb") as file:
            file.truncate(weights.weights_bytes)
        found = find_paraphrase_embedder(tmp_path)
        assert found is not None
        assert found.identity.name == f"{weights.name}-paraphrase"


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_changes_that_cannot_be_read_say_what_to_do(tiny_model, tmp_path: Path, content: bytes) -> None:
    """A damaged file of changes is a fault of the embedder with its next step, so that telling goes on by words."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    broken = tmp_path / "factors.npz"
    broken.write_bytes(content)
    with pytest.raises(EmbedderError, match="Reinstall"):
        ParaphraseEmbedder(folder, tiny_model.weights, broken).embed(["cab"])


@pytest.mark.parametrize("weights", [one for one in SHIPPED if SHIPPED[one].exists()], ids=lambda one: one.name)
def test_the_shipped_changes_fit_their_model(weights: Weights) -> None:
    """Every layer that is changed has two factors of one rank for each of its six dense parts, all finite."""
    network = NETWORKS[weights.network]
    parts = {network.query, network.key, network.value, network.mixed, "intermediate.dense", "output.dense"}
    with np.load(SHIPPED[weights]) as kept:
        names = {name.rpartition(".")[0] for name in kept}
        for name in names:
            down, up = kept[f"{name}.down"], kept[f"{name}.up"]
            assert down.shape[1] == up.shape[0]
            assert {down.shape[0], up.shape[1]} <= {weights.dimensions, 4 * weights.dimensions}
            assert np.isfinite(down).all()
            assert np.isfinite(up).all()
    layers = {name.split(".")[2] for name in names}
    assert names == {f"encoder.layer.{layer}.{part}" for layer in layers for part in parts}
    assert layers
