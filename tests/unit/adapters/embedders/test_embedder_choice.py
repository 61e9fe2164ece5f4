"""Which embedder a setting chooses, and over which model its readers are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dopejar.adapters.embedders.weights import MINILM, MPNET, ModelWeights
from dopejar.compose.readers import MODELS, make_embedder, make_marker
from dopejar.errors import WeightsMissingError
from dopejar.settings import read_settings


def embedder_of(home: Path, kind: str):
    """The embedder of a data directory with this setting."""
    return make_embedder(read_settings(home, {"DOPEJAR_EMBEDDER_KIND": kind}))


def place(home: Path, weights: ModelWeights) -> None:
    """Files of the size of the model's."""
    folder = home / MODELS / weights.name
    folder.mkdir(parents=True)
    (folder / weights.vocabulary_file).touch()
    with (folder / weights.weights_file).open("wb") as file:
        file.truncate(weights.weights_bytes)


def test_only_the_setting_chooses_the_larger_model(tmp_path):
    """Installed beside MiniLM it is not used unless it is asked for; what is read is read by MiniLM either way."""
    place(tmp_path, MINILM)
    place(tmp_path, MPNET)
    chosen = {kind: embedder_of(tmp_path, kind) for kind in ("auto", "minilm", "mpnet")}
    assert {kind: one.identity.name for kind, one in chosen.items()} == {
        "auto": "minilm-l6-v2",
        "minilm": "minilm-l6-v2",
        "mpnet": "mpnet-base-v2",
    }
    assert {one.for_reading.identity.name for one in chosen.values()} == {"minilm-l6-v2"}
    assert make_marker(chosen["mpnet"]) is not None


@pytest.mark.parametrize(("installed", "missing"), [(MINILM, MPNET), (MPNET, MINILM)])
def test_what_is_asked_for_and_missing_is_named(tmp_path, installed, missing):
    """The larger model needs both: the error says which one lacks, and the command that installs it."""
    place(tmp_path, installed)
    with pytest.raises(WeightsMissingError, match=f"dopejar models install {missing.name}"):
        embedder_of(tmp_path, "mpnet")
    assert (embedder_of(tmp_path, "auto") is None) == (installed is MPNET)
