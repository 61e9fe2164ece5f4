"""Faults of a transcript that was read.

Takes: a `SourceFile`. Gives: a sentence for each promise of `values/transcript.py` that it breaks. Never: repairs one.
"""

from __future__ import annotations

from collections.abc import Iterator

from dopejar.values.episode import UNPROVEN, Origin
from dopejar.values.transcript import SourceConversation, SourceFile, SourceTurn


def transcript_faults(file: SourceFile) -> tuple[str, ...]:
    """Every fault of a file that was read, as a sentence; empty where there is none."""
    faults = [fault for conversation in file.conversations for fault in _conversation_faults(conversation)]
    turns = [turn for conversation in file.conversations for turn in conversation.turns]
    report = file.report
    if (report.conversations, report.turns) != (len(file.conversations), len(turns)):
        faults.append("the report's counts do not agree with the file")
    if report.user_turns != sum(turn.origin is Origin.USER for turn in turns):
        faults.append("the report's user turns do not agree with the file")
    places = [(conversation.store, conversation.name) for conversation in file.conversations]
    if len(set(places)) != len(places):
        faults.append("two conversations have one name")
    return tuple(faults)


def _conversation_faults(conversation: SourceConversation) -> Iterator[str]:
    turns = conversation.turns
    where = f"conversation {conversation.name!r}"
    if not turns:
        yield f"{where} is empty"
    if any(turn.index != index for index, turn in enumerate(turns)):
        yield f"{where}: its indexes have gaps"
    if len({turn.source_id for turn in turns}) != len(turns) or not all(turn.source_id for turn in turns):
        yield f"{where}: its source ids are not unique"
    if conversation.started_at is not None and conversation.started_at.utcoffset() is None:
        yield f"{where}: its start has no time zone"
    if not _is_storable(conversation.name + conversation.cwd + conversation.branch + conversation.store):
        yield f"{where}: its name or place cannot be stored"
    ids = {turn.source_id for turn in turns}
    if any(turn.parent and turn.parent not in ids for turn in turns):
        yield f"{where}: the parent of a turn is missing"
    for turn in turns:
        for fault in _turn_faults(turn):
            yield f"{where}, turn {turn.index}: {fault}"


def _turn_faults(turn: SourceTurn) -> Iterator[str]:
    if turn.at is not None and turn.at.utcoffset() is None:
        yield "its time has no time zone"
    if not turn.text.strip():
        yield "it has no text"
    if not _is_storable(turn.text + turn.source_id + turn.speaker + turn.note + turn.parent):
        yield "it cannot be stored"
    if turn.origin is Origin.USER and turn.note not in {"", UNPROVEN}:
        yield "a user turn has a note that its words are not the user's"
    edges = [0, *(edge for span in turn.paste for edge in span), len(turn.text)]
    if edges != sorted(edges) or any(start >= end for start, end in turn.paste):
        yield "its pastes are out of order or outside the text"


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
