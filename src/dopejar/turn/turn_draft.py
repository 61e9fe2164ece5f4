"""A turn as it would be governed from the state that was read; it counts once it is kept.

Takes: a view of the store, an utterance with its reading. Gives: a draft, and the result of a turn. Never: writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.governance.altitude.governor import is_friction_high
from dopejar.governance.reasoning.escalation import is_correction
from dopejar.governance.reasoning.strategy_router import PatternMatch, RoutingContext
from dopejar.governance.utterance import TurnReading, read_turn, reroute
from dopejar.turn import outcomes
from dopejar.turn.conversation_state import STATE_ROW, ConversationState, LearningTuple, load_state
from dopejar.turn.prompt_parts import lines_to_tell, prompt_parts
from dopejar.turn.slow_tick import SlowTick, slow_tick
from dopejar.values.turn_decisions import AuthorisedScope
from dopejar.values.turn_enums import Strategy
from dopejar.values.turn_result import TurnResult
from dopejar.values.turn_state import NorthStars
from dopejar.values.versioned_rows import NORTH_STARS, PRIORITIES, KeyValueRow

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store import ReadView
    from dopejar.values.ids import TraceId
    from dopejar.values.recall import ContextPack
    from dopejar.values.turn_decisions import TurnShares

_NOTHING: Final = AuthorisedScope(activities=frozenset())
_TAKEN: Final = "This turn was taken already; nothing changed."


@dataclass(frozen=True, kw_only=True, slots=True)
class Utterance:
    """What was said, as it was read; `verified`: what high stakes stopped is confirmed, `may_ask`: no model replies."""

    text: str
    reading: TurnReading
    verified: bool = False
    may_ask: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnDraft:
    """A governed turn that is not kept yet; `taught` are rows of what it says of the turn before."""

    conversation: str
    state: ConversationState
    row: KeyValueRow | None
    reading: TurnReading
    tick: SlowTick
    taught: tuple[KeyValueRow, ...]
    pending: LearningTuple
    tell: tuple[str, ...]
    asked: tuple[str, ...]


def utterance_of(text: str, before: str, model: TurnShares | None, *, verified: bool, may_ask: bool) -> Utterance:
    """An utterance, read without its conversation; `model`: what a model reads in it."""
    return Utterance(text=text, reading=read_turn(text, before, model=model), verified=verified, may_ask=may_ask)


def draft_turn(view: ReadView, conversation: str, utterance: Utterance, at: datetime) -> TurnDraft:
    """The turn as it would be governed now."""
    row = view.held(STATE_ROW, conversation)
    state = state_of(row)
    reading = _routed(view, state, utterance)
    tick = slow_tick(state, reading, at=at, stars=_stars(view), verified=utterance.verified)
    tell, asked = lines_to_tell(reading, tick, may_ask=utterance.may_ask)
    return TurnDraft(
        conversation=conversation,
        state=state,
        row=row,
        reading=reading,
        tick=tick,
        taught=_taught(view, conversation, state, utterance, at),
        pending=outcomes.tuple_of(reading, tick),
        tell=tell,
        asked=asked,
    )


def state_of(row: KeyValueRow | None) -> ConversationState:
    """The state in a row; that of a conversation that did not begin, where there is none."""
    return load_state(row.body) if row is not None else ConversationState()


def result_of(
    draft: TurnDraft, trace_id: TraceId, turn_id: str, pack: ContextPack | None, *, was_known: bool = False
) -> TurnResult:
    """The result of a turn; one that was governed before proposes nothing and authorises nothing."""
    reading, governed = draft.reading, draft.tick
    state = draft.state if was_known else governed.state
    return TurnResult(
        trace_id=trace_id,
        conversation=draft.conversation,
        turn_id=turn_id,
        signals=reading.signals,
        altitude=reading.altitude,
        request_type=reading.request_type,
        validation=governed.validation,
        stance=state.focus.stance,
        routing=reading.routing,
        authorised=_NOTHING if was_known else governed.authorised,
        decisions=() if was_known else governed.decisions,
        proposals=() if was_known else state.proposals,
        commitment=state.focus.commitment,
        lane=state.lanes.active,
        context=pack,
        tell=(_TAKEN,) if was_known else draft.tell,
        prompt={} if was_known else prompt_parts(reading, governed, pack, draft.tell),
        was_known=was_known,
    )


def _routed(view: ReadView, state: ConversationState, utterance: Utterance) -> TurnReading:
    """The reading, with the strategy of the pattern that fits, and by what altitude and focus tell reasoning."""
    reading = utterance.reading
    pattern = outcomes.pattern_for(view, reading)
    context = RoutingContext(
        is_friction_high=is_friction_high(state.altitude), is_committed=state.focus.commitment is not None
    )
    if pattern is None and context == RoutingContext():
        return reading
    match = None
    if pattern is not None:
        match = PatternMatch(strategy=Strategy(pattern.action_taken), confidence=pattern.confidence, name=pattern.name)
    return reroute(reading, utterance.text, pattern=match, context=context)


def _taught(
    view: ReadView, conversation: str, state: ConversationState, utterance: Utterance, at: datetime
) -> tuple[KeyValueRow, ...]:
    """The rows of what this turn says of the turn before."""
    if state.pending is None:
        return ()
    corrected = is_correction(utterance.text)
    succeeded = outcomes.outcome_of(utterance.reading, is_corrected=corrected)
    if succeeded is None:
        return ()
    rows = outcomes.rows_of_outcome(view, conversation, state.pending, succeeded=succeeded, corrected=corrected, at=at)
    return tuple(rows)


def _stars(view: ReadView) -> NorthStars:
    return NorthStars(north_stars=_texts(view, NORTH_STARS), priorities=_texts(view, PRIORITIES))


def _texts(view: ReadView, key: str) -> tuple[str, ...]:
    reference = view.reference(key)
    return reference.texts if reference is not None else ()
