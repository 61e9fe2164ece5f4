"""The assistants whose hooks are answered: how each names its events and reads an answer.

Takes: a payload in the form that an assistant documents. Gives: the same with the names of Claude Code, and answers in
the assistant's own form. Never: answers that a call is allowed; that is for the assistant and its user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Payload = Mapping[str, object]
_NEVER_ASK: Final = frozenset({"dontAsk", "bypassPermissions"})  # permission modes of Claude Code and Codex
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """An assistant. `events` gives the event here for each of its own names; `asking` are those that can ask a person.

    `transcripts` is the format of its transcripts, "" where none is read; `tells_compaction` whether it says when a
    session is shortened, and with it what was told; `adds_to_calls` whether it reads a text that is added to a call.
    """

    name: str
    transcripts: str = ""
    events: Mapping[str, str] = field(default_factory=dict)
    asking: frozenset[str] = frozenset()
    tells_compaction: bool = False
    adds_to_calls: bool = False

    def event(self, payload: Payload) -> str:
        """What the event of a payload is called here."""
        name = str(payload.get("hook_event_name"))
        return self.events.get(name, name)

    def session(self, payload: Payload) -> object:
        """The name of the session, as its transcript gives it."""
        return payload.get("session_id")

    def place(self, payload: Payload) -> object:
        """The directory that the assistant works in."""
        return payload.get("cwd")

    def call(self, payload: Payload) -> tuple[object, object]:
        """The tool's name and its arguments."""
        return payload.get("tool_name"), payload.get("tool_input")

    def asks(self, payload: Payload) -> bool:
        """Whether a person is asked about a tool call before it runs."""
        return payload.get("hook_event_name") in self.asking and payload.get("permission_mode") not in _NEVER_ASK

    def context(self, payload: Payload, text: str) -> str:
        """The answer that adds a text to what the assistant reads; "" for an empty text."""
        return _specific(payload, {"additionalContext": text}) if text else ""

    def decision(self, payload: Payload, decision: str, reason: str) -> str:
        """The answer that decides about a tool call."""
        return _specific(payload, {"permissionDecision": decision, "permissionDecisionReason": reason})


class Codex(Host):
    """Codex: the form of Claude Code; edits come as patches."""

    def session(self, payload: Payload) -> object:
        """A rollout is named after the session, with its time before."""
        return str(payload.get("transcript_path") or "").rpartition("/")[2].removesuffix(".jsonl")

    def call(self, payload: Payload) -> tuple[object, object]:
        """A patch names its files within."""
        tool, given = payload.get("tool_name"), payload.get("tool_input")
        if tool != "apply_patch" or not isinstance(given, dict):
            return tool, given
        patch = str(given.get("command", given.get("patch", "")))
        return tool, {"patch": patch, "files": [{"path": path} for path in _PATCHED.findall(patch)]}


class Gemini(Host):
    """Gemini CLI: a decision stands at the top of the answer."""

    def decision(self, payload: Payload, decision: str, reason: str) -> str:
        """The answer that decides about a tool call."""
        del payload
        return json.dumps({"decision": decision, "reason": reason})


class Cursor(Host):
    """Cursor: a shell command has an event of its own, and the directory may be named as a workspace."""

    def session(self, payload: Payload) -> object:
        """The name of the conversation."""
        return payload.get("conversation_id")

    def place(self, payload: Payload) -> object:
        """The directory of the command, or the first of the workspace."""
        roots = payload.get("workspace_roots")
        return payload.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)

    def call(self, payload: Payload) -> tuple[object, object]:
        """The tool call; a command of a shell is one."""
        command = payload.get("command")
        return ("Shell", {"command": command}) if isinstance(command, str) else Host.call(self, payload)

    def context(self, payload: Payload, text: str) -> str:
        """The answer that adds a text to what the assistant reads; "" for an empty text."""
        del payload
        return json.dumps({"additional_context": text}) if text else ""

    def decision(self, payload: Payload, decision: str, reason: str) -> str:
        """The answer that decides about a tool call."""
        del payload
        return json.dumps({"permission": decision, "user_message": reason, "agent_message": reason})


def _specific(payload: Payload, fields: Mapping[str, str]) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": payload.get("hook_event_name"), **fields}})


HOSTS: Final[Mapping[str, Host]] = {
    host.name: host
    for host in (
        Host(
            name="claude",
            transcripts="claude-code",
            asking=frozenset({"PreToolUse"}),
            tells_compaction=True,
            adds_to_calls=True,
        ),
        Codex(name="codex", transcripts="codex", tells_compaction=True, adds_to_calls=True),
        Gemini(name="gemini", events={"BeforeAgent": "UserPromptSubmit", "BeforeTool": "PreToolUse"}),
        Cursor(
            name="cursor",
            events={
                "sessionStart": "SessionStart",
                "preToolUse": "PreToolUse",
                "beforeShellExecution": "PreToolUse",
            },
            asking=frozenset({"beforeShellExecution"}),
        ),
    )
}
