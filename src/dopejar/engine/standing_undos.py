"""Words that an undo took back: they stay unread until a person brings back what they said.

Takes: a view, a conversation and its turns. Gives: ranges that are not to be learned from. Never: words of a memory
that stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.engine.corrections.checkpoint import read_of
from dopejar.ports.store import ReadView
from dopejar.values.episode import Episode
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.record import EvidenceRole

Spans = tuple[tuple[int, int], ...]


def taken_back(view: ReadView, conversation: ConversationId, turns: Sequence[Episode]) -> dict[EpisodeId, Spans]:
    """Ranges of the turns that an undo took back, by turn; the turns are whole where the conversation was undone.

    Else they are the words of memories that rest on them no more. What was said after the undo is not among them.
    """
    read = read_of(view, conversation)
    undone = read.taken_back if read else 0
    ids = tuple(turn.id for turn in turns)
    rows = [row for found in view.evidence_of(view.resting_on(ids)).values() for row in found]
    standing = {(row.episode_id, row.start, row.end) for row in rows if row.role is EvidenceRole.ASSERTS}
    spans: dict[EpisodeId, dict[tuple[int, int], None]] = {}
    for row in rows:
        if row.role is EvidenceRole.WITHDRAWN and (row.episode_id, row.start, row.end) not in standing:
            spans.setdefault(row.episode_id, {})[row.start, row.end] = None
    found = {one: tuple(sorted(spans[one])) for one in ids if one in spans}
    whole = {turn.id: ((0, len(turn.text)),) for turn in turns if turn.index < undone}
    return {**found, **whole}
