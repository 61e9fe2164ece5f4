"""The slow tick: one turn over the tables of governance, and the user's answers to what it proposed. Pure.

Takes: the state of a conversation, a reading of its next turn, the time. Gives: the state after it, with every
decision. Never: moves a stance without a gate, or writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from dopejar.errors import IllegalMoveError, NotFoundError
from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.focus.commitment import new_commitment
from dopejar.governance.focus.gates import GateController, GateRequest, authorised_scope, tick
from dopejar.governance.focus.preemption import Contest, Preemption, preempt
from dopejar.governance.signals.signal_detector import PROPOSED_GATES
from dopejar.governance.utterance import TurnReading
from dopejar.text.words import query_terms
from dopejar.turn.conversation_state import ConversationState
from dopejar.values.turn_decisions import AuthorisedScope, GateDecision, ValidationResult
from dopejar.values.turn_enums import (
    Activity,
    CommitmentMode,
    GateWrite,
    SignalType,
    Stance,
    StanceGate,
    Strategy,
    TurnGate,
)
from dopejar.values.turn_result import GateProposal
from dopejar.values.turn_state import Commitment, FocusState, Lane, NorthStars

_W = GateWrite

GOAL_LENGTH: Final = 120
"""Characters of a goal."""

_ASKING: Final = frozenset({Activity.QUESTION, Activity.CLARIFY})
_REASONS: Final = {
    TurnGate.WORK_DECLARATION: "a piece of work seems to begin",
    TurnGate.LANE_SWITCH: "something else asks for attention",
    TurnGate.EVALUATION: "it is time to look at what was reached",
}
_OVERLOAD: Final = "this sounds like a lot at once"
_BACK: Final = frozenset({"back", "return", "resum", "earlier", "previous", "last"})  # stems
_COMMON: Final = frozenset({"work", "help", "now", "ok", "go", "switch", "start", "today", "done", "thing"}) | _BACK
_OPENING: Final = re.compile(
    r"(?:(?:ok|okay|so|right|now|please|well|alright|hey|hi|and|then|also|actually)\b[\s,.!:;]*)*"
    r"(?:(?:let'?s|let us|(?:can|could) (?:you|we)|(?:i|we) (?:need|want|have|would like) to|i'd like to|"
    r"(?:please )?help me(?: to)?|please)\b\s*)*"
    r"(?:(?:work on|focus on|switch (?:over )?to|move on to|move to|start (?:on|with)|begin with|get going on|turn to|"
    r"get back to|go back to|back to)\s+)?",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(r"[\s,]*(?:\b(?:now|please|then)\b)?[\s.!?]*$", re.IGNORECASE)
_MODES: Final = {Strategy.EXPLORATION: CommitmentMode.EXPLORE, Strategy.DIALOGUE: CommitmentMode.DECIDE}


@dataclass(frozen=True, kw_only=True, slots=True)
class SlowTick:
    """What governance decided about one turn. `expired` is the commitment whose lease ended with it."""

    state: ConversationState
    validation: ValidationResult
    authorised: AuthorisedScope
    decisions: tuple[GateDecision, ...]
    expired: Commitment | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """The state after the user's answer, with the gate's decision; None where no stance gate was asked."""

    state: ConversationState
    decision: GateDecision | None = None


def slow_tick(
    state: ConversationState,
    reading: TurnReading,
    *,
    at: datetime,
    stars: NorthStars,
    verified: bool = False,
) -> SlowTick:
    """One exchange: altitude, the lease's clock, gates that pass by themselves, and proposals for the others.

    Only an emergency and the framing of new work pass by themselves. The proposals of the turn before are gone: what
    nobody answered is no longer asked.
    """
    kinds = frozenset(one.type for one in reading.signals)
    governor = AltitudeGovernor()
    validation = governor.validate(
        state.altitude, reading.altitude, reading.request_type, signals=kinds, stars=stars, verified=verified
    )
    altitude = governor.advance(state.altitude, reading.altitude, validation)
    focus, expired = tick(state.focus)
    decisions: list[GateDecision] = []
    proposals: tuple[GateProposal, ...] = ()
    if SignalType.EMERGENCY in kinds:
        passage = GateController().emergency(focus)
        focus = passage.state
        decisions.append(passage.decision)
    else:
        proposals = _proposals(state, reading, focus, expired, at)
        if SignalType.FORMAL_WORK in kinds and focus.commitment is None:
            passage = GateController().request(focus, GateRequest(gate=StanceGate.FRAMING, target=Stance.SENSEMAKING))
            focus = passage.state
            decisions.append(passage.decision)
    return SlowTick(
        state=replace(state, altitude=altitude, focus=focus, proposals=proposals),
        validation=validation,
        authorised=_authorised(focus, validation),
        decisions=tuple(decisions),
        expired=expired,
    )


def answer(state: ConversationState, gate: TurnGate, goal: str, *, approved: bool, at: datetime) -> Answered:
    """What follows from the user's answer to the proposal of a gate; declined, nothing but that it is gone.

    `goal` is what a declared piece of work is for.

    Raises:
        NotFoundError: no such gate waits for an answer.
    """
    proposal = next((one for one in state.proposals if one.gate is gate), None)
    if proposal is None:
        waiting = ", ".join(one.gate for one in state.proposals) or "none"
        raise NotFoundError(f"No {gate} gate waits for an answer; waiting: {waiting}. A proposal holds for one turn.")
    left = replace(state, proposals=tuple(one for one in state.proposals if one is not proposal))
    if not approved:
        return Answered(state=replace(left, pending=replace(left.pending, declined=True) if left.pending else None))
    if gate is TurnGate.WORK_DECLARATION:
        return _declare(left, proposal, goal, at)
    return _switch(left, proposal, at) if gate is TurnGate.LANE_SWITCH else _evaluate(left)


def declare_work(state: ConversationState, goal: str, *, at: datetime) -> Answered:
    """Begin a piece of work that the user declares outright, as if its gate had been proposed."""
    proposal = GateProposal(gate=TurnGate.WORK_DECLARATION, signal=SignalType.FORMAL_WORK, reason="declared")
    return _declare(state, proposal, goal, at)


def pass_gate(state: ConversationState, request: GateRequest) -> Answered:
    """A stance gate that the host asks for itself; the gate decides by its table."""
    passage = GateController().request(state.focus, request)
    return Answered(state=replace(state, focus=passage.state), decision=passage.decision)


def renew(state: ConversationState, *, at: datetime) -> Answered:
    """Go on with the active lane: its commitment gets more turns, or a new one where the lease has ended.

    Raises:
        IllegalMoveError: no lane is active.
    """
    lane, focus = state.lanes.active, state.focus
    if lane is None:
        raise IllegalMoveError("No lane is active, so there is nothing to go on with. Say what for: `commit(goal)`.")
    if focus.commitment is None:
        draft = new_commitment(
            f"commitment-{focus.turn}", lane.lease_goal, lane.lease_mode, at=at, lane_id=lane.lane_id
        )
        request = GateRequest(gate=StanceGate.COMMITMENT, writes=frozenset({_W.ACTIVATE_COMMITMENT}))
        return _passed(state, replace(focus, draft=draft), request)
    gate = StanceGate.EVALUATION if focus.stance is Stance.EVALUATION else StanceGate.COMMITMENT
    request = GateRequest(gate=gate, target=Stance.EXECUTION, writes=frozenset({_W.RENEW_COMMITMENT}))
    return _passed(state, focus, request)


def switch_lane(state: ConversationState, lane_id: str, *, at: datetime) -> ConversationState:
    """The state with another lane resumed exactly as it was left. Raises NotFoundError, IllegalMoveError."""
    bookmark = _bookmark(state)
    resumption = state.lanes.switch(lane_id, state.snapshot, bookmark, at=at)
    snapshot = resumption.snapshot
    focus = replace(state.focus, draft=None)
    if snapshot is None:
        return replace(state, lanes=resumption.store, focus=focus, asked=())
    focus = replace(focus, stance=snapshot.stance, commitment=snapshot.commitment)
    return replace(state, lanes=resumption.store, focus=focus, altitude=snapshot.altitude, asked=())


def goal_of(text: str) -> str:
    """A goal in the user's own words, without what leads up to it ("let's work on"), cut where it is long."""
    line = " ".join(text.split())
    line = _CLOSING.sub("", line[_OPENING.match(line).end() :]) or line  # type: ignore[union-attr] # it always matches
    return line if len(line) <= GOAL_LENGTH else line[: GOAL_LENGTH - 1].rstrip() + "\u2026"


