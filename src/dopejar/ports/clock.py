"""The time, from outside.

Takes: nothing. Gives: aware times. Never: is called in a room that decides; the time is passed in.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Where times come from."""

    def now(self) -> datetime:
        """The aware time, in UTC."""
        ...
