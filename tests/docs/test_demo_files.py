"""The bundled example is what its page says it is."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"
# put together from pieces, so that no scanner takes the pattern for a token
TOKEN = re.compile("gh" + "p_[A-Za-z0-9]{36}")


def lines(name: str) -> list[dict[str, object]]:
    """The records of a file."""
    return [json.loads(line) for line in (DEMO / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("name", "least"), [("claude-code-session.jsonl", 25), ("chat.jsonl", 20)])
def test_example_is_long_enough_to_be_real(name: str, least: int) -> None:
    """Each conversation has the length of a short working session, and every line is a record."""
    assert len(lines(name)) >= least


def test_chat_is_in_the_neutral_format() -> None:
    """The chat has every field of the format, and turns of a session follow each other."""
    fields = {"store", "session", "session_time", "turn_id", "index", "speaker", "role", "text"}
    records = lines("chat.jsonl")
    assert all(set(record) == fields for record in records)
    places = [(record["session"], record["index"]) for record in records]
    sessions = list(dict.fromkeys(session for session, _ in places))
    assert places == [(one, i) for one in sessions for i in range(sum(session == one for session, _ in places))]


def test_made_up_token_is_in_the_words_and_not_in_the_file() -> None:
    """The session holds a token to redact, written so that the file itself does not look like a leak."""
    raw = (DEMO / "claude-code-session.jsonl").read_text("utf-8")
    assert not TOKEN.search(raw)
    assert TOKEN.search(json.dumps([json.loads(line) for line in raw.splitlines()]))


def test_demo_script_parses() -> None:
    """The script is well-formed for a plain shell."""
    subprocess.run(["sh", "-n", str(DEMO / "demo.sh")], check=True)
