"""Traces of turns: their events, kept for two weeks, and the tree that people read.

Takes: events. Gives: a row, or lines such as `[alt] transition: L3→L2 → success (5ms)`. Never: the words of a turn.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from dopejar.values.held_bodies import as_list, as_object, aware_time, list_of, require, text_in
from dopejar.values.ids import TraceId
from dopejar.values.trace_event import TraceEvent, TraceLayer, TraceOperation, TraceStatus, summary_of
from dopejar.values.turn_enums import DecisionSource
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.turn.conversation_state import ConversationState
    from dopejar.turn.turn_draft import TurnDraft
    from dopejar.values.turn_decisions import GateDecision, RoutingDecision

Read = TypeVar("Read")

ROWS: Final = "trace"
"""The kind of the held rows with the events of a turn, by trace id."""

KEPT: Final = timedelta(days=14)

_L, _O, _BLOCKED = TraceLayer, TraceOperation, TraceStatus.BLOCKED
_DEPTH: Final = {_L.ALTITUDE: 0, _L.FOCUS: 1, _L.REASONING: 2, _L.LEARNING: 2, _L.MEMORY: 3}
_SHORT: Final = {
    TraceLayer.ALTITUDE: "alt",
    TraceLayer.FOCUS: "foc",
    TraceLayer.REASONING: "rea",
    TraceLayer.LEARNING: "lea",
    TraceLayer.MEMORY: "mem",
}


def trace_row(trace_id: TraceId, events: Sequence[TraceEvent], at: datetime) -> KeyValueRow:
    """The row of a trace; its events are of one time, and come back but for their input."""
    rows = [
        (one.layer, one.operation, one.component, one.output_summary, one.duration_ms, one.status, dict(one.metadata))
        for one in events
    ]
    body = json.dumps([at.isoformat(), rows], ensure_ascii=False, separators=(",", ":"))
    return KeyValueRow(kind=ROWS, key=trace_id, body=body, expires_at=at + KEPT)


def events_of(row: KeyValueRow) -> tuple[TraceEvent, ...]:
    """The events of a trace's row. Raises as `values.held_bodies` does."""
    at, rows = list_of(row)
    return tuple(
        TraceEvent(
            trace_id=TraceId(row.key),
            at=aware_time(at),
            layer=TraceLayer(require(layer, str)),
            operation=TraceOperation(require(operation, str)),
            component=require(component, str),
            output_summary=require(output, str),
            duration_ms=require(ms, int),
            status=TraceStatus(require(status, str)),
            metadata={name: text_in(as_object(metadata), name) for name in as_object(metadata)},
        )
        for layer, operation, component, output, ms, status, metadata in map(as_list, as_list(rows))
    )


def extended(row: KeyValueRow | None, trace: TurnTrace) -> KeyValueRow:
    """The row of a trace with later events of the same turn."""
    earlier = events_of(row) if row is not None else ()
    kept = trace_row(trace.trace_id, (*earlier, *trace.events), earlier[0].at if earlier else trace.at)
    return replace(kept, version=row.version if row is not None else 0)


def depths(events: Sequence[TraceEvent]) -> list[int]:
    """How deep each event stands in the tree: a layer beneath the one that led to it."""
    found, outer = list[int](), list[int]()
    for event in events:
        level = _DEPTH[event.layer]
        outer = [one for one in outer if one < level]
        found.append(len(outer))
        outer.append(level)
    return found


def trace_lines(events: Sequence[TraceEvent]) -> Iterator[str]:
    """The tree of a turn: each layer beneath the one that led to it."""
    for depth, event in zip(depths(events), events, strict=True):
        branch = "" if not depth else "    " * (depth - 1) + "  \u2514\u2500"
        point = event.metadata.get("point", str(event.operation))
        yield (
            f"{branch}[{_SHORT[event.layer]}] {point}: {event.output_summary} \u2192 {event.status} "
            f"({event.duration_ms}ms)"
        )


