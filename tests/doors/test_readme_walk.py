"""The README, line by line, as a new user follows it: an empty home, an empty environment, real processes, no network.

Two things are put in place that a user has from the network: the packages that DoPeJar depends on, and a `make` that
uses this test's own build tools.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from command_line import NEW_REVIEWER, needs_pty, talk_at_terminal

ROOT = Path(__file__).parents[2]
PAYLOADS = ROOT / "tests" / "fixtures" / "hooks"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TALK, INSTALL, CONNECT, CALL = (block.splitlines() for block in BLOCK.findall((ROOT / "README.md").read_text("utf-8")))
NEWEST_ACT = "$(dopejar log --limit 1 | grep -o 'a_[a-z0-9]*')"
ANSWERS = (*NEW_REVIEWER[:2], ("[y/N]: ", "y"))
SESSION = ("session-start", "user-prompt-submit", "pre-tool-use-bash", "stop", "session-end")


class Newcomer:
    """Somebody at a shell, who has what a system brings and nothing else."""

    def __init__(self, place: Path) -> None:
        self.home, self.checkout = place / "home", place / "checkout"
        for path in (place / "bin", self.home / "your-project", self.checkout):
            path.mkdir(parents=True)
        for path in ROOT.iterdir():
            if not path.name.startswith(".") and path.name not in ("dist", "build"):
                (self.checkout / path.name).symlink_to(path)
        python = place / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', "utf-8")
        python.chmod(0o755)
        self.environment = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(place / "bin"), os.environ["PATH"])),
            "MAKEFLAGS": f" -- BIN={Path(sys.executable).parent} CORE=",
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }

    def follows(self, shown: list[str], *answers: tuple[str, str], before: str) -> None:
        """Type the lines that a block of the README shows, in one shell at a terminal; what it prints is printed."""
        steps = [line for line in shown if line.startswith("$ ")]
        typed = [f"printf '\\n@step%s@\\n' {number}\n{line[2:]}" for number, line in enumerate(steps)]
        typed = [line.replace("undo a_...", f"undo {NEWEST_ACT}") for line in typed]  # which a person copies
        code, said = talk_at_terminal("\n".join(["set -e", before, *typed]), *answers, environment=self.environment)
        assert code == 0, said
        printed = re.split(r"@step\d+@", "".join(said.split()))[1:]
        parts = re.split(r"^\$ .*\n", "\n".join([*shown, ""]), flags=re.MULTILINE)[1:]
        for step, part, text in zip(steps, parts, printed, strict=True):
            pattern = ".*".join(re.escape(piece) for piece in "".join(part.split()).split("..."))
            assert re.search(pattern, text), f"{step} does not print what the README shows: {text}"

    def session(self, name: str, command: str) -> str:
        """What a hook answers to a recorded payload, called as the settings say, from a shell that knows no venv."""
        place, transcript = self.home / "your-project", self.home / "session.jsonl"
        text = (PAYLOADS / name).read_text("utf-8").replace("PLACE", str(place)).replace("TRANSCRIPT", str(transcript))
        ran = subprocess.run(
            ["sh", "-c", command], input=text, env=self.environment, capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    """Whoever opened the README just now."""
    return Newcomer(tmp_path)


@needs_pty
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_new_user_gets_a_recalled_rule_and_a_denied_command(newcomer: Newcomer) -> None:
    """From `make wheel` to recorded hooks: each line works, prints what is shown, and a session is governed by it.

    The opening conversation comes once there is a reviewer, who alone may undo.
    """
    newcomer.follows(INSTALL, before=f"cd {newcomer.checkout}")
    (packages,) = (newcomer.home / ".dopejar-venv").glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    newcomer.follows([*CONNECT, *TALK], *ANSWERS, before=". ~/.dopejar-venv/bin/activate")
    newcomer.follows(CALL, before=". ~/.dopejar-venv/bin/activate; cd ~/your-project")

    transcript = (PAYLOADS / "transcript.jsonl").read_text("utf-8")
    (newcomer.home / "session.jsonl").write_text(transcript.replace("PLACE", str(newcomer.home / "your-project")))
    settings = json.loads((newcomer.home / "your-project/.claude/settings.json").read_text("utf-8"))["hooks"]
    said = {}
    for name in SESSION:
        payload = json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
        command = settings[payload["hook_event_name"]][0]["hooks"][0]["command"]
        said[name] = newcomer.session(f"{name}.json", command)
    assert "- Never push to main" in json.loads(said["session-start"])["hookSpecificOutput"]["additionalContext"]
    decided = json.loads(said["pre-tool-use-bash"])["hookSpecificOutput"]
    assert (decided["permissionDecision"], "Approved by sam" in decided["permissionDecisionReason"]) == ("deny", True)
    assert (said["stop"], said["session-end"]) == ("", "")
    learn = settings["SessionStart"][1]["hooks"][0]["command"]
    newcomer.session("session-start.json", learn)
    asked = json.loads(newcomer.session("user-prompt-submit.json", learn.removesuffix(" learn")))
    assert "The ferry service listens on port 7070" in asked["hookSpecificOutput"]["additionalContext"]
