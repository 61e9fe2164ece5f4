"""Candidates for inactive sessions. Asked after every command, so this module loads next to nothing.

Takes: a view and the time. Gives: conversations. Never: reads their words.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dopejar.ports.store import ReadView
from dopejar.values.episode import Conversation

LATEST = 200  # conversations that are considered
_NO_DIALOGUE = frozenset(
    {"remember", "bullets", "instructions", "library"}
)  # sources and formats that hold no dialogue
_RECENT = timedelta(days=7)


def is_dialogue(row: Conversation) -> bool:
    """Whether it is a dialogue of people and assistants; other conversations only collect statements."""
    return row.source not in _NO_DIALOGUE and row.format not in _NO_DIALOGUE


def recent_dialogues(view: ReadView, now: datetime) -> tuple[Conversation, ...]:
    """Dialogues that began within seven days: they may be going on, or have ended just now."""
    latest = view.conversations(LATEST)
    return tuple(row for row in latest if row.started_at and now - row.started_at <= _RECENT and is_dialogue(row))
