"""Episodes of a conversation's turns, as files and live hosts give them.

Takes: turns with the ids of their source. Gives: episodes whose ids stay the same at every import and whose times
always rise. Never: a time in the future, or a second episode of one turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from math import log

from dopejar.values.episode import Conversation, Episode
from dopejar.values.ids import ConversationId, TraceId, conversation_id, episode_id
from dopejar.values.scope import Namespace, Project
from dopejar.values.transcript import SourceTurn

DIRECT_STATEMENTS = "remember"
"""The source of conversations that consist of direct statements."""
_TIME_STEP = timedelta(microseconds=1)
_A_DAY = timedelta(days=1)
_MOST_STEPS = 100_000  # the output of a tool may be long, and times are known to a second or better


def time_after(at: datetime, text: str) -> datetime:
    """The earliest time of what is said after a text: each of its statements has the time of its place in it."""
    return at + _TIME_STEP * (1 + min(len(text), _MOST_STEPS))


def imported_conversation_id(format_name: str, store: str, name: str, first_text: str) -> ConversationId:
    """The id of a conversation: the same for a file that grows, and for the file and the live turns it records.

    The first turn's text counts, so that two conversations of one name stay two. The id is the same in every store, so
    that a transcript is known where its export was imported.
    """
    digest = sha256(first_text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return conversation_id(f"{format_name}:{store}", f"{name}:{digest}")


def episodes_of_turns(
    conversation: Conversation, turns: Sequence[SourceTurn], project: Project | None, now: datetime, trace_id: TraceId
) -> Iterator[Episode]:
    """The episodes of a whole conversation, in its order; what its source dates after `now` was said now."""
    needed = sum((time_after(now, turn.text) - now for turn in turns), timedelta())
    latest = now - needed  # the last turn is then not in the future either
    earliest = min(conversation.started_at or latest, latest)
    for turn in turns:
        said = not_in_future(turn, latest)
        at = max(said.at or earliest, earliest)
        languages = project.languages if project else ()
        yield episode_of_turn(conversation, said, at, languages=languages, trace_id=trace_id)
        earliest = time_after(at, turn.text)


def not_in_future(turn: SourceTurn, now: datetime) -> SourceTurn:
    """The turn; where its source dates it after `now`, as of now, and with a note of it unless it has one."""
    if turn.at is None or turn.at <= now:
        return turn
    return replace(turn, at=not_after(turn.at, now), note=turn.note or f"dated {turn.at:%Y-%m-%d}, in the future")


def not_after(at: datetime, now: datetime) -> datetime:
    """The time, or now. Times ahead by more than a day are put in the day before now, in their order.

    The later one claims to be, the nearer to now it is put: conversations of a wrong clock stay in their order.
    """
    ahead = (at - now) / _A_DAY
    return min(at, now) if ahead < 1 else now - _A_DAY / (1 + log(ahead))


def episode_of_turn(
    conversation: Conversation,
    turn: SourceTurn,
    at: datetime,
    *,
    languages: tuple[str, ...] = (),
    trace_id: TraceId = TraceId(""),
) -> Episode:
    """The episode of one turn, said at this time."""
    return Episode(
        id=episode_id(conversation.id, turn.source_id),
        conversation=conversation.id,
        index=turn.index,
        at=at,
        speaker=turn.speaker,
        origin=turn.origin,
        text=turn.text,
        kind=turn.kind,
        parent=episode_id(conversation.id, turn.parent) if turn.parent else None,
        outcome=turn.outcome,
        trace_id=trace_id,
        project=conversation.project,
        languages=languages,
        source_id=turn.source_id,
        note=turn.note,
    )


def conversation_of_day(at: datetime, namespace: Namespace, project: Project | None) -> Conversation:
    """The conversation that the direct statements of one day belong to, in each namespace and project another."""
    day = at.date().isoformat()
    name = day if namespace is Namespace.PROD else f"{day} {namespace}"
    return Conversation(
        id=conversation_id("remember", f"{name} {project.id}" if project else name),
        source=DIRECT_STATEMENTS,
        name=f"remember {name}",
        format="remember",
        started_at=at,
        project=project.id if project else "",
        project_label=project.label if project else "",
        languages=project.languages if project else (),
        namespace=namespace,
    )
