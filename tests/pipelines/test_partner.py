"""Governed turns on a whole store: the scenarios of the design, restarts, two processes, and what is learned."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from dopejar import InputError, Memory, NotFoundError, Partner, TurnResult, open_memory
from dopejar.errors import IllegalMoveError
from dopejar.governance.focus.gates import GateRequest
from dopejar.testing.list_trace_sink import ListTraceSink
from dopejar.turn.opentelemetry_sink import OpenTelemetrySink
from dopejar.turn.traces import trace_lines
from dopejar.values.turn_enums import (
    Altitude,
    Complexity,
    DecisionSource,
    GateWrite,
    LaneStatus,
    SignalType,
    Stance,
    StanceGate,
    Strategy,
    TurnGate,
)
from dopejar.values.versioned_rows import SharedReference

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data directory."""
    return tmp_path / "home"


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """A fresh memory that the user speaks to."""
    with open_memory(home, environment={}, said_by="user") as opened:
        yield opened


def kinds(result: TurnResult) -> set[SignalType]:
    """The signals of a turn."""
    return {one.type for one in result.signals}


def committed(partner: Partner, text: str = "Let's work on the release notes.") -> TurnResult:
    """A turn that declares work, with the user's yes."""
    result = partner.turn(text, recall=False)
    partner.answer(TurnGate.WORK_DECLARATION)
    return result


def test_a_full_turn(memory: Memory) -> None:
    """Scenario 1: planning a week is work at L2 that is anchored, framed, decomposed, and recorded."""
    partner = Partner(memory)
    result = partner.turn("Help me plan my week")
    assert result.altitude is Altitude.L2
    assert result.validation.use_micro_anchor
    assert SignalType.FORMAL_WORK in kinds(result)
    assert [one.gate for one in result.proposals] == [TurnGate.WORK_DECLARATION]
    assert result.stance is Stance.SENSEMAKING
    assert result.routing.classification is not None
    assert result.routing.classification.complexity is Complexity.MODERATE
    assert result.routing.strategy is Strategy.DECOMPOSITION
    assert partner.state.pending is not None
    assert partner.state.pending.strategy is Strategy.DECOMPOSITION


def test_an_emergency_overrides(memory: Memory) -> None:
    """Scenario 2: an emergency leads to sensemaking, resets the clock, is logged, and answered at once."""
    partner = Partner(memory)
    committed(partner)
    for _ in range(3):
        partner.turn("And the next paragraph.", recall=False)
    result = partner.turn("STOP! Wrong project!")
    assert SignalType.EMERGENCY in kinds(result)
    decision = result.decisions[0]
    assert (decision.gate, decision.passed, decision.origin) == (StanceGate.EMERGENCY, True, Stance.EXECUTION)
    assert decision.writes == {GateWrite.LOG_EMERGENCY, GateWrite.RESET_CLOCK}
    assert result.stance is Stance.SENSEMAKING
    assert result.commitment is not None
    assert result.commitment.turns_remaining == 20
    assert result.tell[0].startswith("Stopped.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Stop deleting the files!", "Stopped."),
        ("You are emailing the wrong customer!", "Stopped."),
        ("The kitchen is full of smoke and the alarm does not stop!", "All else is set aside."),
    ],
)
def test_an_emergency_elsewhere_is_not_answered_as_an_order_to_stop(memory: Memory, text: str, told: str) -> None:
    """Who told the assistant to stop hears that it stopped; who tells of a disaster is asked what comes first."""
    result = Partner(memory).turn(text, recall=False)
    assert SignalType.EMERGENCY in kinds(result)
    assert result.tell[0].startswith(told)


