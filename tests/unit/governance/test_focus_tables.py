"""The tables of focus, whole: stances and gates, commitments and ticks, lanes and events, preemption."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from dopejar.errors import IllegalMoveError, InputError, NotFoundError
from dopejar.governance.focus.commitment import TURNS, CommitmentManager, new_commitment
from dopejar.governance.focus.gates import (
    ALLOWED_WRITES,
    EMERGENCY_COOLDOWN,
    EMERGENCY_TURNS,
    GateController,
    GateRequest,
    authorised_scope,
    tick,
)
from dopejar.governance.focus.lanes import LaneStore, step
from dopejar.governance.focus.preemption import Contest, Preemption, preempt, preemption_score
from dopejar.governance.focus.stance import ALLOWED, SUPPRESSED, StanceMachine
from dopejar.values.turn_enums import (
    Activity,
    Altitude,
    CommitmentMode,
    GateWrite,
    LaneEvent,
    LaneStatus,
    Stance,
    StanceGate,
    TurnGate,
)
from dopejar.values.turn_state import AltitudeContext, FocusSnapshot, FocusState

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
EXPLORING = {"sensemaking", "discovery"}

# the design's table, written a second time by hand: (from, gate) -> to
TRANSITIONS = {
    ("sensemaking", "framing"): EXPLORING,
    ("discovery", "framing"): EXPLORING,
    ("execution", "framing"): EXPLORING,
    ("evaluation", "framing"): EXPLORING,
    ("sensemaking", "commitment"): {"execution"},
    ("discovery", "commitment"): {"execution"},
    ("execution", "commitment"): {"execution"},
    ("evaluation", "commitment"): {"execution"},
    ("sensemaking", "evaluation"): {"evaluation"},
    ("discovery", "evaluation"): {"evaluation"},
    ("execution", "evaluation"): {"evaluation"},
    ("evaluation", "evaluation"): {"sensemaking", "execution"},
    ("sensemaking", "emergency"): {"sensemaking"},
    ("discovery", "emergency"): {"sensemaking"},
    ("execution", "emergency"): {"sensemaking"},
    ("evaluation", "emergency"): {"sensemaking"},
}
ACTIVITIES = {
    "sensemaking": ("question clarify explore reframe", "execute commit optimize"),
    "discovery": ("brainstorm prototype experiment diverge", "commit optimize evaluate"),
    "execution": ("execute deliver implement progress", "reframe explore question_frame"),
    "evaluation": ("assess compare measure decide", "execute explore commit"),
}


def commitment(turns: int = TURNS, goal: str = "Repot the ferns"):
    """A lease of some turns."""
    return new_commitment("k1", goal, CommitmentMode.DELIVER, at=NOW, turns=turns)


@pytest.mark.parametrize(("stance", "gate", "target"), list(product(Stance, StanceGate, Stance)))
def test_stance_moves_by_the_table_alone(stance, gate, target) -> None:
    """Each stance, gate and target: the move is possible if and only if the table has it."""
    machine = StanceMachine(stance=stance)
    if target in TRANSITIONS[stance, gate]:
        assert machine.step(gate, target).stance is target
    else:
        with pytest.raises(IllegalMoveError, match=f"{stance} to {target}"):
            machine.step(gate, target)


@pytest.mark.parametrize("stance", Stance)
def test_stance_allows_and_suppresses_what_the_table_says(stance) -> None:
    """Each stance has exactly its activities; none is allowed and suppressed at once."""
    allowed, suppressed = (frozenset(Activity(word) for word in words.split()) for words in ACTIVITIES[stance])
    assert ALLOWED[stance] == allowed
    assert SUPPRESSED[stance] == suppressed
    assert not allowed & suppressed
    scope = StanceMachine(stance=stance).scope
    assert {one for one in Activity if scope.permits(one)} == allowed


@pytest.mark.parametrize(("stance", "gate", "write"), list(product(Stance, StanceGate, GateWrite)))
def test_gate_writes_only_what_it_may(stance, gate, write) -> None:
    """Each stance, gate and write: a write that is not the gate's own is refused, and the state stays as it was."""
    state = FocusState(stance=stance, commitment=commitment(), frame="the balcony")
    request = GateRequest(gate=gate, writes=frozenset({write}), draft=commitment(), goal="Feed the ferns", frame="roof")
    passage = GateController().request(state, request)
    if write not in ALLOWED_WRITES[gate] and gate is not StanceGate.EMERGENCY:
        assert not passage.decision.passed
        assert write in passage.decision.reason
    assert passage.decision.writes <= ALLOWED_WRITES[gate]
    if not passage.decision.passed:
        assert passage.state is state


