"""What governance says about one turn: signals, shares, validation, gate decisions, classification, routing.

Takes: validated parts. Gives: frozen values. Never: decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from dopejar.values.turn_enums import (
    Activity,
    Altitude,
    Complexity,
    Conflict,
    DecisionSource,
    EscalationCause,
    GateWrite,
    Horizon,
    RequestType,
    SignalType,
    Stakes,
    Stance,
    StanceGate,
    Strategy,
)
from dopejar.values.turn_state import FocusState

Shares: TypeAlias = Mapping[str, float]
"""How likely each of several labels is, from 0 to 1."""


TURN_LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    "signals": tuple(str(one) for one in SignalType if one is not SignalType.NONE),
    "altitude": tuple(map(str, Altitude)),
    "request_type": tuple(map(str, RequestType)),
    "strategy": tuple(map(str, Strategy)),
    "stakes": tuple(map(str, Stakes)),
}
"""What each field of `TurnShares` tells apart, in the order of fitted weights."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnShares:
    """What is read in an utterance; signals stand for themselves, the shares of each other field add up to 1."""

    signals: Shares
    altitude: Shares
    request_type: Shares
    strategy: Shares
    stakes: Shares


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectedSignal:
    """A signal, its confidence, and the words that gave it away ("" where a model did)."""

    type: SignalType
    confidence: float
    phrase: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidationResult:
    """Whether a request may go on at its altitude, and what goes with it."""

    allowed: bool
    reason: str
    request_type: RequestType
    suggested_level: Altitude | None = None
    required_action: str | None = None
    use_micro_anchor: bool = False
    micro_anchor_text: str | None = None
    execute_first: bool = False
    requires_verification: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class GateDecision:
    """What a gate answered: passed or not, between which stances, with which writes, and why."""

    gate: StanceGate
    passed: bool
    origin: Stance
    target: Stance
    reason: str
    writes: frozenset[GateWrite] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class GatePassage:
    """A gate's decision with the state after it; a gate that is not passed leaves the state as it was."""

    decision: GateDecision
    state: FocusState


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthorisedScope:
    """The activities that a turn may use; everything else is refused."""

    activities: frozenset[Activity]

    def permits(self, activity: Activity) -> bool:
        """Whether the turn may do this."""
        return activity in self.activities


@dataclass(frozen=True, kw_only=True, slots=True)
class InputClassification:
    """What kind of request it is; uncertainty and confidence are from 0 to 1."""

    complexity: Complexity
    uncertainty: float
    conflict: Conflict
    stakes: Stakes
    horizon: Horizon
    confidence: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StrategySelection:
    """A strategy, why, how far it was escalated (0 to 3), and what to fall back to."""

    strategy: Strategy
    reason: str
    confidence: float
    escalation_level: int = 0
    fallback_strategy: Strategy | None = None
    causes: tuple[EscalationCause, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RoutingDecision:
    """The strategy of a turn and who chose it. `is_taken_back`: less care is taken than was due by itself."""

    strategy: Strategy
    confidence: float
    source: DecisionSource
    reason: str
    escalation_level: int = 0
    fallback_strategy: Strategy | None = None
    classification: InputClassification | None = None
    is_taken_back: bool = False
