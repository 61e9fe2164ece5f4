"""What a governed turn gives its host: proposals of gates, and the result of the turn.

Takes: validated parts. Gives: frozen values. Never: decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dopejar.values.ids import TraceId
from dopejar.values.recall import ContextPack
from dopejar.values.turn_decisions import (
    AuthorisedScope,
    DetectedSignal,
    GateDecision,
    RoutingDecision,
    ValidationResult,
)
from dopejar.values.turn_enums import Altitude, CommitmentMode, RequestType, SignalType, Stance, TurnGate
from dopejar.values.turn_state import Commitment, Lane


@dataclass(frozen=True, kw_only=True, slots=True)
class GateProposal:
    """A gate that waits for the user. `mode` is that of the work that it declares, `lane_id` where a switch leads."""

    gate: TurnGate
    signal: SignalType
    reason: str
    mode: CommitmentMode = CommitmentMode.DELIVER
    lane_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnResult:
    """One governed turn.

    `authorised` is all that the turn may do. `proposals` wait for the user until the next turn; `tell` is what the
    user should be told, a line each; `prompt` has the parts of a prompt, in the order in which they are compiled.
    `was_known` says that the turn was governed before, and nothing changed now.
    """

    trace_id: TraceId
    conversation: str
    turn_id: str
    signals: tuple[DetectedSignal, ...]
    altitude: Altitude
    request_type: RequestType
    validation: ValidationResult
    stance: Stance
    routing: RoutingDecision
    authorised: AuthorisedScope
    decisions: tuple[GateDecision, ...] = ()
    proposals: tuple[GateProposal, ...] = ()
    commitment: Commitment | None = None
    lane: Lane | None = None
    context: ContextPack | None = None
    tell: tuple[str, ...] = ()
    prompt: Mapping[str, str] = field(default_factory=dict)
    was_known: bool = False
