"""The architecture: the parts that govern a turn and learn from it, its trace, and what `memory.workspace` holds.

Takes: utterances, frozen state, outcomes, small JSON objects. Gives: decisions, patterns, and values that are held.
Never: a belief.
"""

from __future__ import annotations

from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.focus.commitment import CommitmentManager
from dopejar.governance.focus.gates import GateController
from dopejar.governance.focus.lanes import LaneStore
from dopejar.governance.focus.stance import StanceMachine
from dopejar.governance.learning.generalizer import Generalizer
from dopejar.governance.learning.pattern import Pattern, new_pattern
from dopejar.governance.learning.retrospective import Retrospective, TurnOutcome
from dopejar.governance.reasoning.escalation import EscalationManager
from dopejar.governance.reasoning.input_classifier import InputClassifier
from dopejar.governance.reasoning.strategy_router import ReasoningRouter
from dopejar.governance.reasoning.strategy_selector import StrategySelector
from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.turn.memory_areas import MemoryManager
from dopejar.turn.partner import Partner
from dopejar.turn.pattern_store import FeedbackLoop, PatternStore
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
    "FeedbackLoop",
    "GateController",
    "Generalizer",
    "InputClassification",
    "InputClassifier",
    "Lane",
    "LaneStore",
    "MemoryManager",
    "Partner",
    "Pattern",
    "PatternStore",
    "ReasoningRouter",
    "Retrospective",
    "RoutingDecision",
    "SharedReference",
    "SignalDetector",
    "StanceMachine",
    "StrategySelection",
    "StrategySelector",
    "TraceEvent",
    "TurnOutcome",
    "ValidationResult",
    "WorkingSet",
    "new_pattern",
]
