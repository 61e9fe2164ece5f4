"""The architecture: the parts that govern a turn, its trace, and the memory bus's working sets and shared references.

Takes: utterances, frozen state, small JSON objects. Gives: decisions, and the values that `memory.workspace` holds.
Never: a belief.
"""

from __future__ import annotations

from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.focus.commitment import CommitmentManager
from dopejar.governance.focus.gates import GateController
from dopejar.governance.focus.lanes import LaneStore
from dopejar.governance.focus.stance import StanceMachine
from dopejar.governance.reasoning.escalation import EscalationManager
from dopejar.governance.reasoning.input_classifier import InputClassifier
from dopejar.governance.reasoning.router import ReasoningRouter
from dopejar.governance.reasoning.strategy_selector import StrategySelector
from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.turn.memory_areas import MemoryManager
from dopejar.values.trace_event import TraceEvent
from dopejar.values.turn_decisions import InputClassification, RoutingDecision, StrategySelection, ValidationResult
from dopejar.values.turn_state import AltitudeContext, Commitment, Lane
from dopejar.values.versioned_rows import SharedReference, WorkingSet

__all__ = [
    "AltitudeContext",
    "AltitudeGovernor",
    "Commitment",
    "CommitmentManager",
    "EscalationManager",
    "GateController",
    "InputClassification",
    "InputClassifier",
    "Lane",
    "LaneStore",
    "MemoryManager",
    "ReasoningRouter",
    "RoutingDecision",
    "SharedReference",
    "SignalDetector",
    "StanceMachine",
    "StrategySelection",
    "StrategySelector",
    "TraceEvent",
    "ValidationResult",
    "WorkingSet",
]
