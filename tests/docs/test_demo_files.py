"""The bundled example is what its page says it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
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


@pytest.mark.slow
def test_demo_runs_and_shows_what_its_page_says(tmp_path: Path) -> None:
    """The demo ends well: a changed value is answered by its time, what a program says waits, and undo brings back."""
    bin_directory = tmp_path / "bin"
    bin_directory.mkdir()
    for name, module in (("dopejar", "cli"), ("dopejar-hook", "hook")):
        program = bin_directory / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dopejar.doors.{module} "$@"\n', "utf-8")
        program.chmod(0o700)
    python = bin_directory / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o700)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOPEJAR_")}
    ran = subprocess.run(
        ["sh", str(DEMO / "demo.sh")],
        env={**kept, "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    asked = [part for part in ran.stdout.split("\n$ ") if part.startswith("dopejar recall")]
    assert [("5434" in one.split("Said before")[0], "5433" in one.split("Said before")[0]) for one in asked] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert "It waits for review" in ran.stdout
    assert "github-token" in ran.stdout
    assert "default password" not in ran.stdout
    assert "The hash chain is intact" in ran.stdout
    recalled, decided = (json.loads(line) for line in ran.stdout.splitlines() if line.startswith('{"hookSpecific'))
    assert "My sister Ida comes along" in recalled["hookSpecificOutput"]["additionalContext"]
    assert decided["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert not list(tmp_path.glob("dopejar-demo.*"))
