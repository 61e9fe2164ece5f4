"""Trace events on their way out: to a file, a log, a screen.

Takes: events as they happen. Gives: nothing back. Never: changes or delays what is traced.
"""

from __future__ import annotations

from dopejar.ports.protocol import Protocol
from dopejar.values.trace_event import TraceEvent


class TraceSink(Protocol):
    """Where trace events go."""

    def emit(self, event: TraceEvent) -> None:
        """Take one event. It returns soon and raises nothing: what cannot be delivered is dropped."""
