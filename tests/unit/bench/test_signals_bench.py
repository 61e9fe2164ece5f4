"""The bench of signals: one prediction per line, in the words of the design, the same for a line wherever it stands."""

from __future__ import annotations

import json

import pytest

from dopejar.bench.signals import predict_turn, run
from dopejar.errors import InputError

ROWS = [
    {"id": "1", "before": "", "text": "STOP! Wrong project!"},
    {"id": "2", "before": "Anything else?", "text": "no, thanks"},
    {"id": "3", "text": "What time is it?"},
    {"id": "4", "before": None, "text": "Transfer $4,000 to the roofer"},
]


def test_lines_are_predicted_in_order_and_without_state(tmp_path) -> None:
    """Each line gives the prediction that it has alone, in lower-case values; no signal is an empty list."""
    data, out = tmp_path / "data.jsonl", tmp_path / "out.jsonl"
    data.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n", "utf-8")
    figures = run(data, out)
    found = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert found == [predict_turn(row) for row in ROWS]
    assert figures["utterances"] == 4
    assert [row["signals"] for row in found] == [["emergency"], ["completion"], [], ["high_stakes"]]
    assert found[3] == {
        "id": "4",
        "signals": ["high_stakes"],
        "altitude": "L2",
        "request_type": "high_stakes",
        "strategy": "verification",
        "stakes": "high",
    }


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "1"}'])
def test_unreadable_line_is_named(tmp_path, line) -> None:
    """A line that is no utterance is refused with its number; nothing is written."""
    data, out = tmp_path / "data.jsonl", tmp_path / "out.jsonl"
    data.write_text(json.dumps(ROWS[0]) + "\n" + line + "\n", "utf-8")
    with pytest.raises(InputError, match="Line 2"):
        run(data, out)
    assert not out.exists()


def test_missing_file_is_named(tmp_path) -> None:
    """A path without a file is refused."""
    with pytest.raises(InputError, match="is no file"):
        run(tmp_path / "none.jsonl", tmp_path / "out.jsonl")
