"""A very small model in the files that sources offer, and the real one where it is installed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
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
        package="tiny-model==1.0",
        hub="http://127.0.0.1:9/unused",
    )
    return TinyModel(folder=folder, weights=weights, tensors=tensors)


@pytest.fixture(scope="session")
def installed_weights() -> Callable[[], Path]:
    """The folder of real weights, or a skip that says why. `DOPEJAR_MODELS` names the models directory."""

    def find() -> Path:
        from platformdirs import user_data_path

        from dopejar.adapters.embedders.weights import find_weights

        home = os.environ.get("DOPEJAR_HOME")
        data = Path(home) if home else user_data_path("dopejar", appauthor=False)
        models = Path(os.environ["DOPEJAR_MODELS"]) if "DOPEJAR_MODELS" in os.environ else data / "models"
        folder = find_weights(models)
        if folder is None:
            pytest.skip(f"no model weights in {models}: run `dopejar models install`, or set DOPEJAR_MODELS")
        return folder

    return find
