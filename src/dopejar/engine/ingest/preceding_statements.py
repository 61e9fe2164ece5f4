"""What was told to the memory before a direct statement, on the same day.

Takes: a snapshot, and a statement or its time. Gives: its time after all that was told before, and the last statements
that it may lean on or correct. Never: those of another speaker or project.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dopejar.engine.ingest.turn_episodes import time_after
from dopejar.engine.ingest.turn_extraction import TurnInput
from dopejar.ports.store import ReadView
from dopejar.values.episode import WITHHELD, Episode, Origin
from dopejar.values.ids import ConversationId

_JUST_SAID, _SOON = 4, timedelta(hours=1)  # direct statements before one that it may be about
_DATED_BEFORE = 1000  # direct statements of a day that a dated one is placed after, the last ones told


def time_after_preceding(view: ReadView, conversation: ConversationId, at: datetime) -> datetime:
    """The time of what is told now and dated `at`: after all that was told before and has the same time."""
    row = view.conversation(conversation)
    if row is None:
        return at
    for turn in sorted(view.turns(conversation, row.imported - _DATED_BEFORE), key=lambda turn: turn.at):
        after = time_after(turn.at, turn.text)
        if turn.at <= at < after:
            at = after
    return at


def recent_statements(view: ReadView, episode: Episode) -> list[TurnInput]:
    """The last direct statements of the same speaker, which this one may lean on or correct."""
    row = view.conversation(episode.conversation)
    if row is None or episode.origin is not Origin.USER:
        return []
    last = view.turns(episode.conversation, row.imported - _JUST_SAID)
    near = (turn for turn in last if turn.text != WITHHELD and timedelta() <= episode.at - turn.at <= _SOON)
    return [
        TurnInput(episode=turn) for turn in near if (turn.speaker, turn.project) == (episode.speaker, episode.project)
    ]
