"""Fitting the weights of correction detection writes the data file of the package."""

from __future__ import annotations

import json
from importlib.resources import files

from dopejar.pipelines.corrections.detection.detector import shipped_model
from training import correction_weights

ANSWERS = [
    ("no, use the staging database", "correction", "one_off"),
    ("go ahead", "no", "none"),
    ("from now on always squash the commits", "standing_instruction", "standing"),
    ("how do I run it?", "no", "none"),
]


def test_fitted_weights_keep_every_prior(tmp_path):
    """Fitting moves weights, drops none, and tells the answers apart that it was fitted with."""
    path = tmp_path / "answers.jsonl"
    rows = [
        {"prev_assistant": "Done.", "text": text, "is_correction": label, "durability": durability}
        for text, label, durability in ANSWERS
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    samples = correction_weights.read_samples(path)
    assert [one.lasts for one in samples] == [False, None, True, None]
    model = correction_weights.fit_model(samples * 20)
    assert model.detection.weights.keys() == correction_weights.prior_model().detection.weights.keys()
    assert correction_weights.judge(model, samples) == "detection 1.000, durability 1.000"


def test_packaged_file_is_what_the_script_writes():
    """The packaged weights, written by the script, give the packaged file byte for byte."""
    packaged = files("dopejar.pipelines.corrections") / "data" / "model.toml"
    assert correction_weights.render_toml(shipped_model()) == packaged.read_text("utf-8")
