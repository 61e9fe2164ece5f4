"""The port of the clock.

Takes: nothing. Gives: aware times. Never: is called by a pure function; the time is passed in.
"""

from __future__ import annotations

from datetime import datetime

from dopejar.ports.protocol import Protocol


class Clock(Protocol):
    """A source of the current time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