@pytest.mark.parametrize("gate", list(StanceGate))
def test_gate_asked_for_another_target_is_refused(gate) -> None:
    """A target that the table does not have for the gate is refused with both stances named, except in an emergency."""
    for target in Stance:
        state = FocusState(stance=Stance.DISCOVERY, commitment=commitment())
        passage = GateController().request(state, GateRequest(gate=gate, target=target))
        is_legal = target in TRANSITIONS["discovery", gate]
        assert passage.decision.passed is (is_legal or gate is StanceGate.EMERGENCY)
        assert passage.state.stance in TRANSITIONS["discovery", gate] | {"discovery"}


def test_work_passes_from_frame_to_execution_to_evaluation() -> None:
    """A drafted commitment is activated at the commitment gate, and evaluated; the frame and the goal are kept."""
    gates, state = GateController(), FocusState()
    writes = frozenset({GateWrite.DRAFT_COMMITMENT, GateWrite.LOCK_FRAME})
    framed = gates.request(
        state, GateRequest(gate=StanceGate.FRAMING, writes=writes, draft=commitment(), frame="the balcony")
    ).state
    assert (framed.stance, framed.frame, framed.commitment) == (Stance.SENSEMAKING, "the balcony", None)
    activated = gates.request(
        framed, GateRequest(gate=StanceGate.COMMITMENT, writes=frozenset({GateWrite.ACTIVATE_COMMITMENT}))
    ).state
    assert activated.stance is Stance.EXECUTION
    assert activated.commitment == commitment()
    assert activated.draft is None
    evaluated = gates.request(activated, GateRequest(gate=StanceGate.EVALUATION)).state
    assert evaluated.stance is Stance.EVALUATION
    ended = gates.request(
        evaluated,
        GateRequest(
            gate=StanceGate.EVALUATION,
            target=Stance.SENSEMAKING,
            writes=frozenset({GateWrite.EXPIRE_COMMITMENT}),
        ),
    ).state
    assert (ended.stance, ended.commitment) == (Stance.SENSEMAKING, None)


@pytest.mark.parametrize(
    ("state", "request_", "reason"),
    [
        (FocusState(), GateRequest(gate=StanceGate.COMMITMENT), "execution needs an active commitment"),
        (
            FocusState(),
            GateRequest(gate=StanceGate.COMMITMENT, writes=frozenset({GateWrite.ACTIVATE_COMMITMENT})),
            "no commitment was drafted",
        ),
        (
            FocusState(draft=commitment(), commitment=commitment()),
            GateRequest(gate=StanceGate.COMMITMENT, writes=frozenset({GateWrite.ACTIVATE_COMMITMENT})),
            "another commitment is active",
        ),
        (
            FocusState(),
            GateRequest(gate=StanceGate.FRAMING, writes=frozenset({GateWrite.DRAFT_COMMITMENT})),
            "nothing to draft",
        ),
        (
            FocusState(commitment=commitment()),
            GateRequest(gate=StanceGate.EVALUATION, writes=frozenset({GateWrite.REVISE_COMMITMENT}), goal=" "),
            "no goal",
        ),
        (
            FocusState(stance=Stance.EVALUATION, commitment=commitment()),
            GateRequest(
                gate=StanceGate.EVALUATION,
                target=Stance.EXECUTION,
                writes=frozenset({GateWrite.EXPIRE_COMMITMENT}),
            ),
            "execution needs an active commitment",
        ),
    ],
)
def test_gate_is_refused_with_a_reason(state, request_, reason) -> None:
    """What a gate needs and does not find stands in its reason, and nothing changes."""
    passage = GateController().request(state, request_)
    assert not passage.decision.passed
    assert reason in passage.decision.reason
    assert passage.state is state


