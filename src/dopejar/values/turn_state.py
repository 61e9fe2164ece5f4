"""The state of a governed conversation: altitude, focus, commitment, lanes. All of it is frozen and moves by copy.

Takes: validated parts. Gives: frozen values. Never: a transition; the tables in `governance` have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dopejar.values.turn_enums import Altitude, CommitmentMode, LaneStatus, Stance


@dataclass(frozen=True, kw_only=True, slots=True)
class AltitudeMove:
    """A change of altitude at a turn."""

    turn: int
    origin: Altitude
    target: Altitude


@dataclass(frozen=True, kw_only=True, slots=True)
class FrictionEvent:
    """A request that was held back for its altitude."""

    turn: int
    requested: Altitude
    actual: Altitude


@dataclass(frozen=True, kw_only=True, slots=True)
class AltitudeContext:
    """What was established on the way down, where the conversation is, and how often it was held back.

    `time_at_current` counts exchanges at the current level; `quiet_turns` counts those since friction last changed.
    """

    l4_connected: bool = False
    l3_established: bool = False
    l2_grounded: bool = False
    current_level: Altitude = Altitude.L3
    level_history: tuple[AltitudeMove, ...] = ()
    time_at_current: int = 0
    friction_events: tuple[FrictionEvent, ...] = ()
    friction_score: int = 0
    quiet_turns: int = 0
    turn: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class NorthStars:
    """What the user works for: identity (L4) and priorities (L3), each in the user's own words."""

    north_stars: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Commitment:
    """A lease on attention for a goal; it ends after `turns_remaining` exchanges. `created_at` is aware."""

    id: str
    goal: str
    mode: CommitmentMode
    created_at: datetime
    turns_granted: int
    turns_remaining: int
    lane_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FocusSnapshot:
    """What a paused lane gives back when it is resumed."""

    stance: Stance
    commitment: Commitment | None
    altitude: AltitudeContext


@dataclass(frozen=True, kw_only=True, slots=True)
class Lane:
    """One stream of work with its lease. A paused lane has a snapshot, and a bookmark for people."""

    lane_id: str
    status: LaneStatus
    lease_goal: str
    lease_mode: CommitmentMode
    created_at: datetime
    paused_at: datetime | None = None
    snapshot: FocusSnapshot | None = None
    bookmark: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FocusState:
    """The stance of a conversation, its commitment (drafted or in force) and its emergencies."""

    stance: Stance = Stance.SENSEMAKING
    draft: Commitment | None = None
    commitment: Commitment | None = None
    frame: str = ""
    turn: int = 0
    emergencies: int = 0
    last_emergency: int | None = None