def _authorised(focus: FocusState, validation: ValidationResult) -> AuthorisedScope:
    """What the stance authorises; of a request that has to be verified, only what asks back."""
    scope = authorised_scope(focus)
    if validation.allowed:
        return scope
    return AuthorisedScope(activities=scope.activities & _ASKING)


def _mode(reading: TurnReading) -> CommitmentMode:
    return _MODES.get(reading.routing.strategy, CommitmentMode.DELIVER)


def _proposals(
    state: ConversationState,
    reading: TurnReading,
    focus: FocusState,
    expired: Commitment | None,
    at: datetime,
) -> tuple[GateProposal, ...]:
    """The gates that the signals propose, each once, and what the state itself asks for."""
    proposals: dict[TurnGate, GateProposal] = {}
    for signal in reading.signals:
        gate = PROPOSED_GATES.get(signal.type)
        if gate is None:
            continue
        reason = _OVERLOAD if signal.type is SignalType.EMOTIONAL else _REASONS[gate]
        if gate is TurnGate.WORK_DECLARATION and state.lanes.active is not None:
            reason = f"{reason} beside {state.lanes.active.lease_goal!r}"
        proposal: GateProposal | None = GateProposal(gate=gate, signal=signal.type, reason=reason, mode=_mode(reading))
        if gate is TurnGate.LANE_SWITCH and proposal is not None:
            proposal = _weighed(state, proposal, reading.terms, focus, at)
        if proposal is not None:
            proposals.setdefault(proposal.gate, proposal)
    for proposal in _due(state, focus, expired):
        proposals.setdefault(proposal.gate, proposal)
    return tuple(proposals.values())


