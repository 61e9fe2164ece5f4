"""`dopejar serve --resident`: hooks get the answers that they would give, from a process of this account alone."""

from __future__ import annotations

import io
import json
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import SECRET, Cli

from dopejar import __version__
from dopejar.compose import open_memory
from dopejar.doors.hook import resident_client, resident_server, start
from dopejar.engine.ingest import hook_journal
from dopejar.errors import InputError, UsageError

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no unix sockets")
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "which port does the ferry service use?"}
PUSH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push origin main"}}
START = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory with a short path, for the name of a socket is limited; a rule and a fact are in it."""
    path = Path(tempfile.mkdtemp(prefix="dj-", dir="/tmp"))
    monkeypatch.setenv("DOPEJAR_HOME", str(path))
    with open_memory(path, said_by="user") as memory:
        memory.reviewers.add("ana", SECRET)
        assert memory.remember("Never push to main.", by=memory.reviewers.unlock(SECRET)).took_effect
        assert memory.remember("The ferry service listens on port 7070.").took_effect
    yield path
    shutil.rmtree(path)


@pytest.fixture
def resident(home: Path) -> Iterator[Path]:
    """A resident process, as a thread of this one; its socket."""
    listens, path = threading.Event(), home / resident_client.SOCKET
    with open_memory(home) as memory:
        thread = threading.Thread(
            target=resident_server.serve,
            args=(memory,),
            kwargs={"idle_s": 60, "announce": lambda _: listens.set()},
            daemon=True,
        )
        thread.start()
        assert listens.wait(60)
        yield path
        if path.exists():
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(str(path))
                path.unlink()
        thread.join(60)
        assert not thread.is_alive()


def asked(given: object, *arguments: str) -> str | None:
    """What the resident process answers."""
    return resident_client.ask("", arguments, json.dumps(given).encode())


def alone(given: object, *arguments: str) -> str:
    """What the hook answers by itself."""
    from dopejar.doors.hook.events import Hook, answer

    return answer(Hook.read(json.dumps(given).encode(), start.read_options(arguments)))


@pytest.mark.usefixtures("resident")
@pytest.mark.parametrize("given", [PUSH, START, {**PROMPT, "prompt": "ok"}, {**PUSH, "tool_input": {"command": "ls"}}])
@pytest.mark.parametrize("arguments", [(), ("--deny",), ("--assistant", "codex")])
def test_it_answers_what_the_hook_would_answer(given: dict[str, object], arguments: tuple[str, ...]):
    """The same texts and decisions; where there is nothing to say, the answer is empty, and no decline."""
    assert asked(given, *arguments) == alone(given, *arguments)


@pytest.mark.usefixtures("resident")
def test_it_recalls(home: Path):
    """A prompt gets the fact, and the call is noted."""
    assert "port 7070" in (asked(PROMPT) or "")
    assert "UserPromptSubmit" in hook_journal.last_fired(home, "claude")


@pytest.mark.usefixtures("resident")
def test_the_project_is_that_of_the_hook(home: Path, tmp_path: Path):
    """Each request has the project of its own directory, not of the process."""
    place = tmp_path / "harbour"
    (place / ".git").mkdir(parents=True)
    with open_memory(home, at=place, said_by="user") as memory:
        by = memory.reviewers.unlock(SECRET)
        assert memory.remember("In this project, never run npm.", by=by).took_effect
        assert memory.project is not None
    assert "never run npm" in (asked({**START, "cwd": str(place)}) or "")
    assert "never run npm" not in (asked({**START, "cwd": str(tmp_path)}) or "")


def test_the_socket_is_private_and_goes_with_the_process(resident: Path, home: Path):
    """Mode 0600; a second process is refused; one that nobody listens at is replaced; it ends when idle."""
    assert stat.S_IMODE(resident.stat().st_mode) == 0o600
    with open_memory(home) as memory:
        with pytest.raises(UsageError, match="already"):
            resident_server.serve(memory, idle_s=60, announce=print)
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(resident))
            resident.unlink()
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(resident))
        resident_server.serve(memory, idle_s=0.01, announce=lambda path: None)
    assert not resident.exists()


@pytest.mark.usefixtures("resident")
def test_other_settings_and_versions_are_declined(monkeypatch: pytest.MonkeyPatch):
    """A hook whose environment configures DoPeJar otherwise, or of another version, answers by itself."""
    monkeypatch.setattr(resident_client, "__version__", "0.0.0")
    assert asked(PROMPT) is None
    monkeypatch.setattr(resident_client, "__version__", __version__)
    request = resident_client.request((), ["DOPEJAR_RECALL_MODE=lexical"], json.dumps(PROMPT).encode())
    monkeypatch.setattr(resident_client, "request", lambda *_: request)
    assert asked(PROMPT) is None


@pytest.mark.usefixtures("resident")
def test_what_takes_long_is_left_to_the_hook(home: Path, tmp_path: Path):
    """A transcript is kept by the hook itself, and the mark of a run reaches the note of a prompt."""
    assert asked({"hook_event_name": "Stop", "transcript_path": "/not/there"}) is None
    transcript = str(tmp_path / "t.jsonl")
    payload = json.dumps({**PROMPT, "transcript_path": transcript}).encode()
    environment = [*resident_client.variables(), f"{hook_journal.RUN_VARIABLE}=m1"]
    with socket.socket(socket.AF_UNIX) as hook:
        hook.connect(str(home / resident_client.SOCKET))
        hook.sendall(resident_client.request((), environment, payload))
        hook.shutdown(socket.SHUT_WR)
        assert hook.recv(1) == resident_client.ANSWERED
    assert [noted.path for noted in hook_journal.end_run(home, "m1")] == [Path(transcript)]


def test_secrets_are_not_sent(monkeypatch: pytest.MonkeyPatch):
    """What unlocks a reviewer or a server stays in the hook."""
    for name in ("DOPEJAR_REVIEWER_SECRET", "DOPEJAR_SERVE_TOKEN", "DOPEJAR_MCP_TOKEN"):
        monkeypatch.setenv(name, "hidden")
    assert not any("hidden" in line for line in resident_client.variables())


@pytest.mark.usefixtures("resident")
@pytest.mark.parametrize("data", [b"", b"{", b"7", b"\xff", b'{"hook_event_name": "Nope"}', b'{"hook_event_name": 7}'])
def test_a_bad_payload_is_the_same_sentence(data: bytes, monkeypatch: pytest.MonkeyPatch, capsys):
    """The exit code is 1, stderr has one sentence; the process answers the next hook."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert start.run([]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.startswith("DoPeJar: "), "Unexpected" in said.err) == ("", True, False)
    assert asked(START)


