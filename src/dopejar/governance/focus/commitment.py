"""Commitments: leases on attention that end after a number of turns.

Takes: the commitment in force, if any. Gives: the one after a step, and whether the lease ended. Never: extends a lease
by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from dopejar.errors import IllegalMoveError, InputError
from dopejar.values.turn_enums import CommitmentMode, TurnGate
from dopejar.values.turn_state import Commitment

TURNS: Final = 10
"""The length of a lease where none is given."""

MOST_TURNS: Final = 200
"""The longest lease."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitmentManager:
    """The commitment in force, if there is one, and the steps of its life."""

    active: Commitment | None = None

    @property
    def has_active_commitment(self) -> bool:
        """Whether a lease is running."""
        return self.active is not None

    def create(self, commitment: Commitment) -> CommitmentManager:
        """Put a new lease in force.

        Raises:
            IllegalMoveError: another lease is running; renew, revise or expire it first.
        """
        if self.active is not None:
            raise IllegalMoveError(
                f"The commitment to {self.active.goal!r} is active. Renew, revise or expire it before another begins."
            )
        return CommitmentManager(active=commitment)

    def renew(self, additional_turns: int = TURNS) -> CommitmentManager:
        """Grant more turns. Raises IllegalMoveError without a lease, InputError for a number that is no lease."""
        active = self._running("renew")
        _check_turns(additional_turns)
        turns = min(MOST_TURNS, active.turns_remaining + additional_turns)
        granted = min(MOST_TURNS, active.turns_granted + additional_turns)
        return CommitmentManager(active=replace(active, turns_remaining=turns, turns_granted=max(granted, turns)))

    def revise(self, goal: str, mode: CommitmentMode | None = None) -> CommitmentManager:
        """Change what the lease is for; its clock goes on. Raises IllegalMoveError without a lease."""
        active = self._running("revise")
        return CommitmentManager(active=replace(active, goal=_goal(goal), mode=mode or active.mode))

    def reset(self, turns: int) -> CommitmentManager:
        """Set the clock of the lease, as an emergency does; without a lease nothing changes."""
        _check_turns(turns)
        if self.active is None:
            return self
        return CommitmentManager(
            active=replace(self.active, turns_remaining=turns, turns_granted=max(turns, self.active.turns_granted))
        )

    def expire(self) -> CommitmentManager:
        """End the lease; without one nothing changes."""
        return CommitmentManager()

    def tick(self) -> CommitmentTick:
        """One exchange has passed. A lease whose last turn it was ends, and an evaluation is proposed."""
        if self.active is None:
            return CommitmentTick(manager=self)
        remaining = self.active.turns_remaining - 1
        if remaining <= 0:
            return CommitmentTick(manager=self.expire(), expired=self.active, proposed=TurnGate.EVALUATION)
        return CommitmentTick(manager=CommitmentManager(active=replace(self.active, turns_remaining=remaining)))

    def _running(self, step: str) -> Commitment:
        if self.active is None:
            raise IllegalMoveError(f"There is no active commitment to {step}. Create one first.")
        return self.active


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitmentTick:
    """The commitment after an exchange; the one that ended with it, and the gate that is proposed then."""

    manager: CommitmentManager
    expired: Commitment | None = None
    proposed: TurnGate | None = None


def new_commitment(
    commitment_id: str,
    goal: str,
    mode: CommitmentMode,
    *,
    at: datetime,
    turns: int = TURNS,
    lane_id: str | None = None,
) -> Commitment:
    """A lease that has not begun to run. Raises InputError for an empty goal or a number that is no lease."""
    _check_turns(turns)
    return Commitment(
        id=commitment_id,
        goal=_goal(goal),
        mode=mode,
        created_at=at,
        turns_granted=turns,
        turns_remaining=turns,
        lane_id=lane_id,
    )


def _goal(goal: str) -> str:
    if not (plain := " ".join(goal.split())):
        raise InputError("A commitment needs a goal. Say in a few words what is to be reached.")
    return plain


def _check_turns(turns: int) -> None:
    if not 1 <= turns <= MOST_TURNS:
        raise InputError(f"A commitment of {turns} turns is not possible. Give 1 to {MOST_TURNS}.")
