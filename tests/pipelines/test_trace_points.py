"""The trace points of every layer, as turns and the acts between them report them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from dopejar import Partner, open_memory
from dopejar.governance.learning.pattern import new_pattern
from dopejar.seeds import MemoryManager, PatternStore
from dopejar.testing.list_trace_sink import ListTraceSink
from dopejar.values.episode import Origin
from dopejar.values.trace_event import TraceLayer
from dopejar.values.turn_enums import TurnGate

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CAMP = "Help me plan the summer camp of the scouts"
POINTS = {
    TraceLayer.ALTITUDE: {"transition", "evaluate", "plan", "execute"},
    TraceLayer.FOCUS: {"stance_change", "gate_check", "lane_switch", "consent_check"},
    TraceLayer.REASONING: {"classify", "route", "escalate", "deescalate"},
    TraceLayer.LEARNING: {"pattern_match", "pattern_add", "pattern_trim", "generalize"},
    TraceLayer.MEMORY: {"read", "write", "promote", "demote"},
}
"""What the design of the turn wants to see of each layer."""


def govern_a_day(partner: Partner) -> None:
    """Turns and answers that between them pass every point of a turn."""
    partner.turn("Let's work on the release notes.", recall=False)
    partner.answer(TurnGate.WORK_DECLARATION)
    partner.commit("the tax return")
    partner.turn("I was asked to pass this on.", origin=Origin.OTHER, recall=False)
    for _ in range(3):
        partner.turn(CAMP, recall=False)
        partner.feedback(succeeded=True)
    partner.turn(f"{CAMP} again")
    partner.turn("Perfect, that's done, thanks!", recall=False)


def ask_for_the_far_future(partner: Partner) -> None:
    """A small step for a far goal, without a commitment: more care, until the user insists."""
    far = "Write the invitation so that we still like it in ten years."
    partner.turn(far, recall=False)
    partner.turn(f"{far} Just do it.", recall=False)


def look_after(patterns: PatternStore, areas: MemoryManager) -> None:
    """What people do between turns: patterns merged and trimmed, an area kept and let go."""
    for what in ("timeboxing coding sessions", "timeboxing writing sessions"):
        asked = {"request_type": "derivative", "text": what}
        patterns.add_pattern(new_pattern(asked, "decomposition", at=AT, confidence=0.8))
    patterns.accept_merge(patterns.merges()[0])
    patterns.trim_stale()
    areas.allow("focus.lanes")
    areas.withdraw("focus.lanes")


def test_every_trace_point_is_reported(tmp_path: Path) -> None:
    """Turns, answers and the acts between them report every point of every layer, and none that is not listed."""
    sink = ListTraceSink()
    consent = {"DOPEJAR_CONSENT_PERSIST": "user"}
    with open_memory(tmp_path, environment=consent, said_by="user") as memory:
        govern_a_day(Partner(memory, sink=sink))
        ask_for_the_far_future(Partner(memory, "aside", sink=sink))
        later = AT + timedelta(days=40)
        look_after(PatternStore(memory, now=lambda: later, sink=sink), MemoryManager(memory, sink=sink))
    found = {(event.layer, event.metadata["point"]) for event in sink.events}
    assert found == {(layer, point) for layer, points in POINTS.items() for point in points}


def test_what_a_turn_carried_out_is_in_its_trace(tmp_path: Path) -> None:
    """The kept trace of a turn ends with what was executed and read for it, and is what the sink heard."""
    sink = ListTraceSink()
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        partner = Partner(memory, sink=sink)
        memory.remember("The atlas is printed in Ghent.")
        result = partner.turn("Where is the atlas printed?")
        events = partner.trace(result.trace_id)
    assert sink.of_trace(result.trace_id) == events
    ends = [(event.layer, event.metadata["point"], event.output_summary) for event in events[-2:]]
    assert ends == [(TraceLayer.ALTITUDE, "execute", "recall"), (TraceLayer.MEMORY, "read", "1 recalled")]