def _due(state: ConversationState, focus: FocusState, expired: Commitment | None) -> Iterator[GateProposal]:
    """What is proposed whatever was said: an evaluation where a lease ended or one goes on, work that was stopped."""
    evaluation = GateProposal(gate=TurnGate.EVALUATION, signal=SignalType.NONE, reason="")
    lane = state.lanes.active
    if expired is not None:
        yield replace(evaluation, reason=f"the commitment to {expired.goal!r} has run out")
    elif focus.stance is Stance.EVALUATION:
        yield replace(evaluation, reason=f"{lane.lease_goal if lane else 'what was reached'} is being looked at")
    if lane is not None and focus.commitment is not None and focus.last_emergency == focus.turn - 1:
        reason = f"{lane.lease_goal!r} was stopped"
        stopped = GateProposal(gate=TurnGate.WORK_DECLARATION, signal=SignalType.NONE, reason=reason)
        yield replace(stopped, lane_id=lane.lane_id)


def _weighed(
    state: ConversationState, switch: GateProposal, terms: frozenset[str], focus: FocusState, at: datetime
) -> GateProposal | None:
    """The switch that a signal means: to the paused lane that it names, else away from the active lane.

    The scored rule weighs a paused lane; what it only queues is not asked about, unless the user said so outright.
    Without an active lane there is nothing to leave: what the user turns to is work to declare.
    """
    is_outright, is_urgent = switch.signal is SignalType.LANE_SWITCH, switch.signal is SignalType.URGENCY
    active = state.lanes.active
    if active is not None and not is_outright and terms & _terms(active.lease_goal):
        return None  # it is about what goes on
    lane = _named(state, terms, is_outright=is_outright)
    if lane is None and active is None:
        work = replace(switch, gate=TurnGate.WORK_DECLARATION, reason=_REASONS[TurnGate.WORK_DECLARATION])
        return work if is_outright else None
    if lane is None:
        goal = active.lease_goal if active is not None else ""
        seems = "is urgent, and seems" if is_urgent else "seems"
        return replace(switch, reason=f"this {seems} to be apart from {goal!r}")
    commitment = focus.commitment
    contest = Contest(
        priority_delta=1.0,
        urgency=1.0 if is_urgent else 0.0,
        waited=at - (lane.paused_at or lane.created_at),
        progress=1 - commitment.turns_remaining / commitment.turns_granted if commitment else 0.0,
    )
    if preempt(contest) is Preemption.QUEUE and not is_outright:
        return None
    return replace(switch, lane_id=lane.lane_id, reason=f"{lane.lease_goal!r} is paused")


