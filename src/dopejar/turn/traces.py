"""Traces of turns: their events, kept for two weeks, and the tree that people read.

Takes: events. Gives: a row, or lines such as `[alt] transition: L3→L2 → success (5ms)`. Never: the words of a turn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.values.ids import TraceId
from dopejar.values.trace_event import TraceEvent, TraceLayer, TraceOperation, TraceStatus, summary_of
from dopejar.values.turn_enums import DecisionSource
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.governance.utterance import TurnReading
    from dopejar.turn.conversation_state import ConversationState
    from dopejar.turn.slow_tick import SlowTick

ROWS: Final = "trace"
"""The kind of the held rows with the events of a turn, by trace id."""

KEPT: Final = timedelta(days=14)

_SHORT: Final = {
    TraceLayer.ALTITUDE: "alt",
    TraceLayer.FOCUS: "foc",
    TraceLayer.REASONING: "rea",
    TraceLayer.LEARNING: "lea",
    TraceLayer.MEMORY: "mem",
}


def trace_row(trace_id: TraceId, events: Sequence[TraceEvent], at: datetime) -> KeyValueRow:
    """The row of a trace."""
    body = json.dumps([{**asdict(event), "at": event.at.isoformat()} for event in events], ensure_ascii=False)
    return KeyValueRow(kind=ROWS, key=trace_id, body=body, expires_at=at + KEPT)


def events_of(row: KeyValueRow) -> tuple[TraceEvent, ...]:
    """The events of a trace's row."""
    return tuple(
        TraceEvent(
            **{
                **event,
                "trace_id": TraceId(event["trace_id"]),
                "at": datetime.fromisoformat(event["at"]),
                "layer": TraceLayer(event["layer"]),
                "operation": TraceOperation(event["operation"]),
                "status": TraceStatus(event["status"]),
            }
        )
        for event in json.loads(row.body)
    )


def trace_lines(events: Sequence[TraceEvent]) -> Iterator[str]:
    """The tree of a turn: each step beneath the one that led to it."""
    for depth, event in enumerate(events):
        branch = "" if not depth else "    " * (depth - 1) + "  \u2514\u2500"
        point = event.metadata.get("point", str(event.operation))
        yield (
            f"{branch}[{_SHORT[event.layer]}] {point}: {event.output_summary} \u2192 {event.status} "
            f"({event.duration_ms}ms)"
        )


@dataclass(slots=True)
class TurnTrace:
    """The events of one turn, as they happen."""

    trace_id: TraceId
    at: datetime
    events: list[TraceEvent] = field(default_factory=list)
    _reading_ms: int = 0

    def timed(self, read: Callable[[], TurnReading]) -> TurnReading:
        """What `read` gives; its time is that of reading the turn."""
        start = time.perf_counter()
        reading = read()
        self._reading_ms = round((time.perf_counter() - start) * 1000)
        return reading

    def note(self, state: ConversationState, reading: TurnReading, governed: SlowTick) -> None:
        """The events of a governed turn, the outermost first."""
        validation, routing = governed.validation, reading.routing
        self.events = []
        self._add(
            TraceLayer.ALTITUDE,
            TraceOperation.TRANSITION,
            "AltitudeGovernor",
            f"{state.altitude.current_level}\u2192{reading.altitude}",
            point="transition",
            ms=self._reading_ms,
            status=TraceStatus.SUCCESS if validation.allowed else TraceStatus.BLOCKED,
        )
        for decision in governed.decisions:
            self._add(
                TraceLayer.FOCUS,
                TraceOperation.TRANSITION,
                "GateController",
                f"{decision.gate}, {decision.origin}\u2192{decision.target}",
                point="gate_check",
                status=TraceStatus.SUCCESS if decision.passed else TraceStatus.BLOCKED,
            )
        for proposal in governed.state.proposals:
            self._add(
                TraceLayer.FOCUS,
                TraceOperation.ROUTE,
                "SignalDetector",
                f"{proposal.gate} proposed",
                point="gate_check",
            )
        is_pattern = routing.source is DecisionSource.PATTERN_MATCH
        layer = TraceLayer.LEARNING if is_pattern else TraceLayer.REASONING
        point = "pattern_match" if is_pattern else "route"
        self._add(layer, TraceOperation.ROUTE, "ReasoningRouter", str(routing.strategy), point=point)
        self._add(TraceLayer.MEMORY, TraceOperation.WRITE, "Partner", "turn state", point="write")

    def _add(
        self,
        layer: TraceLayer,
        operation: TraceOperation,
        component: str,
        output: str,
        *,
        point: str,
        ms: int = 0,
        status: TraceStatus = TraceStatus.SUCCESS,
    ) -> None:
        self.events.append(
            TraceEvent(
                trace_id=self.trace_id,
                at=self.at,
                layer=layer,
                operation=operation,
                component=component,
                output_summary=summary_of(output),
                duration_ms=ms,
                status=status,
                metadata={"point": point},
            )
        )
