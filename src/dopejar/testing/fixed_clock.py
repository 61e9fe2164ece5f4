"""A clock that stands still until it is told to move.

Takes: a time. Gives: that time. Never: reads the machine's clock.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""The time at which tests take place unless they say otherwise."""


class FixedClock:
    """`ports.clock.Clock` at a time of one's choice."""

    def __init__(self, at: datetime = NOON) -> None:
        self._at = at

    def now(self) -> datetime:
        """The aware time, in UTC."""
        return self._at

    def advance(self, by: timedelta) -> None:
        """Move on by so much."""
        self._at += by
