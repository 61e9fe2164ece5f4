"""The neutral format: JSONL of `{role, content, ts}`, or of `{store, session, turn_id, index, speaker, role, text}`.

Takes: one turn per line, either shape, also mixed; a JSON list of such turns too. Gives: a conversation per file, or
per session of a store. Never: takes a program's text for the user's because a line calls its role `user`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dopejar.adapters.transcripts.file_decoder import JsonLine, decode, head_records, json_lines, parse_json
from dopejar.adapters.transcripts.import_draft import ConversationDraft, FileDraft, TurnHeader
from dopejar.adapters.transcripts.json_fields import Record, block_text, compact, list_in, text_in
from dopejar.values.dates import parse_timestamp
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.transcript import SourceFile

_ORIGINS = {
    "user": Origin.USER,
    "human": Origin.USER,
    "assistant": Origin.ASSISTANT,
    "ai": Origin.ASSISTANT,
    "agent": Origin.ASSISTANT,
    "bot": Origin.ASSISTANT,
    "model": Origin.ASSISTANT,
    "other": Origin.OTHER,
    "tool": Origin.TOOL,
    "function": Origin.TOOL,
    "system": Origin.SYSTEM,
    "developer": Origin.SYSTEM,
    "fetched": Origin.FETCHED,
}
_TEXTS = ("text", "content", "message")
_TIMES = ("ts", "timestamp", "at", "time", "date", "session_time", "created_at")


class NeutralFormat:
    """One turn per line, with its role and its text."""

    name = "neutral"

    def recognises(self, path: Path, head: bytes) -> float:
        """High where most of the first lines have a role and a text, and none of another format's marks."""
        records = head_records(head)
        if not records:
            return 0.4 if path.suffix == ".json" and head.lstrip()[:1] == b"[" and b'"role"' in head else 0.0
        fitting = sum(_is_turn(record) for record in records)
        return 0.9 * fitting / len(records)

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where no line is a turn."""
        decoded = decode(data)
        draft = FileDraft(self.name, path, decoded.damaged)
        current = draft.conversation(path.stem)
        for line in _lines(decoded.text):
            if line.value is None:
                current.keep_unreadable(line)
                continue
            if "turn_id" in line.value or "session" in line.value:
                session = text_in(line.value, "session", "session_id") or path.stem
                current = draft.conversation(session, store=text_in(line.value, "store"))
            _add(draft, current, line, line.value)
        return draft.done()


def _lines(text: str) -> Iterator[JsonLine]:
    """The lines of a JSONL text, or the items of one JSON list (or of its `messages`) as if each were a line."""
    whole: object = None
    if text.lstrip()[:1] == "[" or '"messages"' in text[:2000]:
        try:
            whole = parse_json(text.strip())
        except ValueError:
            whole = None
    if isinstance(whole, dict):
        whole = list_in(whole, "messages") or None
    if not isinstance(whole, list):
        yield from json_lines(text)
        return
    for number, item in enumerate(whole, start=1):
        if isinstance(item, dict):
            yield JsonLine(number=number, raw=compact(item), value=item)
        else:
            yield JsonLine(number=number, raw=compact(item), value=None, problem="JSON, but not an object")


def _is_turn(record: Record) -> bool:
    has_text = any(key in record for key in _TEXTS[:2])
    return has_text and isinstance(record.get("role"), str) and "payload" not in record


def _add(draft: FileDraft, conversation: ConversationDraft, line: JsonLine, record: Record) -> None:
    source_id = text_in(record, "turn_id", "id") or str(line.number - 1)
    at = next((time for time in (parse_timestamp(record.get(key)) for key in _TIMES) if time is not None), None)
    if "role" not in record and "speaker" not in record:
        conversation.keep_unknown(TurnHeader(source_id=source_id, at=at), "line without a role", line.raw)
        return
    role = text_in(record, "role").strip().lower()
    origin = _ORIGINS.get(role, Origin.OTHER if not role else Origin.SYSTEM)
    text = next((text for text in (block_text(record.get(key)) for key in _TEXTS) if text), "")
    draft.tally.known += 1
    conversation.started(at)
    place = TurnHeader(
        source_id=source_id,
        speaker=_speaker(record, role, origin),
        at=at,
        note="" if role in _ORIGINS or not role else f"unknown role: {role}",
        kind=EpisodeKind.TOOL_RESULT if origin is Origin.TOOL else EpisodeKind.TURN,
    )
    if place.note:
        draft.tally.unknown[place.note] += 1
    if origin is Origin.USER:
        conversation.add_user_turn(place, text)
    else:
        conversation.add(place, origin, text)


def _speaker(record: Record, role: str, origin: Origin) -> str:
    """The speaker's name; where none is given the role, but nobody for a role that names no one."""
    given = text_in(record, "speaker", "name")
    if given or origin is Origin.OTHER:
        return given
    return role