def _named(state: ConversationState, terms: frozenset[str], *, is_outright: bool) -> Lane | None:
    """The paused lane that shares most words with what was said; of a plain "back", the one that was paused last."""
    shared = {lane.lane_id: len(terms & _terms(lane.lease_goal)) for lane in state.lanes.paused}
    lane = max(state.lanes.paused, key=lambda one: shared[one.lane_id], default=None)
    if lane is None or shared[lane.lane_id]:
        return lane
    return lane if is_outright and terms & _BACK and not terms - _COMMON else None


def _terms(goal: str) -> frozenset[str]:
    return frozenset(query_terms(goal)) - _COMMON


def _passed(state: ConversationState, focus: FocusState, request: GateRequest) -> Answered:
    passage = GateController().request(focus, request)
    after = replace(state, focus=passage.state) if passage.decision.passed else state
    return Answered(state=after, decision=passage.decision)


def _declare(state: ConversationState, proposal: GateProposal, goal: str, at: datetime) -> Answered:
    """Begin a declared piece of work: a lane of its own, with its commitment in force; or go on with a stopped one."""
    if proposal.lane_id:
        return _passed(state, state.focus, GateRequest(gate=StanceGate.COMMITMENT))
    lane_id = f"lane-{len(state.lanes.lanes) + 1}"
    focus, lanes, mode = state.focus, state.lanes, proposal.mode
    if lanes.active is not None:
        lanes = lanes.pause(state.snapshot, _bookmark(state), at=at)
        focus = replace(focus, commitment=None)
    draft = new_commitment(f"commitment-{focus.turn}", goal_of(goal), mode, at=at, lane_id=lane_id)
    request = GateRequest(gate=StanceGate.COMMITMENT, writes=frozenset({_W.ACTIVATE_COMMITMENT}))
    passage = GateController().request(replace(focus, draft=draft), request)
    if not passage.decision.passed:
        return Answered(state=state, decision=passage.decision)
    lanes = lanes.create(lane_id, draft.goal, mode, at=at)
    asked = state.asked if state.lanes.active is None else ()
    after = replace(state, focus=passage.state, lanes=lanes, asked=asked)
    return Answered(state=after, decision=passage.decision)


def _switch(state: ConversationState, proposal: GateProposal, at: datetime) -> Answered:
    """To the paused lane, or, without one, out of the active one to the framing of something else.

    What the user turned to outright, or what is urgent, is then proposed as work.
    """
    if proposal.lane_id:
        return Answered(state=switch_lane(state, proposal.lane_id, at=at))
    lanes, focus = state.lanes, state.focus
    if lanes.active is not None:
        lanes = lanes.pause(state.snapshot, _bookmark(state), at=at)
        focus = replace(focus, commitment=None)
    passage = GateController().request(focus, GateRequest(gate=StanceGate.FRAMING, target=Stance.SENSEMAKING))
    after = replace(state, focus=passage.state, lanes=lanes, asked=())
    if proposal.signal is not SignalType.INTERRUPT:
        work = replace(proposal, gate=TurnGate.WORK_DECLARATION, reason=_REASONS[TurnGate.WORK_DECLARATION])
        after = replace(after, proposals=(*after.proposals, work))
    return Answered(state=after, decision=passage.decision)


def _evaluate(state: ConversationState) -> Answered:
    """To the evaluation; from there, what was evaluated ends: its commitment, and its lane."""
    is_ending = state.focus.stance is Stance.EVALUATION
    expires = is_ending and state.focus.commitment is not None
    writes = frozenset({_W.EXPIRE_COMMITMENT}) if expires else frozenset[GateWrite]()
    passage = GateController().request(state.focus, GateRequest(gate=StanceGate.EVALUATION, writes=writes))
    lanes = state.lanes
    if is_ending and passage.decision.passed and lanes.active is not None:
        lanes = lanes.complete()
    return Answered(state=replace(state, focus=passage.state, lanes=lanes), decision=passage.decision)


def _bookmark(state: ConversationState) -> str:
    """Where the active lane was left, for people."""
    lane, commitment = state.lanes.active, state.focus.commitment
    goal = commitment.goal if commitment else lane.lease_goal if lane else ""
    left = f", {commitment.turns_remaining} turns left" if commitment else ""
    return f"{state.focus.stance} at {state.altitude.current_level}: {goal}{left}"
