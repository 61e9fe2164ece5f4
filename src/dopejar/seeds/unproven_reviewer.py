"""Reviewers who are only a name: what they say is recorded, and decides nothing.

Takes: a name, and what was to be decided. Gives: an episode. Never: trust in a name.
"""

from __future__ import annotations

from dopejar.engine.memory import Memory
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.ids import new_trace_id
from dopejar.values.transcript import LiveTurn

CONVERSATION = "decisions by name"


def record_wish(memory: Memory, name: str, wish: str) -> None:
    """Keep what somebody of this name wants to be decided, as a note of the program: nothing is learned from it."""
    trace = new_trace_id()
    turn = LiveTurn(
        conversation=CONVERSATION,
        source_id=trace,
        text=f"{name} wants: {wish}. Nobody proved to be {name}, so it was not decided.",
        origin=Origin.SYSTEM,
        kind=EpisodeKind.DECISION,
        speaker=name,
    )
    memory.observe(turn, trace_id=trace)
