"""A command line in this process, with a data directory of its own.

Takes: words. Gives: exit code, output and remarks. Never: touches the data of whoever runs the tests.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path

import pytest
from command_line import SECRET, Cli, Ran, Talk, Terminal, add_reviewer, talk_at_terminal

from dopejar.doors.cli import authentication, start
from dopejar.engine import lazy_modules

CHAT = (
    ("user", "Rin", "I prefer dark mode."),
    ("assistant", None, "Short it is."),
    ("user", "Rin", "Postgres listens on port 5433."),
    ("assistant", None, "Noted."),
    ("user", "Rin", "Never commit straight to main."),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data directory that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path) -> None:
    for name in [name for name in os.environ if name.startswith("DOPEJAR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DOPEJAR_HOME", str(home))
    monkeypatch.setenv("DOPEJAR_EMBEDDER_KIND", "none")
    # lazy modules are for processes of one thread; other tests of this process start threads
    monkeypatch.setattr(lazy_modules, "load_engine_lazily", lambda: None)
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run one command line; `typed` is what a person types at a terminal, `piped` what a program sends."""

    def run(*words: str, typed: str | None = None, piped: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", Terminal(typed) if typed is not None else io.StringIO(piped))
        capsys.readouterr()
        code = start.run(list(words))
        said = capsys.readouterr()
        return Ran(code=code, out=said.out, err=said.err)

    return run


@pytest.fixture
def as_reviewer(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A reviewer named ana, whose passphrase an automation has in its environment."""
    monkeypatch.setenv(authentication.SECRET_VARIABLE, SECRET)
    monkeypatch.setenv(authentication.NAME_VARIABLE, "ana")
    add_reviewer(home)
    return "ana"


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A transcript in the neutral format: a preference, a fact, and a rule that waits for a person."""
    path = tmp_path / "chat.jsonl"
    rows = [
        {
            "store": "s",
            "session": "planning",
            "session_time": "2026-03-02T09:00:00+00:00",
            "turn_id": f"t{place}",
            "index": place,
            "speaker": speaker,
            "role": role,
            "text": text,
        }
        for place, (role, speaker, text) in enumerate(CHAT)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


_COMMAND = re.compile(r"(?<![\w/.-])dopejar(?= )")  # and not the folder that a checkout may stand in


@pytest.fixture
def at_terminal() -> Talk:
    """Run shell lines with `dopejar` at a fresh pseudo-terminal, typing each answer when its prompt has come."""

    def talk(line: str, *answers: tuple[str, str]) -> tuple[int, str]:
        command = f"{sys.executable} -m dopejar.doors.cli"
        return talk_at_terminal(_COMMAND.sub(lambda _: command, line), *answers)

    return talk
