"""Claude Code's session files, `projects/<cwd>/<uuid>.jsonl`.

Takes: one record per line. Gives: one conversation per session, with tool calls, their results, what the user refused
and what was typed while the assistant worked. Never: takes a summary, a hook, a slash command or a sub-agent's prompt
for the user's words, or a tool's result for anything else because of what it says: only flags of its record do that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dopejar.adapters.transcripts import harness_text
from dopejar.adapters.transcripts.file_decoder import decode, head_records, json_lines
from dopejar.adapters.transcripts.import_draft import THINKING, ConversationDraft, FileDraft, QueuedMessage, TurnHeader
from dopejar.adapters.transcripts.json_fields import (
    Record,
    block_text,
    compact,
    is_true,
    list_in,
    record_in,
    records,
    text_in,
)
from dopejar.values.dates import parse_timestamp
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.transcript import SourceFile

# Records about the session that hold nobody's words, or repeat what another record says.
_NOISE = frozenset(
    (
        *("progress", "file-history-snapshot", "pr-link", "last-prompt", "permission-mode", "mode", "tag", "result"),
        *("custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "worktree-state", "task-summary"),
        *("content-replacement", "attribution-snapshot", "speculation-accept", "bridge-session", "started"),
    )
)
_SESSION_ID = re.compile(r'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_SIGNS = frozenset(("uuid", "sessionId", "parentUuid", "isSidechain", "messageId", "leafUuid"))
_THINKING = frozenset(("thinking", "redacted_thinking"))
_PICTURES = frozenset(("image", "document"))
_WEB = frozenset(("WebFetch", "WebSearch", "web_search", "web_fetch"))
_QUESTION = "AskUserQuestion"  # the program's own tool; tools of servers have other names
_REFUSED, _INTERRUPTED = "user-rejected", "interrupted"  # kinds of denial that are the user's
_REFUSED_BEFORE = "User rejected tool use"  # the result of older versions; a tool's own error begins with "Error: "


class ClaudeCodeFormat:
    """JSONL with `type`, `uuid`, `sessionId` and a `message`."""

    name = "claude-code"

    def recognises(self, path: Path, head: bytes) -> float:
        """High where the first lines are records with a type and the fields that this program gives them."""
        first_records = head_records(head)
        if not first_records:
            return 0.0
        fitting = sum(isinstance(record.get("type"), str) and not _SIGNS.isdisjoint(record) for record in first_records)
        return 0.95 * fitting / len(first_records)

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where no line is a record of this program."""
        decoded = decode(data)
        draft = FileDraft(self.name, path, decoded.damaged)
        first = _SESSION_ID.search(decoded.text)  # records before it belong to it
        reader = _Reader(draft, first.group(1) if first else path.stem)
        for line in json_lines(decoded.text):
            if line.value is None:
                reader.session("").draft.keep_unreadable(line)
            else:
                reader.record(line.value, line.raw, line.number)
        reader.finish()
        return draft.done()


class _Session:
    """What is remembered of one session while its records come in."""

    def __init__(self, draft: ConversationDraft) -> None:
        self.draft = draft
        self.turn_of: dict[str, str] = {}  # record uuid -> source id of its last turn, or of its nearest ancestor's
        self.calls: dict[str, tuple[str, str]] = {}  # tool call id -> (source id of the call, tool name)
        self.queued: list[QueuedMessage] = []


