"""Preemption: whether another lane may take over from the active one.

Takes: how the two compare. Gives: switch, ask or queue, with the score. Never: switches.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

SWITCH_FROM: Final = 0.70
ASK_FROM: Final = 0.55
STALE_AFTER: Final = timedelta(minutes=30)
_LEAST_COST: Final = 0.3
_COST_OF_PROGRESS: Final = 0.4


class Preemption(StrEnum):
    """What happens to a lane that wants attention."""

    SWITCH = "switch"
    ASK = "ask"
    QUEUE = "queue"


@dataclass(frozen=True, kw_only=True, slots=True)
class Contest:
    """A waiting lane against the active one.

    `priority_delta` and `urgency` are from 0 to 1, as is `progress`, the share of the active commitment that is done.
    """

    priority_delta: float
    urgency: float
    waited: timedelta
    progress: float


def preemption_score(contest: Contest) -> float:
    """The score of a waiting lane, from 0 to 1: a commitment that is nearly fulfilled is costly to leave."""
    staleness = min(1.0, contest.waited / STALE_AFTER)
    cost = _LEAST_COST + _COST_OF_PROGRESS * contest.progress
    return 0.30 * contest.priority_delta + 0.25 * contest.urgency + 0.20 * staleness + 0.25 * (1 - cost)


def preempt(contest: Contest) -> Preemption:
    """Switch, ask the user, or queue."""
    score = preemption_score(contest)
    if score >= SWITCH_FROM:
        return Preemption.SWITCH
    return Preemption.ASK if score >= ASK_FROM else Preemption.QUEUE
