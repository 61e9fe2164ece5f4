"""A very small model in the files that sources offer."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tiny_bert import HEADS, HIDDEN, PIECES, TinyModel, random_tensors, safetensors

from dopejar.adapters.embedders.weights import ModelWeights


@pytest.fixture
def tiny_model(tmp_path: Path) -> TinyModel:
    """A fresh folder with `model.safetensors` and `tokenizer.json`."""
    folder = tmp_path / "offered"
    folder.mkdir()
    tensors = random_tensors()
    data = safetensors(tensors)
    tokenizer = json.dumps({"model": {"vocab": {piece: number for number, piece in enumerate(PIECES)}}}).encode()
    (folder / "model.safetensors").write_bytes(data)
    (folder / "tokenizer.json").write_bytes(tokenizer)
    weights = ModelWeights(
        name="tiny",
        dimensions=HIDDEN,
        heads=HEADS,
        weights_bytes=len(data),
        weights_sha256=hashlib.sha256(data).hexdigest(),
        tokenizer_sha256=hashlib.sha256(tokenizer).hexdigest(),
        vocabulary_sha256=hashlib.sha256("".join(f"{piece}\n" for piece in PIECES).encode()).hexdigest(),
        packages=("tiny-model==1.0",),
        hub="http://127.0.0.1:9/unused",
    )
    return TinyModel(folder=folder, weights=weights, tensors=tensors)
