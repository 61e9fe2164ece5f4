"""What is said to an agent of a framework and by it, as turns that are observed.

Takes: one message. Gives: what became of its turn. Never: takes an agent's words, or a tool's, for the user's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.values.episode import Origin
from dopejar.values.ids import new_trace_id
from dopejar.values.transcript import LiveTurn

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.memory import Memory


def observe_turn(
    memory: Memory,
    framework: str,
    conversation: str,
    text: str,
    *,
    is_user: bool,
    source_id: str = "",
    at: datetime | None = None,
) -> Observed | None:
    """Keep one message as a turn; None where it has no words.

    Raises:
        InputError: it is the user's, and the memory was opened without `said_by`.
    """
    if not text.strip():
        return None
    return memory.observe(
        LiveTurn(
            conversation=conversation,
            source_id=source_id or new_trace_id(),
            text=text,
            origin=None if is_user else Origin.ASSISTANT,
            speaker=Origin.USER.value if is_user else "",
            speaks_for_user=is_user,
            format=framework,
            at=at,
        )
    )