def test_a_strategy_that_worked_three_times_is_a_pattern(home: Path) -> None:
    """Scenario 3: three successes, each in a conversation of its own, decide instead of the classifier."""
    for session in range(3):
        with open_memory(home, environment={}, said_by="user") as opened:
            partner = Partner(opened, f"session {session}")
            result = partner.turn("Help me plan the summer camp of the scouts", recall=False)
            assert result.routing.source is DecisionSource.CLASSIFIER
            partner.feedback(succeeded=True)
    with open_memory(home, environment={}, said_by="user") as opened:
        result = Partner(opened, "next").turn("Help me plan the summer camp for the scouts again", recall=False)
    assert result.routing.source is DecisionSource.PATTERN_MATCH
    assert result.routing.confidence == pytest.approx(0.7)
    assert result.routing.strategy is Strategy.DECOMPOSITION
    assert "user_prefers_decomposition" in result.routing.reason


def test_a_failure_takes_a_pattern_back(memory: Memory) -> None:
    """A failure weakens a pattern below what decides; feedback counts once a turn."""
    text = "Help me plan the garden of the school"
    partner = Partner(memory)
    for _ in range(3):
        partner.turn(text, recall=False)
        partner.feedback(succeeded=True)
        partner.feedback(succeeded=True)
    assert partner.turn(text, recall=False).routing.source is DecisionSource.PATTERN_MATCH
    partner.feedback(succeeded=False)
    assert partner.turn(text, recall=False).routing.source is DecisionSource.CLASSIFIER


def test_the_same_turn_again_changes_nothing(memory: Memory) -> None:
    """A turn id governs once, however often a host sends it."""
    partner = Partner(memory)
    committed(partner)
    partner.turn("The first paragraph is done, go on.", turn_id="t-7", recall=False)
    before = partner.state
    again = partner.turn("The first paragraph is done, go on.", turn_id="t-7", recall=False)
    assert again.was_known
    assert partner.state == before


def test_the_state_survives_a_restart(home: Path) -> None:
    """Stance, commitment, lanes and proposals are the same in the next process, which can say where it was."""
    with open_memory(home, environment={}, said_by="user") as opened:
        partner = Partner(opened)
        committed(partner)
        partner.turn("Switch to the invoices, please.", recall=False)
        partner.answer(TurnGate.LANE_SWITCH)
        partner.turn("Let's work on the invoices.", recall=False)
        state = partner.state
    with open_memory(home, environment={}, said_by="user") as opened:
        partner = Partner(opened)
        assert partner.state == state
        assert "release notes" in partner.where_we_were()
        assert Partner(opened, "another").where_we_were() == ""


def test_a_paused_lane_comes_back_exactly(memory: Memory) -> None:
    """After a switch away and back, stance, commitment and altitude are those of before."""
    partner = Partner(memory)
    committed(partner)
    left = partner.state
    partner.turn("Switch to the invoices, please.", recall=False)
    at_switch = partner.state
    partner.answer(TurnGate.LANE_SWITCH)
    paused = partner.state
    assert paused.lanes.active is None
    assert paused.focus.commitment is None
    committed(partner, "Let's work on the invoices.")
    partner.switch_lane("lane-1")
    back = partner.state
    assert back.focus.stance is left.focus.stance
    assert back.focus.commitment == at_switch.focus.commitment
    assert back.altitude == at_switch.altitude
    assert [lane.status for lane in back.lanes.lanes] == [LaneStatus.ACTIVE, LaneStatus.PAUSED]


def test_a_lease_that_ends_authorises_nothing(memory: Memory) -> None:
    """With the last turn of a commitment nothing may be executed any more, and an evaluation is proposed."""
    partner = Partner(memory)
    committed(partner)
    results = [partner.turn(f"Paragraph {number} now.", recall=False) for number in range(10)]
    assert all(result.authorised.activities for result in results[:-1])
    assert results[-1].commitment is None
    assert results[-1].authorised.activities == frozenset()
    assert TurnGate.EVALUATION in {one.gate for one in results[-1].proposals}
    decision = partner.answer(TurnGate.EVALUATION)
    assert decision is not None
    assert decision.target is Stance.EVALUATION


