"""The enumerations of a governed turn: signals, altitudes, stances, gates, activities, lanes, strategies.

Takes: nothing. Gives: enumerations. Never: a rule about them; the tables are in `governance`.
"""

from __future__ import annotations

from enum import StrEnum


class SignalType(StrEnum):
    """What an utterance asks of the turn besides its content; several may hold at once."""

    NONE = "none"
    FORMAL_WORK = "formal_work"  # a piece of work begins
    INTERRUPT = "interrupt"  # something comes in between
    URGENCY = "urgency"
    COMPLETION = "completion"  # a piece of work is done
    EMOTIONAL = "emotional"  # frustration or overload
    EMERGENCY = "emergency"  # the assistant has to stop at once
    HIGH_STAKES = "high_stakes"  # hard to take back, or costly if wrong
    LANE_SWITCH = "lane_switch"  # another piece of work takes over


class Altitude(StrEnum):
    """How abstract a turn is, the highest first."""

    L4 = "L4"  # identity: values, north stars
    L3 = "L3"  # strategy: goals, projects, priorities
    L2 = "L2"  # operations: tasks of today and this week
    L1 = "L1"  # the moment: this conversation


class RequestType(StrEnum):
    """What grounding a request needs."""

    ATOMIC = "atomic"  # a safe fact or a small act
    DERIVATIVE = "derivative"  # what is right depends on goals
    HIGH_STAKES = "high_stakes"  # verified before it is done


class Stance(StrEnum):
    """The four modes of a conversation."""

    SENSEMAKING = "sensemaking"  # exploration, accuracy
    DISCOVERY = "discovery"  # exploration, momentum
    EXECUTION = "execution"  # exploitation, momentum
    EVALUATION = "evaluation"  # exploitation, accuracy


class StanceGate(StrEnum):
    """The only ways from one stance to another."""

    FRAMING = "framing"
    COMMITMENT = "commitment"
    EVALUATION = "evaluation"
    EMERGENCY = "emergency"


class TurnGate(StrEnum):
    """The gates that a signal proposes."""

    WORK_DECLARATION = "work_declaration"
    LANE_SWITCH = "lane_switch"
    EVALUATION = "evaluation"
    WRITE_APPROVAL = "write_approval"


class Activity(StrEnum):
    """What a turn may do, as far as its stance allows it."""

    QUESTION = "question"
    CLARIFY = "clarify"
    EXPLORE = "explore"
    REFRAME = "reframe"
    BRAINSTORM = "brainstorm"
    PROTOTYPE = "prototype"
    EXPERIMENT = "experiment"
    DIVERGE = "diverge"
    EXECUTE = "execute"
    DELIVER = "deliver"
    IMPLEMENT = "implement"
    PROGRESS = "progress"
    ASSESS = "assess"
    COMPARE = "compare"
    MEASURE = "measure"
    DECIDE = "decide"
    COMMIT = "commit"
    OPTIMIZE = "optimize"
    EVALUATE = "evaluate"
    QUESTION_FRAME = "question_frame"


class GateWrite(StrEnum):
    """What passing a gate may write to the state of the turn."""

    DRAFT_COMMITMENT = "draft_commitment"
    LOCK_FRAME = "lock_frame"
    ACTIVATE_COMMITMENT = "activate_commitment"
    RENEW_COMMITMENT = "renew_commitment"
    REVISE_COMMITMENT = "revise_commitment"
    EXPIRE_COMMITMENT = "expire_commitment"
    LOG_DECISION = "log_decision"
    UPDATE_ARTIFACT = "update_artifact"
    LOG_EMERGENCY = "log_emergency"
    RESET_CLOCK = "reset_clock"


class CommitmentMode(StrEnum):
    """What a commitment is for."""

    DELIVER = "deliver"
    EXPLORE = "explore"
    DECIDE = "decide"


class LaneStatus(StrEnum):
    """The states of a lane."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"


class LaneEvent(StrEnum):
    """The events of a lane's life."""

    PAUSE = "pause"
    RESUME = "resume"
    COMPLETE = "complete"


class Strategy(StrEnum):
    """How a request is answered."""

    QUICK_ANSWER = "quick_answer"
    DECOMPOSITION = "decomposition"
    VERIFICATION = "verification"
    EXPLORATION = "exploration"
    DIALOGUE = "dialogue"


class Complexity(StrEnum):
    """How many parts a request has."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    COMPLEX = "complex"


class Conflict(StrEnum):
    """Whether a request is at odds with itself, or with somebody else."""

    NONE = "none"
    INTERNAL = "internal"
    EXTERNAL = "external"


class Stakes(StrEnum):
    """What a wrong answer would cost."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Horizon(StrEnum):
    """How far ahead a request looks."""

    IMMEDIATE = "immediate"
    NEAR = "near"
    FAR = "far"


class EscalationCause(StrEnum):
    """Why more care than the strategy has is due."""

    UNCERTAINTY = "uncertainty"
    CONFLICT = "conflict"
    COST_VALUE_MISMATCH = "cost_value_mismatch"
    HORIZON_MISMATCH = "horizon_mismatch"


class DecisionSource(StrEnum):
    """Who chose the strategy."""

    PATTERN_MATCH = "pattern_match"
    CLASSIFIER = "classifier"
