"""Lanes: parallel streams of work, one of them active; a paused one is restored exactly.

Takes: all lanes of a conversation and an event. Gives: the lanes after it. Never: loses a snapshot, or has two active.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from dopejar.errors import IllegalMoveError, NotFoundError
from dopejar.values.turn_enums import CommitmentMode, LaneEvent, LaneStatus
from dopejar.values.turn_state import FocusSnapshot, Lane

_E, _L = LaneEvent, LaneStatus

MOVES: Final[Mapping[tuple[LaneStatus, LaneEvent], LaneStatus]] = MappingProxyType(
    {
        (_L.ACTIVE, _E.PAUSE): _L.PAUSED,
        (_L.PAUSED, _E.RESUME): _L.ACTIVE,
        (_L.ACTIVE, _E.COMPLETE): _L.COMPLETED,
    }
)


def step(status: LaneStatus, event: LaneEvent) -> LaneStatus:
    """The status after the event. Raises IllegalMoveError where the table has no such move."""
    target = MOVES.get((status, event))
    if target is None:
        raise IllegalMoveError(f"A lane that is {status} cannot {event}. Switch to another lane, or create one.")
    return target


@dataclass(frozen=True, kw_only=True, slots=True)
class Resumption:
    """The lanes after a lane was resumed, and what it was paused with."""

    store: LaneStore
    lane: Lane
    snapshot: FocusSnapshot | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LaneStore:
    """All lanes of a conversation, in the order in which they were created."""

    lanes: tuple[Lane, ...] = ()

    @property
    def active(self) -> Lane | None:
        """The lane that has attention."""
        return next((lane for lane in self.lanes if lane.status is _L.ACTIVE), None)

    @property
    def paused(self) -> tuple[Lane, ...]:
        """The paused lanes, the one that was paused last first."""
        waiting = [lane for lane in self.lanes if lane.status is _L.PAUSED]
        return tuple(sorted(waiting, key=lambda lane: lane.paused_at or lane.created_at, reverse=True))

    def lane(self, lane_id: str) -> Lane:
        """The lane of this id. Raises NotFoundError."""
        for lane in self.lanes:
            if lane.lane_id == lane_id:
                return lane
        known = ", ".join(lane.lane_id for lane in self.lanes) or "none"
        raise NotFoundError(f"There is no lane {lane_id}. Known: {known}.")

    def create(self, lane_id: str, goal: str, mode: CommitmentMode, *, at: datetime) -> LaneStore:
        """Begin a lane; it is active at once.

        Raises:
            IllegalMoveError: another lane is active (pause it first), or the id is taken.
        """
        if self.active is not None:
            raise IllegalMoveError(f"Lane {self.active.lane_id} is active. Pause or complete it before another begins.")
        if any(lane.lane_id == lane_id for lane in self.lanes):
            raise IllegalMoveError(f"There is a lane {lane_id} already. Resume it, or choose another id.")
        lane = Lane(lane_id=lane_id, status=_L.ACTIVE, lease_goal=goal, lease_mode=mode, created_at=at)
        return LaneStore(lanes=(*self.lanes, lane))

    def pause(self, snapshot: FocusSnapshot, bookmark: str, *, at: datetime) -> LaneStore:
        """Set the active lane aside with all it needs to go on. Raises IllegalMoveError where none is active."""
        lane = self._attended(_E.PAUSE)
        return self._with(
            replace(lane, status=step(lane.status, _E.PAUSE), paused_at=at, snapshot=snapshot, bookmark=bookmark)
        )

    def resume(self, lane_id: str | None = None) -> Resumption:
        """Go on with a paused lane; with None, with the one that was paused last.

        Raises:
            IllegalMoveError: a lane is active, the lane is not paused, or none is.
            NotFoundError: there is no such lane.
        """
        if self.active is not None:
            raise IllegalMoveError(f"Lane {self.active.lane_id} is active. Use switch, or pause it first.")
        if lane_id is None and not self.paused:
            raise IllegalMoveError("No lane is paused. Create one.")
        lane = self.lane(lane_id) if lane_id is not None else self.paused[0]
        running = replace(lane, status=step(lane.status, _E.RESUME), paused_at=None, snapshot=None)
        return Resumption(store=self._with(running), lane=running, snapshot=lane.snapshot)

    def complete(self) -> LaneStore:
        """End the active lane for good. Raises IllegalMoveError where none is active."""
        lane = self._attended(_E.COMPLETE)
        return self._with(replace(lane, status=step(lane.status, _E.COMPLETE)))

    def switch(self, lane_id: str, snapshot: FocusSnapshot, bookmark: str, *, at: datetime) -> Resumption:
        """Pause the active lane, if there is one, and resume another. Raises as `resume` does."""
        step(self.lane(lane_id).status, _E.RESUME)  # a switch that cannot end begins nothing
        store = self.pause(snapshot, bookmark, at=at) if self.active is not None else self
        return store.resume(lane_id)

    def _attended(self, event: LaneEvent) -> Lane:
        if self.active is None:
            raise IllegalMoveError(f"No lane is active, so none can {event}. Create or resume one.")
        return self.active

    def _with(self, lane: Lane) -> LaneStore:
        return LaneStore(lanes=tuple(lane if lane.lane_id == one.lane_id else one for one in self.lanes))
