"""Candidates for inactive sessions. Asked after every command, so this module loads next to nothing.

Takes: a view and the time. Gives: conversations. Never: reads their words.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dopejar.ports.store import ReadView
from dopejar.values.episode import Conversation

LATEST = 200  # conversations that are considered
_RECENT = timedelta(days=7)


def recent_dialogues(view: ReadView, now: datetime) -> tuple[Conversation, ...]:
    """Dialogues that began within seven days: they may be going on, or have ended just now."""
    latest = view.conversations(LATEST)
    return tuple(row for row in latest if row.started_at and now - row.started_at <= _RECENT and row.is_dialogue)