def test_evaluation_renews_or_revises() -> None:
    """At the evaluation gate a commitment gets more turns or another goal."""
    state = FocusState(stance=Stance.EXECUTION, commitment=commitment(2))
    renewed = GateController().request(
        state, GateRequest(gate=StanceGate.EVALUATION, writes=frozenset({GateWrite.RENEW_COMMITMENT}), turns=5)
    )
    assert renewed.state.commitment == replace(commitment(2), turns_remaining=7, turns_granted=7)
    revised = GateController().request(
        state,
        GateRequest(gate=StanceGate.EVALUATION, writes=frozenset({GateWrite.REVISE_COMMITMENT}), goal="Sow cress"),
    )
    assert revised.state.commitment == replace(commitment(2), goal="Sow cress")


@pytest.mark.parametrize("stance", Stance)
@pytest.mark.parametrize("active", [None, commitment(1)])
def test_emergency_always_ends_in_sensemaking(stance, active) -> None:
    """From each stance, with and without a commitment, an emergency passes, keeps the commitment, resets its clock."""
    passage = GateController().emergency(FocusState(stance=stance, commitment=active, turn=7))
    assert passage.decision.passed
    assert passage.state.stance is Stance.SENSEMAKING
    assert passage.state.last_emergency == 7
    assert passage.state.emergencies == 1
    expected = replace(commitment(1), turns_remaining=EMERGENCY_TURNS, turns_granted=EMERGENCY_TURNS)
    assert passage.state.commitment == (expected if active else None)


def test_emergency_cools_down() -> None:
    """Another emergency within the cooldown ends in sensemaking too, is counted, and resets no clock."""
    state = GateController().emergency(FocusState(commitment=commitment())).state
    for _ in range(EMERGENCY_COOLDOWN - 1):
        state, _ended = tick(state)
        again = GateController().emergency(state)
        assert again.decision.writes == {GateWrite.LOG_EMERGENCY}
        assert again.state.stance is Stance.SENSEMAKING
        assert again.state.commitment == state.commitment
    state, _ended = tick(state)
    assert GateWrite.RESET_CLOCK in GateController().emergency(state).decision.writes


@pytest.mark.parametrize(("turns", "after"), [(None, None), (1, None), (2, 1), (10, 9)])
def test_tick_takes_a_turn(turns, after) -> None:
    """Each lease and a tick: it loses one turn, and ends with its last one, which proposes an evaluation."""
    manager = CommitmentManager(active=commitment(turns) if turns else None)
    ticked = manager.tick()
    assert (ticked.manager.active.turns_remaining if ticked.manager.active else None) == after
    is_ended = turns == 1
    assert ticked.expired == (manager.active if is_ended else None)
    assert ticked.proposed is (TurnGate.EVALUATION if is_ended else None)


def test_execution_without_its_commitment_authorises_nothing() -> None:
    """When a lease ends during execution, nothing may be done until a gate is passed."""
    state, ended = tick(FocusState(stance=Stance.EXECUTION, commitment=commitment(1)))
    assert ended == commitment(1)
    assert not authorised_scope(state).activities
    assert authorised_scope(FocusState(stance=Stance.EXECUTION, commitment=commitment())).permits(Activity.EXECUTE)


def test_commitment_steps_need_a_lease_and_a_possible_one() -> None:
    """Renewing and revising need a lease; a second one, an empty goal and impossible numbers are refused."""
    with pytest.raises(IllegalMoveError, match="no active commitment to renew"):
        CommitmentManager().renew()
    with pytest.raises(IllegalMoveError, match="no active commitment to revise"):
        CommitmentManager().revise("Sow cress")
    with pytest.raises(IllegalMoveError, match="is active"):
        CommitmentManager(active=commitment()).create(commitment())
    with pytest.raises(InputError, match="needs a goal"):
        commitment(goal="  ")
    with pytest.raises(InputError, match="0 turns"):
        commitment(0)
    assert CommitmentManager().create(commitment()).has_active_commitment
    assert not CommitmentManager(active=commitment()).expire().has_active_commitment


