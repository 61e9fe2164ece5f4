"""Claude.ai's data export: conversations with their `chat_messages`.

Takes: one conversation or a list of them. Gives: turns in their order; attached files as turns of their own. Never:
takes the text of an attachment for the user's words.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dopejar.adapters.transcripts.chatgpt_export import whole_document
from dopejar.adapters.transcripts.file_decoder import decode, head_text
from dopejar.adapters.transcripts.import_draft import THINKING, ConversationDraft, FileDraft, TurnHeader
from dopejar.adapters.transcripts.json_fields import Record, block_text, compact, list_in, records, text_in
from dopejar.values.dates import parse_timestamp
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.transcript import SourceFile

_USERS = frozenset(("human", "user"))


class ClaudeExportFormat:
    """JSON with `chat_messages`, each by a `sender`."""

    name = "claude-export"

    def recognises(self, path: Path, head: bytes) -> float:
        """Certain where a JSON document has chat messages near its beginning."""
        del path
        text = head_text(head).lstrip()
        return 0.96 if text[:1] in {"[", "{"} and '"chat_messages"' in text else 0.0

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where it is no JSON or has no such messages."""
        decoded = decode(data)
        draft = FileDraft(self.name, path, decoded.damaged)
        for number, conversation in enumerate(whole_document(path, decoded.text), start=1):
            if isinstance(conversation, dict) and isinstance(conversation.get("chat_messages"), list):
                draft.tally.known += 1
                _read_conversation(draft, number, conversation)
            else:
                header = TurnHeader(source_id=f"item-{number}")
                draft.conversation(path.stem).keep_unknown(header, "item without messages", compact(conversation))
        return draft.done()


def _read_conversation(draft: FileDraft, number: int, record: Record) -> None:
    conversation = draft.conversation(text_in(record, "uuid", "name") or f"conversation-{number}")
    conversation.started(parse_timestamp(record.get("created_at")))
    for place, message in enumerate(list_in(record, "chat_messages")):
        if isinstance(message, dict):
            _read_message(draft, conversation, place, message)
        else:
            conversation.keep_unknown(TurnHeader(source_id=f"message-{place}"), "message", compact(message))


def _read_message(draft: FileDraft, conversation: ConversationDraft, number: int, message: Record) -> None:
    sender = text_in(message, "sender", "role").lower()
    place = TurnHeader(
        source_id=text_in(message, "uuid") or f"message-{number}",
        speaker="user" if sender in _USERS else sender,
        at=parse_timestamp(message.get("created_at")),
        parent=text_in(message, "parent_message_uuid"),
    )
    if sender not in _USERS | {"assistant"}:
        conversation.keep_unknown(place, f"message by {sender or 'nobody'}", _said(message) or compact(message))
        return
    if sender == "assistant":
        _read_reply(draft, conversation, place, message)
    else:
        conversation.add_user_turn(place, _said(message))
    for at, attachment in enumerate(records(list_in(message, "attachments"))):
        name = text_in(attachment, "file_name") or "attachment"
        file = replace(
            place, source_id=f"{place.source_id}:file-{at}", kind=EpisodeKind.FILE, note=f"harness: attachment {name}"
        )
        conversation.add(file, Origin.SYSTEM, text_in(attachment, "extracted_content"))


def _said(message: Record) -> str:
    """The words of a message: its text blocks, else its `text`."""
    blocks = [text_in(block, "text") for block in records(list_in(message, "content")) if _kind(block) == "text"]
    return "\n\n".join(text for text in blocks if text) or text_in(message, "text")


def _kind(block: Record) -> str:
    return text_in(block, "type") or "text"


def _read_reply(draft: FileDraft, conversation: ConversationDraft, place: TurnHeader, message: Record) -> None:
    blocks = records(list_in(message, "content"))
    if not any(_kind(block) != "text" or text_in(block, "text") for block in blocks):
        conversation.add(place, Origin.ASSISTANT, text_in(message, "text"))
        return
    for number, block in enumerate(blocks):
        here = place if not number else replace(place, source_id=f"{place.source_id}:{number}")
        kind = _kind(block)
        tool = text_in(block, "name")
        if kind == "text":
            conversation.add(here, Origin.ASSISTANT, text_in(block, "text"))
        elif kind == "thinking":
            draft.tally.left_out[THINKING] += 1
        elif kind == "tool_use":
            call = f"{tool} {compact(block.get('input') or {})}"
            conversation.add(replace(here, kind=EpisodeKind.TOOL_CALL), Origin.ASSISTANT, call)
        elif kind == "tool_result":
            origin = Origin.FETCHED if tool.startswith("web_") else Origin.TOOL
            result = block_text(block.get("content")) or compact(block.get("content"))
            conversation.add(replace(here, kind=EpisodeKind.TOOL_RESULT, speaker=tool or "tool"), origin, result)
        elif kind in {"token_budget", "flag"}:
            draft.tally.left_out[kind] += 1
        else:
            conversation.keep_unknown(here, f"block {kind}", compact(block))
