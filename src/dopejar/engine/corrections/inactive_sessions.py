"""Which kept conversations may have fallen silent; asked after every command, so it loads next to nothing.

Takes: a view and the time. Gives: conversations. Never: reads their words.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dopejar.ports.store import ReadView
from dopejar.values.episode import Conversation

LATEST = 200  # conversations that are looked at
_NO_TALK = frozenset({"remember", "bullets", "instructions", "library"})  # sources and formats that nobody talks in
_BEGUN = timedelta(days=7)


def is_talk(row: Conversation) -> bool:
    """Whether people and assistants talk in the conversation; others only keep words."""
    return row.source not in _NO_TALK and row.format not in _NO_TALK


def begun_lately(view: ReadView, now: datetime) -> tuple[Conversation, ...]:
    """Conversations young enough to be going on still, or to have ended just now."""
    latest = view.conversations(LATEST)
    return tuple(one for one in latest if one.started_at and now - one.started_at <= _BEGUN and is_talk(one))