@dataclass(slots=True)
class TurnTrace:
    """The events of one turn, or of one act between turns, as they happen."""

    trace_id: TraceId
    at: datetime
    events: list[TraceEvent] = field(default_factory=list)
    _timed_ms: int = 0

    def timed(self, read: Callable[[], Read]) -> Read:
        """What `read` gives; its time is that of the event that is noted next: of reading the turn, or of an act."""
        start = time.perf_counter()
        found = read()
        self._timed_ms = round((time.perf_counter() - start) * 1000)
        return found

    def note(self, draft: TurnDraft, *, is_kept: bool) -> None:
        """The events of a governed turn, the outermost first. `is_kept`: there is consent to keep its words."""
        self.events = []
        self._altitude(draft)
        for decision in draft.tick.decisions:
            self._gate(decision)
        for proposal in draft.tick.state.proposals:
            self.add(_L.FOCUS, _O.ROUTE, "gate_check", f"{proposal.gate} proposed", component="SignalDetector")
        if not is_kept:
            self.add(_L.FOCUS, _O.READ, "consent_check", "its words are not kept", status=_BLOCKED)
        self._reasoning(draft.reading.routing)
        self.add(_L.MEMORY, _O.READ, "read", "turn state", component="Partner")
        for row in draft.taught:
            if row.kind == "pattern":
                point = "pattern_match" if row.version else "pattern_add"
                self.add(_L.LEARNING, _O.WRITE, point, "an outcome is counted", component="PatternStore")
        self.add(_L.MEMORY, _O.WRITE, "write", "turn state", component="Partner")

    def note_step(self, before: ConversationState, after: ConversationState, decision: GateDecision | None) -> None:
        """The events of an answer, a commitment or a switch."""
        self.events = []
        if decision is not None:
            self._gate(decision)
        old, new = before.lanes.active, after.lanes.active
        if (old and old.lane_id) != (new and new.lane_id):
            ids = [lane.lane_id if lane else "none" for lane in (old, new)]
            self.add(_L.FOCUS, _O.TRANSITION, "lane_switch", "\u2192".join(ids), component="LaneStore")
        self.add(_L.MEMORY, _O.WRITE, "write", "turn state", component="Partner")

    def note_executed(self, what: str, found: str = "", *, fault: str = "") -> None:
        """The events of what was carried out for the turn, timed as `timed` does it; `found`: what memory gave."""
        status = TraceStatus.ERROR if fault else TraceStatus.SUCCESS
        spent = self._timed_ms
        self.events = []
        self.add(_L.ALTITUDE, _O.ROUTE, "execute", what, component="Partner", ms=spent, status=status)
        if found:
            self.add(_L.MEMORY, _O.READ, "read", found, component="Recall")

    def add(
        self,
        layer: TraceLayer,
        operation: TraceOperation,
        point: str,
        output: str,
        *,
        component: str = "GateController",
        ms: int = 0,
        status: TraceStatus = TraceStatus.SUCCESS,
    ) -> None:
        """Note one event."""
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

    def _altitude(self, draft: TurnDraft) -> None:
        level, validation = draft.state.altitude.current_level, draft.tick.validation
        status = TraceStatus.SUCCESS if validation.allowed else _BLOCKED
        add = partial(self.add, _L.ALTITUDE, component="AltitudeGovernor")
        add(_O.TRANSITION, "transition", f"{level}\u2192{draft.reading.altitude}", ms=self._timed_ms)
        add(_O.READ, "evaluate", validation.reason, status=status)
        may = ", ".join(sorted(draft.tick.authorised.activities)) or "nothing"
        add(_O.ROUTE, "plan", f"may {may}")

    def _gate(self, decision: GateDecision) -> None:
        moved = f"{decision.origin}\u2192{decision.target}"
        status = TraceStatus.SUCCESS if decision.passed else _BLOCKED
        self.add(_L.FOCUS, _O.TRANSITION, "gate_check", f"{decision.gate}, {moved}", status=status)
        if decision.passed and decision.origin is not decision.target:
            self.add(_L.FOCUS, _O.TRANSITION, "stance_change", moved, component="StanceMachine")

    def _reasoning(self, routing: RoutingDecision) -> None:
        add = partial(self.add, _L.REASONING, _O.ROUTE, component="ReasoningRouter")
        if routing.source is DecisionSource.PATTERN_MATCH:
            self.add(_L.LEARNING, _O.READ, "pattern_match", routing.reason, component="PatternStore")
        elif routing.classification is not None:
            kind = routing.classification
            add("classify", f"{kind.complexity}, stakes {kind.stakes}, conflict {kind.conflict}")
        add("route", str(routing.strategy))
        if routing.escalation_level:
            add("escalate", f"level {routing.escalation_level}")
        elif routing.is_taken_back:
            add("deescalate", "level 0")
