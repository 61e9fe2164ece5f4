"""Trace events and their sink in memory."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from dopejar.ports.trace_sink import TraceSink
from dopejar.testing.list_trace_sink import ListTraceSink
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.trace_event import SUMMARY_LENGTH, TraceEvent, TraceLayer, TraceOperation, summary_of

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def event(trace_id: TraceId, component: str = "focus.gates", parent: TraceId | None = None) -> TraceEvent:
    """An event with the fields that have no default."""
    return TraceEvent(
        trace_id=trace_id,
        parent_id=parent,
        at=AT,
        layer=TraceLayer.FOCUS,
        operation=TraceOperation.TRANSITION,
        component=component,
    )


def test_a_sink_keeps_events_in_order_by_trace() -> None:
    """Events come out as they came in; a nested trace belongs to its parent's."""
    outer, nested, other = new_trace_id(), new_trace_id(), new_trace_id()
    kept = ListTraceSink()
    sink: TraceSink = kept
    events = [event(outer), event(other), event(nested, "memory.commit", outer)]
    for one in events:
        sink.emit(one)
    assert kept.events == events
    assert kept.of_trace(outer) == (events[0], events[2])


@given(st.text())
def test_a_summary_is_one_short_line(text: str) -> None:
    """A summary never holds a whole long text, and a short one stays as it is."""
    summary = summary_of(text)
    assert len(summary) <= SUMMARY_LENGTH
    assert "\n" not in summary
    assert summary_of(summary) == summary
