"""The gates between stances: when one may be passed, and what passing it may write.

Takes: the focus of a conversation and a request to pass a gate. Gives: a decision with its reason, and the focus after
it. Never: writes more than the gate allows, or moves a stance that it refuses to move.

An emergency always passes. It costs: it is counted and logged, and for some turns another one starts no clock anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from dopejar.governance.focus.commitment import TURNS, CommitmentManager
from dopejar.governance.focus.stance import StanceMachine
from dopejar.values.turn_decisions import AuthorisedScope, GateDecision, GatePassage
from dopejar.values.turn_enums import GateWrite, Stance, StanceGate
from dopejar.values.turn_state import Commitment, FocusState

_G, _W = StanceGate, GateWrite

EMERGENCY_COOLDOWN: Final = 3
"""Turns after an emergency in which another one does not reset the commitment's clock again."""

EMERGENCY_TURNS: Final = 20
"""The turns that an emergency sets a commitment's clock to."""

ALLOWED_WRITES: Final[Mapping[StanceGate, frozenset[GateWrite]]] = MappingProxyType(
    {
        _G.FRAMING: frozenset({_W.DRAFT_COMMITMENT, _W.RENEW_COMMITMENT, _W.LOCK_FRAME}),
        _G.COMMITMENT: frozenset({_W.ACTIVATE_COMMITMENT, _W.RENEW_COMMITMENT, _W.LOG_DECISION}),
        _G.EVALUATION: frozenset({_W.RENEW_COMMITMENT, _W.REVISE_COMMITMENT, _W.EXPIRE_COMMITMENT, _W.UPDATE_ARTIFACT}),
        _G.EMERGENCY: frozenset({_W.LOG_EMERGENCY, _W.RESET_CLOCK}),
    }
)

_NEEDS_COMMITMENT: Final = frozenset({_W.RENEW_COMMITMENT, _W.REVISE_COMMITMENT, _W.EXPIRE_COMMITMENT})


@dataclass(frozen=True, kw_only=True, slots=True)
class GateRequest:
    """A wish to pass a gate.

    `target` None: its usual one. `draft` comes with a drafted commitment, `goal` with a
    revised one, `frame` with a locked frame, `turns` with a renewal.
    """

    gate: StanceGate
    target: Stance | None = None
    writes: frozenset[GateWrite] = frozenset()
    draft: Commitment | None = None
    goal: str = ""
    frame: str = ""
    turns: int = TURNS


class GateController:
    """Decides about gates by the tables; holds no state."""

    def request(self, state: FocusState, request: GateRequest) -> GatePassage:
        """Pass the gate or not; the state after it. What is refused changes nothing."""
        machine = StanceMachine(stance=state.stance)
        if request.gate is _G.EMERGENCY:
            return self.emergency(state)
        target = request.target or machine.targets(request.gate)[0]
        reason = _refusal(state, request, machine.targets(request.gate), target)
        if reason:
            decision = _decision(state, request.gate, passed=False, target=state.stance, reason=reason)
            return GatePassage(decision=decision, state=state)
        after = replace(_written(state, request), stance=machine.step(request.gate, target).stance)
        decision = _decision(
            state, request.gate, passed=True, target=target, reason="the table allows it", writes=request.writes
        )
        return GatePassage(decision=decision, state=after)

    def emergency(self, state: FocusState) -> GatePassage:
        """Stop for an emergency: to sensemaking from wherever the conversation is. It never fails."""
        is_cooling = state.last_emergency is not None and state.turn - state.last_emergency < EMERGENCY_COOLDOWN
        writes = frozenset({_W.LOG_EMERGENCY} if is_cooling else {_W.LOG_EMERGENCY, _W.RESET_CLOCK})
        commitment = state.commitment
        if not is_cooling:
            commitment = CommitmentManager(active=commitment).reset(EMERGENCY_TURNS).active
        after = replace(
            state,
            stance=Stance.SENSEMAKING,
            commitment=commitment,
            emergencies=state.emergencies + 1,
            last_emergency=state.last_emergency if is_cooling else state.turn,
        )
        reason = "an emergency stops everything" + (", its clock is not reset again so soon" if is_cooling else "")
        decision = _decision(state, _G.EMERGENCY, passed=True, target=Stance.SENSEMAKING, reason=reason, writes=writes)
        return GatePassage(decision=decision, state=after)


def authorised_scope(state: FocusState) -> AuthorisedScope:
    """What a turn in this state may do; execution whose commitment has ended may do nothing until a gate is passed."""
    if state.stance is Stance.EXECUTION and state.commitment is None:
        return AuthorisedScope(activities=frozenset())
    return StanceMachine(stance=state.stance).scope


def tick(state: FocusState) -> tuple[FocusState, Commitment | None]:
    """The state after one more exchange, and the commitment whose lease ended with it."""
    ticked = CommitmentManager(active=state.commitment).tick()
    return replace(state, turn=state.turn + 1, commitment=ticked.manager.active), ticked.expired


def _refusal(state: FocusState, request: GateRequest, targets: tuple[Stance, ...], target: Stance) -> str:
    """Why the gate is not passed, or ""."""
    excess = request.writes - ALLOWED_WRITES[request.gate]
    activates = _W.ACTIVATE_COMMITMENT in request.writes
    faults = (
        (bool(excess), f"the {request.gate} gate does not write {', '.join(sorted(excess))}"),
        (target not in targets, f"the {request.gate} gate does not lead from {state.stance} to {target}"),
        (bool(request.writes & _NEEDS_COMMITMENT) and state.commitment is None, "there is no active commitment"),
        (_W.DRAFT_COMMITMENT in request.writes and request.draft is None, "there is nothing to draft"),
        (_W.REVISE_COMMITMENT in request.writes and not request.goal.strip(), "the revised commitment has no goal"),
        (activates and state.draft is None, "no commitment was drafted"),
        (activates and state.commitment is not None, "another commitment is active"),
        (target is Stance.EXECUTION and not _stays_committed(state, request), "execution needs an active commitment"),
    )
    return next((reason for is_fault, reason in faults if is_fault), "")


def _stays_committed(state: FocusState, request: GateRequest) -> bool:
    """Whether a commitment is in force behind the gate."""
    if _W.EXPIRE_COMMITMENT in request.writes:
        return False
    return state.commitment is not None or _W.ACTIVATE_COMMITMENT in request.writes


def _written(state: FocusState, request: GateRequest) -> FocusState:
    """The state with the writes of a request that is not refused."""
    manager, draft, frame = CommitmentManager(active=state.commitment), state.draft, state.frame
    writes = request.writes
    if _W.DRAFT_COMMITMENT in writes:
        draft = request.draft
    if _W.LOCK_FRAME in writes:
        frame = request.frame
    if _W.ACTIVATE_COMMITMENT in writes and draft is not None:
        manager, draft = manager.create(draft), None
    if _W.REVISE_COMMITMENT in writes:
        manager = manager.revise(request.goal)
    if _W.RENEW_COMMITMENT in writes:
        manager = manager.renew(request.turns)
    if _W.EXPIRE_COMMITMENT in writes:
        manager = manager.expire()
    return replace(state, commitment=manager.active, draft=draft, frame=frame)


def _decision(
    state: FocusState,
    gate: StanceGate,
    *,
    passed: bool,
    target: Stance,
    reason: str,
    writes: frozenset[GateWrite] = frozenset(),
) -> GateDecision:
    return GateDecision(gate=gate, passed=passed, origin=state.stance, target=target, reason=reason, writes=writes)