class _Reader:
    """Sends each record to the rule for its type."""

    def __init__(self, draft: FileDraft, default_name: str) -> None:
        self._draft = draft
        self._tally = draft.tally
        self._sessions: dict[str, _Session] = {}
        self._current = default_name
        self._rules: dict[str, Callable[[_Session, Record, TurnHeader], None]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "summary": self._summary,
            "attachment": self._attachment,
            "queue-operation": self._queue,
        }

    def session(self, name: str) -> _Session:
        """The session with this name, the current one where a record names none."""
        self._current = name or self._current
        if self._current not in self._sessions:
            self._sessions[self._current] = _Session(self._draft.conversation(self._current))
        return self._sessions[self._current]

    def record(self, record: Record, raw: str, number: int) -> None:
        """Reads one record."""
        session = self.session(text_in(record, "sessionId"))
        at = parse_timestamp(record.get("timestamp"))
        uuid = text_in(record, "uuid") or f"line-{number}"
        place = TurnHeader(source_id=uuid, at=at, parent=session.turn_of.get(text_in(record, "parentUuid"), ""))
        if not session.draft.cwd:
            session.draft.cwd = text_in(record, "cwd")
        if not session.draft.branch:
            session.draft.branch = text_in(record, "gitBranch")
        kind = text_in(record, "type")
        session.turn_of[uuid] = place.parent
        rule = self._rules.get(kind)
        if rule is not None:
            self._tally.known += 1
            rule(session, record, place)
        elif kind in _NOISE:
            self._tally.known += 1
            self._tally.left_out[kind] += 1
        else:
            session.draft.keep_unknown(place, kind, raw)

    def finish(self) -> None:
        """What was typed while the assistant worked and never delivered is said all the same."""
        for session in self._sessions.values():
            session.draft.insert_user_turn(session.queued)

    def _user(self, session: _Session, record: Record, place: TurnHeader) -> None:
        message = record_in(record, "message")
        place = replace(place, speaker="user")
        content = message.get("content")
        if not isinstance(content, list):
            self._said(session, record, place, [block_text(content)])
            return
        spoken: list[str] = []
        results = sum(isinstance(block, dict) and text_in(block, "type") == "tool_result" for block in content)
        for number, block in enumerate(content):
            kind = text_in(block, "type") if isinstance(block, dict) else "text"
            if kind == "text":
                spoken.append(block_text(block))
            elif kind == "tool_result" and isinstance(block, dict):
                flags = record if results == 1 else {}  # a record's flags speak of its only result
                done = self._tool_result(session, flags, block, _numbered(place, number))
                session.turn_of[text_in(record, "uuid")] = done or place.parent
            elif kind in _PICTURES:
                self._tally.left_out[kind] += 1
            else:
                session.draft.keep_unknown(_numbered(place, number, "b"), f"user block {kind}", compact(block))
        if spoken or not content:
            self._said(session, record, place, [text for text in spoken if text.strip()])

    def _said(self, session: _Session, record: Record, place: TurnHeader, blocks: list[str]) -> None:
        note, text = _harness_note(record), "\n\n".join(blocks)
        if note:
            done = session.draft.add(replace(place, note=note), Origin.SYSTEM, text)
        else:
            self._deliver(session, text)
            done = session.draft.add_user_turn(place, *blocks)
        if done:
            session.turn_of[place.source_id] = done

    def _tool_result(self, session: _Session, flags: Record, block: Record, place: TurnHeader) -> str:
        call, tool = session.calls.get(text_in(block, "tool_use_id"), ("", ""))
        text = block_text(block.get("content"))
        place = replace(place, kind=EpisodeKind.TOOL_RESULT, speaker=tool or "tool", parent=call or place.parent)
        is_error = block.get("is_error")
        if is_error is True and _is_refused(flags):
            self._rejection(session, place, text, has_reason=text_in(flags, "toolDenialKind") == _REFUSED)
            return ""
        outcome = "failure" if is_error is True else "success" if is_error is False else ""
        origin = Origin.FETCHED if tool in _WEB else Origin.TOOL
        done = session.draft.add(replace(place, outcome=outcome), origin, text or "(no output)")
        answers = _typed_answers(flags) if tool == _QUESTION and is_error is not True else []
        for number, answer in enumerate(answers):
            said = TurnHeader(source_id=f"{place.source_id}:answer-{number}", speaker="user", at=place.at, parent=done)
            session.draft.add_user_turn(said, answer)
        return done

    def _rejection(self, session: _Session, place: TurnHeader, text: str, *, has_reason: bool) -> None:
        boilerplate, *reason = harness_text.split_rejection(text)
        if not has_reason:
            boilerplate, reason = replace(boilerplate, text=text), []
        refused = replace(place, outcome="rejected", note=boilerplate.note)
        done = session.draft.add(refused, Origin.SYSTEM, boilerplate.text or "(rejected)")
        for part in reason:
            said = TurnHeader(
                source_id=f"{place.source_id}:said", speaker="user", at=place.at, parent=done, outcome="rejected"
            )
            session.draft.add(said, part.origin, part.text)

    def _assistant(self, session: _Session, record: Record, place: TurnHeader) -> None:
        message = record_in(record, "message")
        content = message.get("content")
        blocks: list[object] = content if isinstance(content, list) else [{"type": "text", "text": block_text(content)}]
        is_harness = is_true(record, "isApiErrorMessage") or text_in(message, "model") == "<synthetic>"
        side = harness_text.SUB_AGENT if is_true(record, "isSidechain") else ""
        note = "harness: program message" if is_harness else side
        place = replace(place, speaker="assistant", note=note)
        for number, block in enumerate(records(blocks)):
            here = _numbered(place, number)
            kind = text_in(block, "type")
            if kind == "text":
                done = session.draft.add(here, Origin.SYSTEM if is_harness else Origin.ASSISTANT, block_text(block))
            elif kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
                done = self._tool_call(session, block, here)
            elif kind.endswith("_tool_result"):
                result = replace(here, kind=EpisodeKind.TOOL_RESULT, speaker=kind.removesuffix("_tool_result"))
                done = session.draft.add(result, Origin.FETCHED, compact(block.get("content")))
            else:
                done = ""
                self._aside(session, block, here, kind)
            if done:
                session.turn_of[text_in(record, "uuid")] = done

    def _tool_call(self, session: _Session, block: Record, place: TurnHeader) -> str:
        tool = text_in(block, "name")
        called = replace(place, kind=EpisodeKind.TOOL_CALL)
        done = session.draft.add(called, Origin.ASSISTANT, f"{tool} {compact(block.get('input') or {})}")
        session.calls[text_in(block, "id")] = (done, tool)
        return done

    def _aside(self, session: _Session, block: Record, place: TurnHeader, kind: str) -> None:
        if kind in _THINKING:
            self._tally.left_out[THINKING] += 1
        elif kind in _PICTURES:
            self._tally.left_out[kind] += 1
        else:
            session.draft.keep_unknown(place, f"assistant block {kind}", compact(block))

    def _system(self, session: _Session, record: Record, place: TurnHeader) -> None:
        subtype = text_in(record, "subtype")
        text = block_text(record.get("content"))
        if not text.strip() or subtype == "compact_boundary":
            self._tally.left_out[f"system {subtype}".strip()] += 1
            return
        note = harness_text.COMMAND if subtype == "local_command" else f"harness: system {subtype}".strip()
        session.draft.add(replace(place, note=note), Origin.SYSTEM, text)

    def _summary(self, session: _Session, record: Record, place: TurnHeader) -> None:
        session.draft.add(replace(place, note=harness_text.SUMMARY), Origin.SYSTEM, text_in(record, "summary"))

    def _attachment(self, session: _Session, record: Record, place: TurnHeader) -> None:
        attachment = record_in(record, "attachment")
        kind = text_in(attachment, "type")
        if kind != "queued_command":
            self._tally.left_out[f"attachment {kind}".strip()] += 1
            return
        text = block_text(attachment.get("prompt"))
        mode = text_in(attachment, "commandMode")
        sender = text_in(record_in(attachment, "origin"), "kind")
        place = replace(place, speaker="user")
        if mode not in {"", "prompt"} or sender not in {"", "human"}:
            session.draft.add(replace(place, note=harness_text.TASK), Origin.SYSTEM, text)
            return
        self._deliver(session, text)
        session.draft.add_user_turn(place, text)

    def _queue(self, session: _Session, record: Record, place: TurnHeader) -> None:
        operation = text_in(record, "operation")
        self._tally.left_out["queue-operation"] += 1
        text = text_in(record, "content")
        if operation == "popAll":  # taken back to be edited: it comes again when it is sent
            session.queued.clear()
        elif operation == "enqueue" and text.strip() and not text.lstrip().startswith('{"task_id"'):
            said = replace(place, speaker="user")
            session.queued.append(QueuedMessage(position=len(session.draft), place=said, text=text))

    def _deliver(self, session: _Session, text: str) -> None:
        for queued in session.queued:
            if queued.text.strip() == text.strip():
                session.queued.remove(queued)
                return


