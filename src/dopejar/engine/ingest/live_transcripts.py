"""Transcripts of conversations that are going on: their turns are kept as live turns.

Takes: a transcript that its program still writes. Gives: what became of each turn that the store does not hold. Never:
learns from them; that is done when the conversation ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.live_turns import LONGEST, Observed, find_live_conversation, observe_all
from dopejar.ports.store import ReadView
from dopejar.values.ids import TraceId, episode_id
from dopejar.values.transcript import LiveTurn, SourceConversation, SourceTurn


def observe_transcript(
    deps: Dependencies, path: Path, format_name: str | None, trace_id: TraceId
) -> tuple[Observed, ...]:
    """Append what a transcript file holds and the store does not, as live turns; nothing is learned yet.

    Speakers, project and ids are those of an import of the file: a text that a program put in the user's place is known
    by the flags of its record.

    Raises:
        InputError: the file cannot be read in this format, or in any where none is named.
    """
    source = deps.read_transcript(path, format_name)
    observed: list[Observed] = []
    for conversation in source.conversations:
        turns = [_live_turn(turn, conversation, source.report.format, path) for turn in _dated(conversation)]
        with deps.store.read() as view:
            known = _known_ids(view, turns)
        new = [turn for turn in turns if turn.source_id not in known]
        for start in range(0, len(new), deps.batch):
            observed += observe_all(deps, new[start : start + deps.batch], trace_id)
    return tuple(observed)


def _dated(conversation: SourceConversation) -> Iterator[SourceTurn]:
    """The turns; one without a time has that of the turn before it, or of the beginning, as an import gives it.

    The conversation may be older than the first look at it, so it is not dated now unless it has no time at all.
    """
    at = conversation.started_at or next((turn.at for turn in conversation.turns if turn.at), None)
    for turn in conversation.turns:
        at = turn.at or at
        yield replace(turn, at=at)


def _live_turn(turn: SourceTurn, conversation: SourceConversation, format_name: str, path: Path) -> LiveTurn:
    return LiveTurn(
        conversation=conversation.name,
        source_id=turn.source_id,
        text=turn.text[:LONGEST],
        origin=turn.origin,
        at=turn.at,
        kind=turn.kind,
        speaker=turn.speaker,
        outcome=turn.outcome,
        parent=turn.parent,
        note=turn.note,
        format=format_name,
        store=conversation.store,
        path=str(path),
        cwd=conversation.cwd,
    )


def _known_ids(view: ReadView, turns: Sequence[LiveTurn]) -> set[str]:
    """The source ids of those of a conversation's turns that are kept."""
    conversation = find_live_conversation(view, turns[0]) if turns else None
    if conversation is None:
        return set()
    ids = {episode_id(conversation, turn.source_id): turn.source_id for turn in turns}
    return {ids[known] for known in view.episodes(tuple(ids))}
