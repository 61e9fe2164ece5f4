"""The page of governed turns: where a conversation stands, its lanes and commitments, and its latest traces.

Takes: the name of a conversation. Gives: the stance map, lanes, leases, events. Never: changes anything.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.request_context import Context
from dopejar.errors import NotFoundError
from dopejar.turn.conversation_state import STATE_ROW
from dopejar.turn.partner import Partner
from dopejar.turn.traces import depths

router = APIRouter()
_MAP: Final = (("exploration", ("sensemaking", "discovery")), ("exploitation", ("evaluation", "execution")))


@router.get("/turns")
def show_turns(context: Context, conversation: str = "") -> HTMLResponse:
    """The page of one conversation, of the first by name where none is asked for."""
    names = [row.key for row in context.memory.workspace.rows(STATE_ROW)]
    if conversation and conversation not in names:
        raise NotFoundError(f"No turn of a conversation {conversation!r} was governed.")
    chosen = conversation or next(iter(names), "")
    partner = Partner(context.memory, chosen) if chosen else None
    state = partner.state if partner else None
    traces = [(one, partner.trace(one)) for one in reversed(state.traces)] if partner and state else []
    return context.page(
        "turns.html",
        section="overview",
        names=names,
        chosen=chosen,
        state=state,
        stance_map=_MAP,
        traces=[
            (name, list(zip(depths(events), events, strict=True)), max(1, sum(one.duration_ms for one in events)))
            for name, events in traces
            if events
        ],
    )
