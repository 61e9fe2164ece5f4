"""Fitting the weights of correction detection writes the data file of the package."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files

from dopejar.compose import transcript_formats
from dopejar.pipelines.corrections.detection.detector import shipped_model
from training import correction_weights

TURNS = [
    ("no, use the staging database", "correction", "one_off"),
    ("go ahead", "no", None),
    ("from now on always squash the commits", "standing_instruction", "standing"),
    ("how do I run it?", "no", None),
]


def test_fitted_weights_are_a_data_file(tmp_path):
    """Fitting writes the model's file: every feature with its prior and its weight."""
    rows = [
        {
            "session": "alpha", "turn": 2 * number + 1, "source": {"repo": "team/alpha"}, "prev_assistant": "Done.",
            "text": text, "is_correction": label, "durability": durability,
        }
        for number, (text, label, durability) in enumerate(TURNS)
    ]  # fmt: skip
    (tmp_path / "turns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    snippets = tmp_path / "snippets.jsonl"
    snippet = {"id": "s1", "before": "Done.", "said": "never force-push", "label": "yes"}
    snippets.write_text(json.dumps(snippet), "utf-8")
    counts = correction_weights.run(tmp_path, tmp_path / "model.toml", transcript_formats(), [snippets])
    assert counts == {"turns": 5, "positives": 3}
    written = tomllib.loads((tmp_path / "model.toml").read_text("utf-8"))
    assert set(written) == {"detection", "standing"}
    assert all({"prior", "weight"} <= set(row) for row in written["detection"].values() if isinstance(row, dict))


def test_packaged_file_is_what_the_script_writes():
    """The packaged weights, written by the script, give the packaged file byte for byte."""
    packaged = files("dopejar.pipelines.corrections") / "data" / "model.toml"
    assert correction_weights.render_toml(shipped_model()) == packaged.read_text("utf-8")
