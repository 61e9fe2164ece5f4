"""A trace sink in memory.

Takes: trace events. Gives: a list of them. Never: reorders or drops one.
"""

from __future__ import annotations

from dopejar.values.ids import TraceId
from dopejar.values.trace_event import TraceEvent


class ListTraceSink:
    """Keeps events in the order in which they were emitted. Safe to use from several threads."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []

    def emit(self, event: TraceEvent) -> None:
        """Keep one event."""
        self.events.append(event)

    def of_trace(self, trace_id: TraceId) -> tuple[TraceEvent, ...]:
        """The events of one trace, and of those nested in it."""
        return tuple(event for event in self.events if trace_id in (event.trace_id, event.parent_id))
