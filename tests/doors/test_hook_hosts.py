"""`dopejar-hook --assistant NAME`: payloads of Codex, Gemini CLI and Cursor in their documented forms."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import SECRET

from dopejar.compose import open_memory
from dopejar.doors.hook import start
from dopejar.engine.ingest import hook_journal

PUSH = "git push origin main"
PATCH = "*** Begin Patch\n*** Update File: migrations/0001_port.py\n@@\n-import logging\n+print(7070)\n*** End Patch\n"
SESSION = "01998c2e-5a40-7d11-9a55-0f6c2f8f1b77"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The directory that the assistant works in."""
    path = tmp_path / "ferry"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def rules(home: Path) -> None:
    """A store with rules that a reviewer approved, and a fact of the user's."""
    with open_memory(home, said_by="user") as memory:
        memory.reviewers.add("ana", SECRET)
        by = memory.reviewers.unlock(SECRET)
        for rule in ("Never push to main.", "Never edit files under migrations/.", "Write commit messages in English."):
            assert memory.remember(rule, by=by).took_effect
        assert memory.remember("The ferry service listens on port 7070.").took_effect


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the entry point for an assistant: its exit code, its answer (None where empty), its remarks."""

    def run(assistant: str, given: object, *arguments: str) -> SimpleNamespace:
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        code = start.run(["--assistant", assistant, *arguments])
        said = capsys.readouterr()
        return SimpleNamespace(code=code, answer=json.loads(said.out) if said.out else None, err=said.err)

    return run


def codex(place: Path, event: str, **fields: object) -> dict[str, object]:
    """A payload of Codex."""
    rollout = f"{place}/sessions/2026/11/20/rollout-2026-11-20T09-00-00-{SESSION}.jsonl"
    return {
        "session_id": SESSION, "transcript_path": rollout, "cwd": str(place), "hook_event_name": event,
        "model": "gpt-5.5-codex", "permission_mode": "default", "turn_id": "turn-3", **fields,
    }  # fmt: skip


def gemini(place: Path, event: str, **fields: object) -> dict[str, object]:
    """A payload of Gemini CLI."""
    return {
        "session_id": SESSION, "transcript_path": f"{place}/chats/session.json", "cwd": str(place),
        "hook_event_name": event, "timestamp": "2026-11-20T09:00:00.000Z", **fields,
    }  # fmt: skip


def cursor(place: Path, event: str, **fields: object) -> dict[str, object]:
    """A payload of Cursor."""
    return {
        "conversation_id": SESSION, "generation_id": "g-1", "model": "auto", "hook_event_name": event,
        "cursor_version": "3.8.11", "workspace_roots": [str(place)], "transcript_path": None, **fields,
    }  # fmt: skip


def test_codex_recalls_and_denies(hook, place: Path):
    """Context comes in Claude Code's form; a call that breaks a rule is denied, for Codex cannot ask."""
    said = hook("codex", codex(place, "UserPromptSubmit", prompt="which port does the ferry service use?")).answer
    assert "port 7070" in said["hookSpecificOutput"]["additionalContext"]
    said = hook("codex", codex(place, "PreToolUse", tool_name="Bash", tool_input={"command": PUSH})).answer
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "Never push to main" in said["hookSpecificOutput"]["permissionDecisionReason"]


def test_a_patch_of_codex_is_an_edit(hook, place: Path):
    """The files that a patch names are checked as those of an edit; a patch to others is not held back."""
    given = codex(place, "PreToolUse", tool_name="apply_patch", tool_input={"command": PATCH})
    assert hook("codex", given).answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    given["tool_input"] = {"command": PATCH.replace("migrations", "source")}
    assert hook("codex", given).answer is None


def test_a_session_of_codex_is_learned_from(hook, place: Path, home: Path):
    """Its rollout is noted at a prompt and kept when it stops; a session without a file leaves none and no error."""
    given = codex(place, "UserPromptSubmit", prompt="go on")
    rollout = Path(str(given["transcript_path"]))
    rollout.parent.mkdir(parents=True)
    content = [{"type": "input_text", "text": "The harbour office opens at 6."}]
    lines = (
        {"type": "session_meta", "payload": {"id": SESSION, "cwd": str(place)}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}},
    )
    at = "2026-11-20T09:00:01Z"
    rollout.write_text("".join(json.dumps({"timestamp": at, **line}) + "\n" for line in lines), "utf-8")
    assert hook("codex", given).code == 0
    assert [noted.format_name for noted in hook_journal.transcripts(home)] == ["codex"]
    assert hook("codex", codex(place, "Stop", stop_hook_active=False)).code == 0
    with open_memory(home) as memory:
        assert [line.turns for line in memory.sessions.list() if line.conversation.name == rollout.stem] == [1]
    assert hook("codex", codex(place, "Stop", transcript_path=None)).err == ""


