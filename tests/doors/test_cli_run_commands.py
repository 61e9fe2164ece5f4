"""`dopejar run -- COMMAND`: the terminal, the signals and the exit code are the command's; then a person is asked."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SECRET, Cli, Talk, add_reviewer, needs_pty

from dopejar.compose import open_memory
from dopejar.engine.ingest import hook_journal

RULE = "Never push to main."


@pytest.fixture
def assistant(tmp_path: Path, home: Path) -> Path:
    """A program that does what an assistant does in a session: it keeps a transcript and calls the hook at a prompt."""
    transcript = tmp_path / "5ea1c0de-1111-4222-8333-444455556666.jsonl"
    message = {"role": "user", "content": f"The ferry service listens on port 7070. {RULE}"}
    record = {
        "type": "user", "uuid": "u1", "parentUuid": None, "isSidechain": False, "userType": "external",
        "cwd": str(tmp_path), "sessionId": transcript.stem, "timestamp": "2026-11-20T09:00:00Z", "message": message,
    }  # fmt: skip
    payload = {
        "hook_event_name": "UserPromptSubmit", "session_id": transcript.stem, "transcript_path": str(transcript),
        "cwd": str(tmp_path), "prompt": "go on",
    }  # fmt: skip
    program = tmp_path / "assistant"
    program.write_text(
        f"#!{sys.executable}\n"
        "import subprocess, sys\n"
        f"open({str(transcript)!r}, 'w').write({json.dumps(record)!r} + '\\n')\n"
        f"hook = [{sys.executable!r}, '-m', 'dopejar.doors.hook', '--home', {str(home)!r}]\n"
        f"subprocess.run(hook, input={json.dumps(payload)!r}.encode(), check=True)\n"
        "print('said by the assistant', sys.argv[1:], sys.stdin.isatty())\n"
        "sys.exit(7)\n",
        "utf-8",
    )
    program.chmod(0o755)
    return program


def test_without_a_terminal_the_session_is_learned_and_waits(cli: Cli, assistant: Path, home: Path):
    """The exit code is the program's; its session counts as ended although it did not say so; the rule waits."""
    ran = cli("run", "--", str(assistant), "--model", "x")
    assert ran.code == 7
    assert "1 proposal is waiting" in ran.err
    assert hook_journal.transcripts(home) == ()
    with open_memory(home) as memory:
        assert [item.proposal.payload.draft.text for item in memory.review.queue()] == [RULE.rstrip(".")]


@needs_pty
def test_at_a_terminal_a_person_decides_when_it_ends(at_terminal: Talk, assistant: Path, home: Path):
    """The program has the terminal; then the proposals of its session are shown, and an approved one is in force."""
    add_reviewer(home)
    line = f"dopejar run --home {home} -- {assistant} --model x"
    code, said = at_terminal(line, ("Approve", "1"), ("Passphrase of a reviewer:", SECRET))
    assert "said by the assistant ['--model', 'x'] True" in said
    assert said.index("said by the assistant") < said.index("Never push to main")
    assert code == 7
    with open_memory(home) as memory:
        assert memory.review.waiting() == 0
        assert [rule for rule in memory.surveys.instructions().splitlines() if "push" in rule] == [f"- {RULE[:-1]}"]


def test_sessions_of_others_stay_in_progress(cli: Cli, assistant: Path, home: Path, tmp_path: Path):
    """A transcript that another session noted meanwhile is not taken for ended."""
    other = tmp_path / "other.jsonl"
    other.write_text("{}\n", "utf-8")
    hook_journal.note_transcript(home, other, "claude-code")
    cli("run", "--", str(assistant))
    assert [(noted.path, noted.is_over) for noted in hook_journal.transcripts(home)] == [(other, False)]


def test_without_hooks_it_says_so(cli: Cli, home: Path):
    """Where no session was noted nothing is opened, and the remark says where to look."""
    ran = cli("run", "--", sys.executable, "-c", "pass")
    assert (ran.code, "connect --check" in ran.err) == (0, True)
    assert not (home / "memory.db").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_reach_the_program(number: signal.Signals, home: Path):
    """One that asks this process to end reaches the program; Ctrl+C is the program's to answer, which has it."""
    text = (
        "import os, signal, sys\n"
        "def told(number, frame): print('told', number, flush=True); sys.exit(5)\n"
        "[signal.signal(n, told) for n in (1, 2, 15)]\n"
        f"os.kill(os.getppid(), {int(number)})\n"
        f"{int(number)} == 2 and os.kill(os.getpid(), 2)\n"
        "signal.pause()\n"
    )
    run = [sys.executable, "-m", "dopejar.doors.cli", "run", "--home", str(home), "--", sys.executable, "-c", text]
    ended = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (5, f"told {int(number)}\n")


def test_a_program_that_a_signal_ended(cli: Cli):
    """Its exit code is 128 and the number, as shells give it; Ctrl+C works in it as without DoPeJar."""
    text = "import os; os.kill(os.getpid(), 9)"
    assert cli("run", "--", sys.executable, "-c", text).code == 128 + signal.SIGKILL
    text = "import signal; print(signal.getsignal(2) is signal.default_int_handler)"
    handlers = [signal.getsignal(number) for number in (1, 2, 15)]
    run = [sys.executable, "-m", "dopejar.doors.cli", "run", "--", sys.executable, "-c", text]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "True\n"
    assert [signal.getsignal(number) for number in (1, 2, 15)] == handlers


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("run",), 2), (("run", "--"), 2), (("run", "--", "no-such-assistant"), 5), (("run", "--", "./gone"), 5),
        (("run", "--", ""), 5), (("run", "--nope", "--", "true"), 2), (("run", "--", "/"), 5),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_said(cli: Cli, home: Path, words: tuple[str, ...], code: int):
    """A clear sentence and the right exit code; nothing is written."""
    ran = cli(*words)
    assert (ran.code, bool(ran.err)) == (code, True)
    assert not home.exists() or list(home.iterdir()) == []