def test_an_evaluation_ends_what_was_evaluated(memory: Memory) -> None:
    """The first yes leads to the evaluation, the second ends commitment and lane."""
    partner = Partner(memory)
    committed(partner)
    partner.turn("The release notes are done.", recall=False)
    partner.answer(TurnGate.EVALUATION)
    assert partner.state.focus.stance is Stance.EVALUATION
    partner.turn("All done, wrap it up.", recall=False)
    partner.answer(TurnGate.EVALUATION)
    state = partner.state
    assert (state.focus.stance, state.focus.commitment) == (Stance.SENSEMAKING, None)
    assert [lane.status for lane in state.lanes.lanes] == [LaneStatus.COMPLETED]


def test_high_stakes_wait_for_a_yes(memory: Memory) -> None:
    """A request with high stakes may only ask back until it was verified."""
    partner = Partner(memory)
    committed(partner)
    result = partner.turn("Delete the production database.", recall=False)
    assert result.validation.requires_verification
    assert result.authorised.activities == frozenset()
    assert any("hard to take back" in line for line in result.tell)
    verified = partner.turn("Delete the production database.", verified=True, recall=False)
    assert verified.authorised.activities


def test_declined_and_unknown_answers(memory: Memory) -> None:
    """A declined proposal is gone and nothing else changed; a gate that does not wait is an error."""
    partner = Partner(memory)
    partner.turn("Let's work on the release notes.", recall=False)
    before = partner.state
    assert partner.answer("work_declaration", approved=False) is None
    assert before.pending is not None
    assert partner.state == replace(before, proposals=(), pending=replace(before.pending, declined=True))
    with pytest.raises(NotFoundError, match="waits for an answer"):
        partner.answer(TurnGate.WORK_DECLARATION)
    with pytest.raises(InputError, match="no gate 'door'"):
        partner.answer("door")
    with pytest.raises(InputError, match="no text"):
        partner.turn("  ")
    with pytest.raises(InputError, match="needs a name"):
        Partner(memory, " ")


def test_a_refused_gate_says_why(memory: Memory) -> None:
    """A gate that the table does not open leaves the state as it was."""
    partner = Partner(memory)
    partner.turn("Good morning.", recall=False)
    before = partner.state
    decision = partner.pass_gate(GateRequest(gate=StanceGate.COMMITMENT))
    assert decision is not None
    assert not decision.passed
    assert "commitment" in decision.reason
    assert partner.state == before


def test_north_stars_are_cited(memory: Memory) -> None:
    """The micro-anchor cites the user's own words from the shared references; priorities ground a task."""
    star = SharedReference(
        key="north_stars", value='"maps for everyone"', version=1, source="user", updated_by="ana", updated_at=AT
    )
    memory.workspace.put_reference(star)
    partner = Partner(memory)
    assert "maps for everyone" in "".join(partner.turn("What should I do today?", recall=False).tell)
    memory.workspace.put_reference(replace(star, key="priorities", value=json.dumps(["finish the atlas"])))
    assert not partner.turn("What should I do today?", recall=False).validation.use_micro_anchor


def test_what_memory_knows_comes_with_the_turn(memory: Memory) -> None:
    """The context of a turn is recalled from other conversations, within its budget, and is a part of the prompt."""
    memory.remember("The atlas is printed in Ghent.")
    result = Partner(memory).turn("Where is the atlas printed?", budget=120)
    assert result.context is not None
    assert "Ghent" in result.context.text
    assert result.context.tokens <= 120
    assert result.prompt["context"] == result.context.text


def test_secrets_do_not_reach_the_state(memory: Memory) -> None:
    """Goals are taken from the redacted words."""
    partner = Partner(memory)
    secret = "ghp_" + "a1B2" * 9
    partner.turn(f"Let's work on the login with {secret}.", recall=False)
    row = memory.workspace.row("turn", "main")
    assert row is not None
    assert secret not in row.body