def test_gemini_recalls_and_denies(hook, place: Path, home: Path):
    """Context is added before the agent plans; a denial stands at the top of the answer; no transcript is noted."""
    said = hook("gemini", gemini(place, "BeforeAgent", prompt="which port does the ferry service use?")).answer
    assert said["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert "port 7070" in said["hookSpecificOutput"]["additionalContext"]
    for tool, given in (
        ("run_shell_command", {"command": PUSH}),
        ("write_file", {"file_path": "migrations/a.py", "content": "print(7070)\n"}),
        ("replace", {"file_path": "migrations/a.py", "old_string": "x", "new_string": "print(7070)\n"}),
    ):
        said = hook("gemini", gemini(place, "BeforeTool", tool_name=tool, tool_input=given)).answer
        assert (said["decision"], said["reason"][:4]) == ("deny", "This")
    for tool, given in (("glob", {"pattern": "*"}), ("run_shell_command", {"command": "git commit -m port"})):
        assert hook("gemini", gemini(place, "BeforeTool", tool_name=tool, tool_input=given)).answer is None
    assert hook_journal.transcripts(home) == ()


def test_cursor_asks_about_a_command_and_denies_an_edit(hook, place: Path):
    """A shell command asks, or is denied where `--deny` was chosen; an edit is denied: Cursor does not ask."""
    shell = cursor(place, "beforeShellExecution", command=PUSH, cwd="")
    said = hook("cursor", shell).answer
    assert said["permission"] == "ask"
    assert "Never push to main" in said["agent_message"]
    assert hook("cursor", shell, "--deny").answer["permission"] == "deny"
    edit = {"file_path": "migrations/a.py", "content": "print(7070)\n"}
    said = hook("cursor", cursor(place, "preToolUse", tool_name="Write", tool_input=edit)).answer
    assert said["permission"] == "deny"
    assert hook("cursor", cursor(place, "beforeShellExecution", command="ls")).answer is None


@pytest.mark.parametrize(
    ("name", "event", "form"), [("codex", "SessionStart", codex), ("gemini", "SessionStart", gemini)]
)
def test_a_session_starts_with_the_approved_rules(hook, place: Path, name, event, form):
    """The rules reach the assistant in the form of the event."""
    said = hook(name, form(place, event, source="startup")).answer["hookSpecificOutput"]
    assert "- Never push to main" in said["additionalContext"]


def test_cursor_starts_with_the_approved_rules(hook, place: Path):
    """Cursor reads the context at the top of the answer."""
    assert "- Never push to main" in hook("cursor", cursor(place, "sessionStart")).answer["additional_context"]


FORMS = {
    "codex": ("PreToolUse", "UserPromptSubmit"),
    "gemini": ("BeforeTool", "BeforeAgent"),
    "cursor": ("preToolUse",),
}
WRONG = [
    (name, data)
    for name, (tool, *prompt) in FORMS.items()
    for data in (
        b"", b"{", b"[]", b"7", b"null", b"\xff\xfe", b'"x"', b"{}", b"[" * 99999,
        b'{"hook_event_name": 7}', b'{"hook_event_name": "Nope"}', b'{"hook_event_name": ""}',
        *(json.dumps({"hook_event_name": tool, **rest}).encode() for rest in (
            {}, {"tool_name": ""}, {"tool_name": 7, "tool_input": {}}, {"tool_name": "x"},
            {"tool_name": "x", "tool_input": "y"}, {"tool_name": "x", "tool_input": None}, {"tool_input": {}},
        )),
        *(json.dumps({"hook_event_name": event, "prompt": said}).encode() for event in prompt for said in ("", 7, [])),
    )
]  # fmt: skip


@pytest.mark.parametrize(("name", "data"), WRONG, ids=lambda part: str(part)[:50])
def test_a_bad_payload_is_said_in_a_sentence_and_blocks_nothing(hook, name, data):
    """The exit code is 1, by which every assistant goes on; stderr has one sentence, stdout nothing."""
    ran = hook(name, data)
    assert (ran.code, ran.answer) == (1, None)
    assert ran.err.startswith("DoPeJar: ")
    assert "Unexpected" not in ran.err


def test_an_unknown_assistant_is_said(hook, place: Path):
    """The names that are answered are listed."""
    ran = hook("emacs", codex(place, "Stop"))
    assert (ran.code, "claude, codex, gemini, cursor" in ran.err) == (1, True)
