"""The slow tick: what one utterance may do, decided before anything is done. Pure.

Takes: an utterance, the state of its conversation, the user's north stars. Gives: the decisions and the next state.
Never: writes, or moves a stance without a gate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.focus.gates import GateController, GateRequest, authorised_scope, tick
from dopejar.governance.reasoning.router import PatternMatch
from dopejar.governance.signals.signal_detector import PROPOSED_GATES
from dopejar.governance.utterance import read_turn
from dopejar.turn.conversation_state import ConversationState
from dopejar.values.turn_decisions import (
    AuthorisedScope,
    DetectedSignal,
    GateDecision,
    RoutingDecision,
    ValidationResult,
)
from dopejar.values.turn_enums import Altitude, SignalType, Stance, StanceGate, TurnGate
from dopejar.values.turn_state import Commitment, NorthStars

_NOTHING = AuthorisedScope(activities=frozenset())


@dataclass(frozen=True, kw_only=True, slots=True)
class SlowTick:
    """What governance decided about one utterance. `authorised` is all that its turn may do."""

    state: ConversationState
    signals: tuple[DetectedSignal, ...]
    altitude: Altitude
    validation: ValidationResult
    gates: tuple[GateDecision, ...]
    proposed: tuple[TurnGate, ...]
    expired: Commitment | None
    routing: RoutingDecision
    authorised: AuthorisedScope


def slow_tick(
    text: str,
    state: ConversationState,
    *,
    before: str = "",
    stars: NorthStars | None = None,
    pattern: PatternMatch | None = None,
    verified: bool = False,
) -> SlowTick:
    """Signals, altitude, commitment, gates, strategy, in this order; a turn that waits is authorised to do nothing.

    `before` is what the utterance answers; `verified` says that the user confirmed a request with high stakes.
    """
    reading = read_turn(text, before, pattern=pattern)
    found, level, governor = reading.signals, reading.altitude, AltitudeGovernor()
    signals = frozenset(one.type for one in found)
    validation = governor.validate(
        state.altitude, level, reading.request_type, signals=signals, stars=stars or NorthStars(), verified=verified
    )
    focus, expired = tick(state.focus)
    gates: tuple[GateDecision, ...] = ()
    gate = _gate_of(signals, focus.stance, has_expired=expired is not None)
    if gate is not None:
        passage = GateController().request(focus, GateRequest(gate=gate))
        focus, gates = passage.state, (passage.decision,)
    after = replace(state, altitude=governor.advance(state.altitude, level, validation), focus=focus)
    return SlowTick(
        state=after,
        signals=found,
        altitude=level,
        validation=validation,
        gates=gates,
        proposed=_proposed(found, has_expired=expired is not None),
        expired=expired,
        routing=reading.routing,
        authorised=authorised_scope(focus) if validation.allowed else _NOTHING,
    )


def _gate_of(signals: frozenset[SignalType], stance: Stance, *, has_expired: bool) -> StanceGate | None:
    """The gate that a turn passes by itself: an emergency's, evaluation after a lease, framing where work begins."""
    if SignalType.EMERGENCY in signals:
        return StanceGate.EMERGENCY
    if has_expired and stance is Stance.EXECUTION:
        return StanceGate.EVALUATION
    begins = SignalType.FORMAL_WORK in signals and stance is not Stance.EXECUTION
    return StanceGate.FRAMING if begins else None


def _proposed(signals: tuple[DetectedSignal, ...], *, has_expired: bool) -> tuple[TurnGate, ...]:
    """The gates that the user is asked about, the most important first, each once; none in an emergency."""
    if any(one.type is SignalType.EMERGENCY for one in signals):
        return ()
    gates = [PROPOSED_GATES[one.type] for one in signals if one.type in PROPOSED_GATES]
    return tuple(dict.fromkeys([*gates, TurnGate.EVALUATION] if has_expired else gates))