def test_typed_goals_are_redacted(memory: Memory) -> None:
    """A goal that is typed, for a commitment or an answer, is in the state as it was kept; an undo takes it out."""
    partner, secret = Partner(memory), "ghp_" + "a1B2" * 9
    decision = partner.commit(f"Rotate {secret}")
    assert decision is not None
    assert decision.passed
    lane = partner.state.lanes.active
    assert lane is not None
    assert lane.lease_goal.startswith("Rotate ")
    assert secret not in lane.lease_goal
    partner.undo()
    assert partner.state.lanes.active is None
    partner.turn("Help me plan my week", recall=False)
    with pytest.raises(IllegalMoveError):
        partner.undo()
    partner.answer("work_declaration", goal=f"Rotate {secret}")
    row = memory.workspace.row("turn", "main")
    assert row is not None
    assert secret not in row.body


def test_recall_can_be_left_out(memory: Memory) -> None:
    """A turn without recall has no context; one with recall has a pack, also where nothing is known."""
    partner = Partner(memory)
    assert partner.turn("What time is it?", recall=False).context is None
    assert partner.turn("What time is it now?").context is not None


def test_two_partners_lose_no_turn(home: Path) -> None:
    """Turns of two memories at once are all governed, each once."""
    memories = [open_memory(home, environment={}, said_by="user") for _ in range(2)]

    def speak(memory: Memory, name: str) -> None:
        for number in range(8):
            Partner(memory).turn(f"Sentence {number}.", turn_id=f"{name}-{number}", recall=False)

    threads = [Thread(target=speak, args=(memory, str(place))) for place, memory in enumerate(memories)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = Partner(memories[0]).state
    for memory in memories:
        memory.close()
    assert sorted(state.turn_ids) == sorted(f"{place}-{number}" for place in range(2) for number in range(8))
    assert state.focus.turn == state.altitude.turn == 16


def test_a_trace_is_a_tree(memory: Memory) -> None:
    """Every turn leaves a trace under its id, as events for a sink and as a tree for people."""
    sink = ListTraceSink()
    partner = Partner(memory, sink=sink)
    result = partner.turn("Help me plan my week", recall=False)
    events = partner.trace(result.trace_id)
    assert tuple(sink.events) == events
    lines = list(trace_lines(events))
    assert lines[0].startswith("[alt] transition: L3\u2192L2 \u2192 success (")
    assert next(line for line in lines if "[foc]" in line).startswith("  \u2514\u2500[foc] gate_check: framing")
    assert {event.metadata["point"] for event in events} >= {"transition", "evaluate", "plan", "classify", "route"}
    assert lines[-1].strip().startswith("\u2514\u2500[mem] write: turn state")
    assert partner.trace("unknown") == ()


def test_time_is_the_hosts(memory: Memory) -> None:
    """The clock that a host gives is the one that lanes are dated by."""
    partner = Partner(memory, now=lambda: AT + timedelta(days=3))
    committed(partner)
    lane = partner.state.lanes.active
    assert lane is not None
    assert lane.created_at == AT + timedelta(days=3)


def test_events_become_spans(memory: Memory) -> None:
    """A host's tracer gets a span for each event, without words of the turn; a tracer that fails stops no turn."""
    spans: list[tuple[str, Mapping[str, str], int, int]] = []

    class Span:
        def __init__(self, name: str, attributes: Mapping[str, str], start: int) -> None:
            self.begun = (name, attributes, start)

        def end(self, end_time: int | None = None) -> None:
            spans.append((*self.begun, end_time or 0))

    class Tracer:
        def start_span(self, name: str, *, attributes: Mapping[str, str], start_time: int) -> Span:
            if name == "memory write":
                raise RuntimeError("the collector is gone")
            return Span(name, attributes, start_time)

    result = Partner(memory, sink=OpenTelemetrySink(Tracer()), now=lambda: AT).turn(
        "Help me plan my week", recall=False
    )
    names = [name for name, *_ in spans]
    assert {"altitude transition", "focus gate_check", "reasoning route"} <= set(names)
    assert "memory write" not in names
    assert {one["dopejar.trace_id"] for _, one, *_ in spans} == {str(result.trace_id)}
    assert all(one["gen_ai.operation.name"] == "invoke_agent" for _, one, *_ in spans)
    assert all(end >= start == int(AT.timestamp()) * 10**9 for *_, start, end in spans)
    assert "week" not in str(spans)