def _numbered(place: TurnHeader, number: int, mark: str = "") -> TurnHeader:
    """The place of a record's further block: the first one keeps the record's id."""
    return place if not number and not mark else replace(place, source_id=f"{place.source_id}:{mark}{number}")


def _is_refused(record: Record) -> bool:
    """Whether the record says by its flags that the user refused the call, so that the tool did not run."""
    return text_in(record, "toolDenialKind") in {_REFUSED, _INTERRUPTED} or (
        record.get("toolUseResult") == _REFUSED_BEFORE
    )


def _harness_note(record: Record) -> str:
    """Why a user record as a whole is not the user's, by its flags; "" where its text has to tell."""
    sender = text_in(record_in(record, "origin"), "kind")
    for is_so, note in (
        (is_true(record, "isCompactSummary"), harness_text.SUMMARY),
        (is_true(record, "isSidechain"), harness_text.SUB_AGENT_PROMPT),
        (is_true(record, "isMeta") or is_true(record, "isVisibleInTranscriptOnly"), "harness: meta"),
        (text_in(record, "promptSource") == "system", "harness: meta"),
        (bool(text_in(record, "sourceToolUseID")), harness_text.SKILL),
        (bool(text_in(record, "planContent")), "harness: plan"),
        (sender not in {"", "human"}, f"harness: {sender}"),
    ):
        if is_so:
            return note
    return ""


def _typed_answers(record: Record) -> list[str]:
    """The answers to the assistant's questions that the user typed instead of choosing one that was offered."""
    result = record_in(record, "toolUseResult")
    offered = {
        text_in(option, "label")
        for question in records(list_in(result, "questions"))
        for option in records(list_in(question, "options"))
    }
    answers = [answer for answer in record_in(result, "answers").values() if isinstance(answer, str)]
    return [answer for answer in answers if answer.strip() and not _is_choice(answer, offered)]


def _is_choice(answer: str, offered: set[str]) -> bool:
    return answer in offered or all(part in offered for part in answer.split(", "))
