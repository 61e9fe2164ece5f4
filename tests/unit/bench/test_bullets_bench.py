"""The bench of the classifier writes what the scorer reads."""

import json

import pytest

from dopejar.bench.bullets import run
from dopejar.errors import InputError


@pytest.mark.parametrize("place", ["corrections/bullets.jsonl", "bullets.jsonl"])
def test_every_bullet_gets_a_line(tmp_path, place):
    """One line per bullet: its id, a side of three, a confidence; the label is not looked at."""
    source = tmp_path / place
    source.parent.mkdir(exist_ok=True)
    texts = ["Shut the gate at night.", "What if the gate is gone?", "Write good code."]
    source.write_text(
        "".join(json.dumps({"id": f"b{i}", "text": one, "label": "left"}) + "\n" for i, one in enumerate(texts)),
        "utf-8",
    )
    figures = run(tmp_path, tmp_path / "out.jsonl", tmp_path, "grammar")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [one["side"] for one in lines] == ["left", "right", "ambiguous"]
    assert [one["id"] for one in lines] == ["b0", "b1", "b2"]
    assert all(0.0 <= one["confidence"] <= 1.0 for one in lines)
    assert figures["bullets"] == 3


def test_a_folder_without_bullets_is_refused(tmp_path):
    """A folder that holds none is named, with what to give instead."""
    with pytest.raises(InputError, match="no corrections"):
        run(tmp_path, tmp_path / "out.jsonl", tmp_path, "grammar")
