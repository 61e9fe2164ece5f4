"""The governed conversation as one machine: whatever happens, no action without authority and no move without a gate.

The machine plays a conversation with gates, ticks, lanes and utterances in any order, as the turn will.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dopejar.errors import IllegalMoveError
from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.focus.commitment import new_commitment
from dopejar.governance.focus.gates import (
    ALLOWED_WRITES,
    EMERGENCY_TURNS,
    GateController,
    GateRequest,
    authorised_scope,
    tick,
)
from dopejar.governance.focus.lanes import LaneStore
from dopejar.governance.focus.stance import ALLOWED, SUPPRESSED, TRANSITIONS
from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.values.turn_enums import (
    Activity,
    Altitude,
    CommitmentMode,
    GateWrite,
    LaneStatus,
    RequestType,
    SignalType,
    Stance,
    StanceGate,
)
from dopejar.values.turn_state import AltitudeContext, FocusSnapshot, FocusState

START = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
UTTERANCES = ("STOP! Wrong project!", "all done", "this is urgent", "Help me plan my week", "abort", "thanks", "wait")
WRITES = st.frozensets(st.sampled_from(GateWrite), max_size=3)


class TurnMachine(RuleBasedStateMachine):
    """A conversation: its focus, lanes and altitude, moved by whatever comes."""

    def __init__(self) -> None:
        super().__init__()
        self.gates, self.governor, self.detector = GateController(), AltitudeGovernor(), SignalDetector()
        self.focus, self.lanes, self.altitude = FocusState(), LaneStore(), AltitudeContext()
        self.paused_with: dict[str, FocusSnapshot] = {}
        self.now, self.count = START, 0

    def _commitment(self, turns: int):
        self.count += 1
        return new_commitment(f"k{self.count}", "Repot the ferns", CommitmentMode.DELIVER, at=self.now, turns=turns)

    def _snapshot(self) -> FocusSnapshot:
        return FocusSnapshot(stance=self.focus.stance, commitment=self.focus.commitment, altitude=self.altitude)

    @rule(gate=st.sampled_from(StanceGate), stance=st.none() | st.sampled_from(Stance), writes=WRITES)
    def ask_for_a_gate(self, gate, stance, writes) -> None:
        """A gate passes by its table, writes what it may, or changes nothing."""
        before = self.focus
        request = GateRequest(gate=gate, target=stance, writes=writes, draft=self._commitment(3), goal="Sow", frame="F")
        passage = self.gates.request(before, request)
        self.focus = passage.state
        assert passage.decision.writes <= ALLOWED_WRITES[gate]
        if not passage.decision.passed:
            assert self.focus is before
            assert passage.decision.reason
        else:
            assert self.focus.stance in TRANSITIONS[before.stance, gate]
        if gate is StanceGate.EMERGENCY:
            assert passage.decision.passed
            assert self.focus.stance is Stance.SENSEMAKING

    @rule()
    def let_a_turn_pass(self) -> None:
        """A turn changes no stance; it may end a lease."""
        before = self.focus
        self.focus, ended = tick(before)
        self.now += timedelta(minutes=1)
        assert self.focus.stance is before.stance
        assert ended is None or (ended == before.commitment and self.focus.commitment is None)

    @rule(text=st.sampled_from(UTTERANCES), request_=st.sampled_from(RequestType), level=st.sampled_from(Altitude))
    def hear(self, text, request_, level) -> None:
        """An emergency ends in sensemaking; only high stakes wait; nothing else moves the stance."""
        found = self.detector.detect(text)
        kinds = frozenset(one.type for one in found)
        stance = self.focus.stance
        result = self.governor.validate(self.altitude, level, request_, signals=kinds)
        self.altitude = self.governor.advance(self.altitude, level, result)
        if found and found[0].type is SignalType.EMERGENCY:
            self.focus = self.gates.emergency(self.focus).state
            assert self.focus.stance is Stance.SENSEMAKING
            assert result.allowed
        else:
            assert self.focus.stance is stance
            assert result.allowed is (request_ is not RequestType.HIGH_STAKES)

    @rule(activity=st.sampled_from(Activity))
    def act(self, activity) -> None:
        """What is authorised is allowed by the stance and not suppressed by it."""
        if authorised_scope(self.focus).permits(activity):
            assert activity in ALLOWED[self.focus.stance]
            assert activity not in SUPPRESSED[self.focus.stance]

    @rule()
    def begin_a_lane(self) -> None:
        """A lane begins where none is active."""
        name = f"lane{self.count}"
        self.count += 1
        if self.lanes.active is None:
            self.lanes = self.lanes.create(name, "Repot the ferns", CommitmentMode.DELIVER, at=self.now)

    @rule()
    def set_the_lane_aside(self) -> None:
        """A paused lane keeps what the conversation was."""
        if active := self.lanes.active:
            self.paused_with[active.lane_id] = self._snapshot()
            self.lanes = self.lanes.pause(self._snapshot(), "here", at=self.now)

    @rule(data=st.data())
    def switch_lanes(self, data) -> None:
        """A lane that is resumed gives back exactly what it was paused with; any other switch changes nothing."""
        if not self.lanes.lanes:
            return
        target = data.draw(st.sampled_from([lane.lane_id for lane in self.lanes.lanes]))
        active, before, snapshot = self.lanes.active, self.lanes, self._snapshot()
        try:
            back = self.lanes.switch(target, snapshot, "here", at=self.now)
        except IllegalMoveError:
            assert self.lanes is before
            assert before.lane(target).status is not LaneStatus.PAUSED
            return
        if active is not None:
            self.paused_with[active.lane_id] = snapshot
        self.lanes = back.store
        assert back.snapshot == self.paused_with.pop(target)

    @rule()
    def complete_the_lane(self) -> None:
        """A completed lane is over."""
        if self.lanes.active is not None:
            self.lanes = self.lanes.complete()

    @invariant()
    def state_is_sound(self) -> None:
        """One lane at most is active, paused ones have snapshots, leases have turns, authority fits the stance."""
        statuses = [lane.status for lane in self.lanes.lanes]
        assert statuses.count(LaneStatus.ACTIVE) <= 1
        assert all((lane.snapshot is not None) is (lane.status is LaneStatus.PAUSED) for lane in self.lanes.lanes)
        lease = self.focus.commitment
        assert lease is None or 1 <= lease.turns_remaining <= max(lease.turns_granted, EMERGENCY_TURNS)
        assert authorised_scope(self.focus).activities <= ALLOWED[self.focus.stance]
        if self.focus.stance is Stance.EXECUTION and lease is None:
            assert not authorised_scope(self.focus).activities


TestTurnMachine = TurnMachine.TestCase
