"""The design's scenarios, as far as governance alone reaches: a full turn, an emergency, a learned pattern."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.focus.commitment import new_commitment
from dopejar.governance.focus.gates import EMERGENCY_TURNS, GateController, GateRequest
from dopejar.governance.reasoning.strategy_router import PatternMatch, ReasoningRouter
from dopejar.governance.signals.signal_detector import PROPOSED_GATES, SignalDetector
from dopejar.values.turn_enums import (
    Altitude,
    CommitmentMode,
    Complexity,
    DecisionSource,
    GateWrite,
    RequestType,
    SignalType,
    Stance,
    StanceGate,
    Strategy,
    TurnGate,
)
from dopejar.values.turn_state import AltitudeContext, FocusState

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)


def signals(text: str) -> frozenset[SignalType]:
    """The signals of an utterance."""
    return frozenset(one.type for one in SignalDetector().detect(text))


def test_full_turn() -> None:
    """A plan for the week: L2, anchored, formal work, its gate, sensemaking, moderate complexity, decomposition."""
    text, governor, context = "Help me plan my week", AltitudeGovernor(), AltitudeContext()
    level = governor.detect_level(text)
    assert level is Altitude.L2
    request = governor.classify_request(text, signals(text))
    assert request is RequestType.DERIVATIVE
    result = governor.validate(context, level, request, signals=signals(text))
    assert result.allowed
    assert result.use_micro_anchor
    assert result.suggested_level is Altitude.L3
    assert signals(text) == {SignalType.FORMAL_WORK}
    assert PROPOSED_GATES[SignalType.FORMAL_WORK] is TurnGate.WORK_DECLARATION
    passage = GateController().request(FocusState(stance=Stance.EVALUATION), GateRequest(gate=StanceGate.FRAMING))
    assert passage.state.stance is Stance.SENSEMAKING
    decision = ReasoningRouter().route(text, signals(text), level)
    assert decision.classification is not None
    assert decision.classification.complexity is Complexity.MODERATE
    assert decision.strategy is Strategy.DECOMPOSITION


def test_emergency_override() -> None:
    """A wrong project: the emergency comes first, passes its gate, resets the clock, is logged, ends in sensemaking."""
    found = SignalDetector().detect("STOP! Wrong project!")
    assert found[0].type is SignalType.EMERGENCY
    lease = new_commitment("k1", "Repot the ferns", CommitmentMode.DELIVER, at=NOW, turns=2)
    passage = GateController().emergency(FocusState(stance=Stance.EXECUTION, commitment=lease, turn=4))
    assert passage.decision.passed
    assert passage.state.stance is Stance.SENSEMAKING
    assert passage.decision.writes == {GateWrite.LOG_EMERGENCY, GateWrite.RESET_CLOCK}
    assert passage.state.commitment == replace(lease, turns_remaining=EMERGENCY_TURNS, turns_granted=EMERGENCY_TURNS)
    assert (passage.state.emergencies, passage.state.last_emergency) == (1, 4)


def test_learned_pattern() -> None:
    """A pattern of confidence .7 is used instead of the classifier."""
    pattern = PatternMatch(strategy=Strategy.DECOMPOSITION, confidence=0.7, name="prefers decomposition")
    decision = ReasoningRouter().route("Sort out the shed", frozenset(), Altitude.L2, pattern=pattern)
    assert decision.source is DecisionSource.PATTERN_MATCH
    assert decision.strategy is Strategy.DECOMPOSITION
    assert decision.classification is None
