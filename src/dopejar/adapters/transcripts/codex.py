"""Codex's rollout files, `sessions/YYYY/MM/DD/rollout-*.jsonl`.

Takes: records of `{timestamp, type, payload}`, and the bare items of older versions. Gives: one conversation per file
with its working directory and branch. Never: repeats a message that is recorded both as an item and as an event, or
takes the prompt of a sub-agent for the user's words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dopejar.adapters.transcripts import harness_text
from dopejar.adapters.transcripts.file_decoder import decode, head_records, json_lines, parse_json
from dopejar.adapters.transcripts.import_draft import THINKING, ConversationDraft, FileDraft, QueuedMessage, TurnHeader
from dopejar.adapters.transcripts.json_fields import Record, block_text, compact, record_in, text_in
from dopejar.values.dates import parse_timestamp
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.transcript import SourceFile

_ENVELOPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_CALLS = frozenset(("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"))
_RESULTS = frozenset(("function_call_output", "custom_tool_call_output", "local_shell_call_output"))
_ITEMS = _CALLS | _RESULTS | {"message", "reasoning", "ghost_snapshot"}
_OTHER_THREADS = frozenset(("subagent", "memory_consolidation"))  # no person speaks in them
_CALL_FIELDS = ("arguments", "input", "action", "query")


class CodexFormat:
    """JSONL with an envelope around each item."""

    name = "codex"

    def recognises(self, path: Path, head: bytes) -> float:
        """High where the first lines are such envelopes; likely for items under the program's file name."""
        records = head_records(head)
        if not records:
            return 0.0
        enveloped = sum(text_in(record, "type") in _ENVELOPES and "payload" in record for record in records)
        bare = sum(text_in(record, "type") in _ITEMS for record in records)
        certainty = 0.95 if path.name.startswith("rollout-") else 0.6
        return max(0.96 * enveloped, certainty * bare) / len(records)

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where no line is an item or an envelope."""
        decoded = decode(data)
        draft = FileDraft(self.name, path, decoded.damaged)
        reader = _Reader(draft, draft.conversation(path.stem))
        for line in json_lines(decoded.text):
            if line.value is None:
                reader.conversation.keep_unreadable(line)
            else:
                reader.record(line.value, line.raw, line.number)
        reader.finish()
        return draft.done()


class _Reader:
    """Dispatches each record by its type."""

    def __init__(self, draft: FileDraft, conversation: ConversationDraft) -> None:
        self.conversation = conversation
        self._tally = draft.tally
        self._said: list[str] = []  # user messages from items, until an event repeats them
        self._announced: list[QueuedMessage] = []  # what only events told so far
        self._calls: dict[str, str] = {}
        self._rules: dict[str, Callable[[Record, TurnHeader, str], None]] = {
            "session_meta": self._meta,
            "response_item": self._item,
            "event_msg": self._event,
            "turn_context": self._context,
            "compacted": self._compacted,
        }

    def record(self, record: Record, raw: str, number: int) -> None:
        """Reads one record."""
        kind = text_in(record, "type")
        place = TurnHeader(source_id=str(number), at=parse_timestamp(record.get("timestamp")))
        rule = self._rules.get(kind)
        if rule is not None and isinstance(record.get("payload"), dict):
            self._tally.known += 1
            rule(record_in(record, "payload"), place, raw)
        elif kind in _ITEMS:
            self._tally.known += 1
            self._item(record, place, raw)
        elif "type" not in record and ("instructions" in record or "record_type" in record):
            self._meta(record, place, raw)  # the older versions' first line, and their state marks
        else:
            self.conversation.keep_unknown(place, kind, raw)

    def finish(self) -> None:
        """Insert the user messages that only events recorded."""
        self.conversation.insert_user_turn(self._announced)

    def _meta(self, payload: Record, place: TurnHeader, raw: str) -> None:
        del raw
        self.conversation.started(parse_timestamp(payload.get("timestamp")) or place.at)
        if _is_sub_agent(payload):  # for good: a fork repeats the record of its parent, which is the user's own thread
            self.conversation.prompt_note = harness_text.SUB_AGENT_PROMPT
        self.conversation.cwd = self.conversation.cwd or text_in(payload, "cwd")
        self.conversation.branch = self.conversation.branch or text_in(record_in(payload, "git"), "branch")
        self._tally.left_out["session_meta"] += 1

    def _context(self, payload: Record, place: TurnHeader, raw: str) -> None:
        del place, raw
        self.conversation.cwd = self.conversation.cwd or text_in(payload, "cwd")
        self._tally.left_out["turn_context"] += 1

    def _compacted(self, payload: Record, place: TurnHeader, raw: str) -> None:
        del raw
        self.conversation.add(replace(place, note=harness_text.SUMMARY), Origin.SYSTEM, text_in(payload, "message"))

    def _event(self, payload: Record, place: TurnHeader, raw: str) -> None:
        """Events repeat the items; only a user message that no item has is kept."""
        del raw
        kind = text_in(payload, "type")
        self._tally.left_out[f"event {kind}".strip()] += 1
        text = text_in(payload, "message").strip()
        if kind != "user_message" or not text:
            return
        if text in self._said:
            self._said.remove(text)
        else:
            place = replace(place, speaker="user")
            self._announced.append(QueuedMessage(position=len(self.conversation), place=place, text=text))

    def _item(self, payload: Record, place: TurnHeader, raw: str) -> None:
        kind = text_in(payload, "type")
        if kind == "message":
            self._message(payload, place)
        elif kind == "reasoning":
            self._tally.left_out[THINKING] += 1
        elif kind == "ghost_snapshot":
            self._tally.left_out[kind] += 1
        elif kind in _CALLS:
            self._call(payload, place, kind)
        elif kind in _RESULTS:
            self._result(payload, place)
        else:
            self.conversation.keep_unknown(place, f"item {kind}", raw)

    def _message(self, payload: Record, place: TurnHeader) -> None:
        role = text_in(payload, "role")
        text = block_text(payload.get("content"))
        place = replace(place, speaker=role)
        if role == "user":
            self._user(place, text)
        elif role == "assistant":
            note = harness_text.SUB_AGENT if self.conversation.prompt_note else ""
            self.conversation.add(replace(place, note=note), Origin.ASSISTANT, text)
        elif role in {"system", "developer"}:
            self.conversation.add(replace(place, note=harness_text.INSTRUCTIONS), Origin.SYSTEM, text)
        else:
            self.conversation.keep_unknown(place, f"message by {role or 'nobody'}", text)

    def _user(self, place: TurnHeader, text: str) -> None:
        said = text.strip()
        announced = next((entry for entry in self._announced if entry.text == said), None)
        if announced is not None:
            self._announced.remove(announced)
        elif said:
            self._said.append(said)
        self.conversation.add_user_turn(place, text)

    def _call(self, payload: Record, place: TurnHeader, kind: str) -> None:
        tool = text_in(payload, "name") or kind.removesuffix("_call")
        given = next((payload[key] for key in _CALL_FIELDS if payload.get(key)), "")
        called = replace(place, kind=EpisodeKind.TOOL_CALL, speaker="assistant")
        self._calls[text_in(payload, "call_id", "id")] = self.conversation.add(
            called, Origin.ASSISTANT, f"{tool} {compact(given)}"
        )

    def _result(self, payload: Record, place: TurnHeader) -> None:
        text, outcome = _output(payload.get("output"))
        call = self._calls.get(text_in(payload, "call_id"), "")
        result = replace(place, kind=EpisodeKind.TOOL_RESULT, speaker="tool", parent=call, outcome=outcome)
        self.conversation.add(result, Origin.TOOL, text or "(no output)")


def _is_sub_agent(session: Record) -> bool:
    """Whether an agent or the program started the thread, by the flags of its first record.

    `source` is a name ("cli", "vscode") in a person's thread, and an object for a sub-agent, with its kind; only
    `custom` is a client's own name for itself.
    """
    source = session.get("source")
    is_spawned = isinstance(source, dict) and set(source) != {"custom"}
    is_spawned = is_spawned or (isinstance(source, str) and source.startswith("subagent"))
    is_other = text_in(session, "thread_source") in _OTHER_THREADS
    return is_spawned or is_other or bool(text_in(session, "parent_thread_id", "agent_role", "agent_nickname"))


def _output(value: object) -> tuple[str, str]:
    """The text of a tool's output and its outcome; newer versions wrap both in JSON, as a string or as an object."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = parse_json(value)
        except ValueError:
            return str(value), ""
    if not isinstance(value, dict):
        return block_text(value), ""
    text = block_text(value.get("output")) or block_text(value.get("content")) or compact(value)
    code = record_in(value, "metadata").get("exit_code")
    succeeded = value.get("success", code == 0 if isinstance(code, int) else None)
    return text, "success" if succeeded is True else "failure" if succeeded is False else ""