# (status, event) -> status, by hand
LANE_MOVES = {("active", "pause"): "paused", ("paused", "resume"): "active", ("active", "complete"): "completed"}


@pytest.mark.parametrize(("status", "event"), list(product(LaneStatus, LaneEvent)))
def test_lane_moves_by_the_table_alone(status, event) -> None:
    """Each status and event: the table's move, or an error that names both."""
    target = LANE_MOVES.get((status, event))
    if target:
        assert step(status, event) == target
    else:
        with pytest.raises(IllegalMoveError, match=f"{status} cannot {event}"):
            step(status, event)


def snapshot(turns: int) -> FocusSnapshot:
    """What a lane is paused with."""
    context = AltitudeContext(l4_connected=True, current_level=Altitude.L2, turn=turns)
    return FocusSnapshot(stance=Stance.EXECUTION, commitment=commitment(turns), altitude=context)


def test_paused_lane_is_restored_exactly() -> None:
    """A switch pauses one lane and resumes the other with the snapshot that it was paused with."""
    store = LaneStore().create("ferns", "Repot the ferns", CommitmentMode.DELIVER, at=NOW)
    store = store.pause(snapshot(4), "six pots left", at=NOW)
    store = store.create("taxes", "File the taxes", CommitmentMode.DECIDE, at=NOW)
    back = store.switch("ferns", snapshot(9), "form 3", at=NOW + timedelta(minutes=5))
    assert back.snapshot == snapshot(4)
    assert back.store.active == back.lane
    assert back.lane.bookmark == "six pots left"
    assert [lane.lane_id for lane in back.store.paused] == ["taxes"]
    again = back.store.pause(snapshot(4), "", at=NOW + timedelta(minutes=6)).resume()
    assert again.lane.lane_id == "ferns", "the lane that was paused last"
    assert back.store.complete().lane("ferns").status is LaneStatus.COMPLETED


def test_lane_steps_that_cannot_be_are_refused() -> None:
    """Only one lane is active, ids are unique, and a switch that cannot end leaves the lanes as they were."""
    store = LaneStore().create("ferns", "Repot the ferns", CommitmentMode.DELIVER, at=NOW)
    with pytest.raises(IllegalMoveError, match="Lane ferns is active"):
        store.create("taxes", "File the taxes", CommitmentMode.DELIVER, at=NOW)
    with pytest.raises(IllegalMoveError, match="Lane ferns is active"):
        store.resume()
    with pytest.raises(NotFoundError, match="no lane taxes"):
        store.switch("taxes", snapshot(1), "", at=NOW)
    with pytest.raises(IllegalMoveError, match="active cannot resume"):
        store.switch("ferns", snapshot(1), "", at=NOW)
    done = store.complete()
    with pytest.raises(IllegalMoveError, match="a lane ferns already"):
        done.create("ferns", "Again", CommitmentMode.DELIVER, at=NOW)
    with pytest.raises(IllegalMoveError, match="No lane is paused"):
        done.resume()
    with pytest.raises(IllegalMoveError, match="No lane is active"):
        done.complete()


@pytest.mark.parametrize(
    ("contest", "expected"),
    [
        (Contest(priority_delta=1, urgency=1, waited=timedelta(hours=1), progress=0), Preemption.SWITCH),
        (Contest(priority_delta=0.6, urgency=0.6, waited=timedelta(minutes=15), progress=0), Preemption.ASK),
        (Contest(priority_delta=0.6, urgency=0.6, waited=timedelta(minutes=15), progress=1), Preemption.QUEUE),
        (Contest(priority_delta=0, urgency=0, waited=timedelta(), progress=0), Preemption.QUEUE),
    ],
)
def test_preemption_switches_asks_or_queues(contest, expected) -> None:
    """A clear case switches, a close one asks, and a commitment that is nearly done is not left."""
    assert preempt(contest) is expected
    assert 0 <= preemption_score(contest) <= 1
