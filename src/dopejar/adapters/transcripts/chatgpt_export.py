"""ChatGPT's data export, `conversations.json`: a tree of messages per conversation.

Takes: one conversation or a list of them. Gives: the branch that the user saw last, from the root to `current_node`.
Never: mixes branches; messages of other branches are counted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dopejar.adapters.transcripts.file_decoder import decode, head_text, parse_json
from dopejar.adapters.transcripts.import_draft import THINKING, ConversationDraft, FileDraft, TurnHeader
from dopejar.adapters.transcripts.json_fields import Record, compact, is_true, list_in, record_in, text_in
from dopejar.errors import InputError
from dopejar.values.dates import parse_timestamp
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.transcript import SourceFile

_ORIGINS = {
    "user": Origin.USER,
    "assistant": Origin.ASSISTANT,
    "tool": Origin.TOOL,
    "system": Origin.SYSTEM,
}
_THINKING = frozenset(("thoughts", "reasoning_recap"))
_FETCHED = frozenset(("tether_quote", "tether_browsing_display", "sonic_webpage"))
_WEB_TOOLS = ("browser", "web", "myfiles_browser")
_TEXT_FIELDS = ("text", "result", "user_profile", "user_instructions", "model_set_context")
_SETTINGS = frozenset(("user_editable_context", "model_editable_context"))


class ChatGptExportFormat:
    """JSON with a `mapping` of nodes and a `current_node`."""

    name = "chatgpt-export"

    def recognises(self, path: Path, head: bytes) -> float:
        """Certain where a JSON document has a mapping of messages near its beginning."""
        text = head_text(head).lstrip()
        if text[:1] not in {"[", "{"}:
            return 0.0
        if '"mapping"' in text and ('"current_node"' in text or '"parent"' in text):
            return 0.96
        return 0.3 if path.name == "conversations.json" and '"create_time"' in text else 0.0

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where it is no JSON or has no such tree."""
        decoded = decode(data)
        draft = FileDraft(self.name, path, decoded.damaged)
        for number, conversation in enumerate(whole_document(path, decoded.text), start=1):
            if isinstance(conversation, dict) and isinstance(conversation.get("mapping"), dict):
                draft.tally.known += 1
                _read_conversation(draft, number, conversation)
            else:
                header = TurnHeader(source_id=f"item-{number}")
                draft.conversation(path.stem).keep_unknown(header, "item without a mapping", compact(conversation))
        return draft.done()


def whole_document(path: Path, text: str) -> list[object]:
    """The conversations of a JSON document: its list, the list under `conversations`, or itself as the only one.

    Raises InputError, with the reason, where the text is not one JSON document.
    """
    try:
        document = parse_json(text.strip())
    except ValueError as fault:
        raise InputError(
            f"{path}: the file is {fault}. An export is one JSON document and cannot be read in part; export it again."
        ) from fault
    if isinstance(document, dict):
        return list_in(document, "conversations") or [document]
    return document if isinstance(document, list) else [document]


def _read_conversation(draft: FileDraft, number: int, record: Record) -> None:
    name = text_in(record, "conversation_id", "id", "title") or f"conversation-{number}"
    conversation = draft.conversation(name)
    conversation.started(parse_timestamp(record.get("create_time")))
    nodes = {key: node for key, node in record_in(record, "mapping").items() if isinstance(node, dict)}
    path = _path(nodes, text_in(record, "current_node"))
    on_path = set(path)
    beside = sum(bool(record_in(node, "message")) for key, node in nodes.items() if key not in on_path)
    if beside:
        draft.tally.left_out["message of another branch"] += beside
    parent = ""
    for key in path:
        message = record_in(nodes[key], "message")
        if message:
            place = TurnHeader(source_id=text_in(message, "id") or key, parent=parent)
            parent = _read_message(draft, conversation, place, message) or parent


def _path(nodes: dict[str, Record], current: str) -> list[str]:
    """The keys from the root to the current node; without one, to the last leaf."""
    if current not in nodes:
        leaves = [key for key, node in nodes.items() if not list_in(node, "children")]
        current = leaves[-1] if leaves else next(reversed(nodes), "")
    path: dict[str, None] = {}
    while current in nodes and current not in path:  # a damaged tree may run in a circle
        path[current] = None
        current = text_in(nodes[current], "parent")
    return list(reversed(path))


def _read_message(draft: FileDraft, conversation: ConversationDraft, place: TurnHeader, message: Record) -> str:
    author = record_in(message, "author")
    role = text_in(author, "role")
    content = record_in(message, "content")
    kind = text_in(content, "content_type")
    if kind in _THINKING:
        draft.tally.left_out[THINKING] += 1
        return ""
    place = replace(place, at=parse_timestamp(message.get("create_time")), speaker=text_in(author, "name") or role)
    text = _text(draft, content)
    if not text.strip():
        draft.tally.left_out["message without text"] += 1
        return ""
    if role not in _ORIGINS:
        conversation.keep_unknown(place, f"message by {role or 'nobody'}", text)
        return place.source_id
    if kind in _SETTINGS or is_true(record_in(message, "metadata"), "is_visually_hidden_from_conversation"):
        return conversation.add(replace(place, note="harness: custom instructions"), Origin.SYSTEM, text)
    if role == "user":
        return conversation.add_user_turn(place, text)
    return conversation.add(_as_call_or_result(place, role, message), _origin(role, kind, place.speaker), text)


def _origin(role: str, kind: str, speaker: str) -> Origin:
    if kind in _FETCHED or (role == "tool" and speaker.startswith(_WEB_TOOLS)):
        return Origin.FETCHED
    return _ORIGINS[role]


def _as_call_or_result(place: TurnHeader, role: str, message: Record) -> TurnHeader:
    if role == "tool":
        return replace(place, kind=EpisodeKind.TOOL_RESULT)
    if role == "assistant" and text_in(message, "recipient") not in {"", "all"}:
        return replace(place, kind=EpisodeKind.TOOL_CALL)
    return place


def _text(draft: FileDraft, content: Record) -> str:
    """The words of a message: its parts, or the one field that its kind of content has."""
    texts = []
    for part in list_in(content, "parts"):
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            spoken = text_in(part, "text")  # a transcribed voice message
            if spoken:
                texts.append(spoken)
            else:
                draft.tally.left_out[text_in(part, "content_type") or "part"] += 1
    if not texts:
        texts = [text_in(content, field) for field in _TEXT_FIELDS]
    return "\n\n".join(text for text in texts if text.strip())
