"""Trace events as OpenTelemetry spans, by the conventions for generative AI.

Takes: a tracer that the host got from its OpenTelemetry, and events. Gives: one span for each event. Never: imports
OpenTelemetry, sends anything itself, or puts words of a turn into a span.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.values.trace_event import TraceStatus

if TYPE_CHECKING:
    from dopejar.values.trace_event import TraceEvent

_NANOSECONDS: Final = 1_000_000_000
_AGENT: Final = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "dopejar"}


class OpenTelemetrySpan(Protocol):
    """The part of an OpenTelemetry span that is used."""

    def end(self, end_time: int | None = None) -> None:
        """End it at a time in nanoseconds."""
        ...


class Tracer(Protocol):
    """The part of an OpenTelemetry tracer that is used."""

    def start_span(self, name: str, *, attributes: Mapping[str, str], start_time: int) -> OpenTelemetrySpan:
        """Begin a span at a time in nanoseconds, beneath the one that is current."""
        ...


class OpenTelemetrySink:
    """A `TraceSink` for `Partner(memory, sink=...)`, `MemoryManager` and `PatternStore`."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def emit(self, event: TraceEvent) -> None:
        """One span, as long as the event took; a fault of the tracer is dropped."""
        start = int(event.at.timestamp() * _NANOSECONDS)
        attributes = _AGENT | {
            "dopejar.trace_id": str(event.trace_id),
            "dopejar.layer": str(event.layer),
            "dopejar.component": event.component,
            "dopejar.status": str(event.status),
            "dopejar.output": event.output_summary,
        }
        if event.status is TraceStatus.ERROR:
            attributes["error.type"] = event.component
        try:
            name = f"{event.layer} {event.metadata.get('point', event.operation)}"
            span = self._tracer.start_span(name, attributes=attributes, start_time=start)
            span.end(start + event.duration_ms * _NANOSECONDS // 1000)
        except Exception:  # noqa: BLE001 - a sink raises nothing: what cannot be delivered is dropped
            return