HEAD = f"{__version__}\x000".encode()
NOISE = [
    b"", b"\0", b"\xff" * 8, b"\xff" * 100, b"\0" * 8, b"\0" * 100, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    (5).to_bytes(8, "big"), (5).to_bytes(8, "big") + b"abcde", (5).to_bytes(8, "big") + b"abc",
    (10**12).to_bytes(8, "big") + b"x", len(HEAD).to_bytes(8, "big") + HEAD,
    len(HEAD).to_bytes(8, "big") + HEAD + b"{}", (len(HEAD) - 1).to_bytes(8, "big") + HEAD[:-1] + b"{}",
    (len(HEAD) + 1).to_bytes(8, "big") + HEAD + b"9{}", b'{"hook_event_name": "Stop"}',
    (3).to_bytes(8, "big") + b"\0\0\0",
    resident_client.request(("--home", "/etc"), [], b"{}"), resident_client.request(("--nope",), [], b"{}"),
    resident_client.request(("--home",), [], b"{}"), resident_client.request(("learn",), [], b"[]"),
    resident_client.request(("\n",), ["="], b"{}"), resident_client.request((), ["DOPEJAR_X"], b"{}"),
]  # fmt: skip


@pytest.mark.parametrize("noise", NOISE, ids=lambda noise: repr(noise)[:40])
def test_what_is_no_request_stops_nothing(resident: Path, noise: bytes):
    """It is declined, or answered with a sentence; the next hook is answered."""
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(resident))
        other.sendall(noise)
        other.shutdown(socket.SHUT_WR)
        reply = b"".join(iter(lambda: other.recv(4096), b""))
    assert reply[:1] in (resident_client.DECLINED, resident_client.FAILED)
    assert b"Unexpected" not in reply
    assert asked(START)


@pytest.mark.usefixtures("resident")
def test_the_hook_loads_neither_the_engine_nor_a_package(home: Path):
    """With a resident process a hook imports its own modules and the standard library."""
    code = (
        "import sys; before = set(sys.modules); from dopejar.doors.hook import start; code = start.run([])\n"
        "print(code, sorted({m.partition('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)),"
        " any(m.startswith('dopejar.engine') for m in sys.modules), file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(PROMPT), capture_output=True, text=True, check=True
    )
    assert run.stderr == "0 ['dopejar'] False\n"
    assert "port 7070" in run.stdout


@pytest.mark.parametrize(("given", "started"), [(START, 1), (PROMPT, 0), (PUSH, 0)])
def test_a_session_starts_the_process_where_it_is_wanted(home: Path, given, started, monkeypatch, capsys):
    """The start of a session starts it and is answered at once; no other event does, and nothing without the option."""
    calls: list[list[str]] = []
    monkeypatch.setattr("subprocess.Popen", lambda words, **_: calls.append(words) or SimpleNamespace(stdin=None))
    for arguments in (["--resident", "--home", str(home)], []):
        asked = {**given, "session_id": str(arguments)}  # what a session was told is not told it again
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(asked).encode())))
        assert start.run(arguments) == 0
        assert json.loads(capsys.readouterr().out)["hookSpecificOutput"]["hookEventName"] == given["hook_event_name"]
    expected = [sys.executable, "-m", "dopejar.doors.cli", "serve", "--resident", "--home", str(home)]
    assert calls == [expected] * started


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--idle-minutes", "0"), 2), (("--idle-minutes", "x"), 2), (("--idle-minutes",), 2),
        (("--idle-minutes", "-1"), 2), (("--idle-minutes", "1e9"), 2), (("extra",), 2),
        (("--home", "/etc/hostname"), 2),
    ],
)  # fmt: skip
def test_wrong_arguments_are_said(cli: Cli, words: tuple[str, ...], code: int):
    """A clear sentence and the right exit code."""
    ran = cli("serve", "--resident", *words)
    assert (ran.code, bool(ran.err)) == (code, True)


def test_a_path_that_is_too_long_is_said(tmp_path: Path):
    """The sentence names the socket; nothing is left."""
    deep = tmp_path / ("d" * 120)
    with open_memory(deep) as memory, pytest.raises(InputError, match="too long"):
        resident_server.serve(memory, idle_s=1, announce=print)
    assert not (deep / resident_client.SOCKET).exists()
