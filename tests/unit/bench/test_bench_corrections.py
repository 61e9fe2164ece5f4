"""`dopejar bench corrections` on a small invented folder: every turn is predicted."""

from __future__ import annotations

import json

import pytest

from dopejar.bench import corrections
from dopejar.compose import transcript_formats
from dopejar.errors import InputError

TURNS = [
    ("no, use the staging database", "correction", "one_off"),
    ("go ahead", "no", None),
    ("from now on always squash the commits", "standing_instruction", "standing"),
    ("how do I run it?", "no", None),
    ("you forgot the changelog", "correction", "one_off"),
    ("<command-name>/clear</command-name>", "no", None),
]


@pytest.fixture
def folder(tmp_path):
    """Two repositories of six turns each, one with the session beside it."""
    rows = [
        {
            "session": name, "turn": 2 * place + 1, "selection": "full_session", "source": {"repo": f"team/{name}"},
            "prev_assistant": "Done.", "text": text, "is_correction": label, "durability": durability,
            "category": "correction" if durability == "one_off" else "rule", "scope": "project" if durability else None,
        }
        for name in ("alpha", "beta")
        for place, (text, label, durability) in enumerate(TURNS)
    ]  # fmt: skip
    (tmp_path / "turns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "sessions").mkdir()
    session = [{"role": "assistant", "content": "Done."}]
    for text, _, _ in TURNS:
        session += [{"role": "user", "content": text}, {"role": "assistant", "content": "You're right, sorry."}]
    (tmp_path / "sessions" / "alpha.jsonl").write_text("".join(json.dumps(row) + "\n" for row in session), "utf-8")
    return tmp_path


def test_every_turn_is_predicted(folder, tmp_path):
    """A line for each turn; the harness's own text is never a correction."""
    figures = corrections.run(folder, tmp_path / "out.jsonl", transcript_formats())
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 12
    assert {line["is_correction"] for line in lines if line["turn"] == 11} == {False}
    assert figures["precision"] == 1


def test_a_folder_without_turns_is_an_error(tmp_path):
    """A wrong folder is said to be one."""
    with pytest.raises(InputError, match=r"turns\.jsonl"):
        corrections.run(tmp_path / "none", tmp_path / "out.jsonl", transcript_formats())
