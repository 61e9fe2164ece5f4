"""The slow tick over any sequence of turns and answers: nothing unauthorised, no transition without a gate."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dopejar.governance.focus.gates import GateRequest
from dopejar.governance.focus.stance import ALLOWED, TRANSITIONS
from dopejar.governance.utterance import read_turn
from dopejar.turn.conversation_state import ConversationState, dump_state, load_state
from dopejar.turn.slow_tick import SlowTick, answer, pass_gate, renew, slow_tick, switch_lane
from dopejar.values.turn_enums import LaneStatus, SignalType, Stance, StanceGate, TurnGate
from dopejar.values.turn_state import NorthStars

SAID = st.sampled_from(
    [
        "Let's work on the harbour model.",
        "STOP! Wrong project!",
        "Hold on, something else first.",
        "Switch to the tax letters.",
        "This is urgent, I need it within the hour.",
        "I am completely overwhelmed by all this.",
        "The harbour model is finished.",
        "Delete every customer record.",
        "What should I do first?",
        "Thanks.",
    ]
)


class Conversation(RuleBasedStateMachine):
    """Turns, answers and switches in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.state = ConversationState()
        self.at = datetime(2026, 5, 4, tzinfo=UTC)
        self.last: SlowTick | None = None

    @rule(text=SAID, verified=st.booleans())
    def speak(self, text: str, verified: bool) -> None:
        """One turn: only gates move the stance, and an emergency ends in sensemaking."""
        before = self.state
        self.at += timedelta(minutes=1)
        reading = read_turn(text)
        governed = slow_tick(before, reading, at=self.at, stars=NorthStars(), verified=verified)
        stance = before.focus.stance
        for decision in governed.decisions:
            assert decision.origin is stance
            if decision.passed:
                assert decision.target in TRANSITIONS[stance, decision.gate]
                stance = decision.target
        assert governed.state.focus.stance is stance
        if SignalType.EMERGENCY in {one.type for one in reading.signals}:
            assert stance is Stance.SENSEMAKING
        assert governed.state.focus.turn == before.focus.turn + 1
        self.state, self.last = governed.state, governed

    @precondition(lambda self: self.state.proposals)
    @rule(place=st.integers(0, 3), approved=st.booleans())
    def reply(self, place: int, approved: bool) -> None:
        """An answer moves the stance by its gate, or by a lane that comes back as it was left."""
        gate = self.state.proposals[place % len(self.state.proposals)].gate
        before = self.state
        paused = {lane.lane_id: lane for lane in before.lanes.lanes}
        answered = answer(before, gate, "the harbour model", approved=approved, at=self.at)
        after, decision = answered.state, answered.decision
        if decision is not None and decision.passed:
            assert after.focus.stance in TRANSITIONS[before.focus.stance, decision.gate]
        elif approved and gate is TurnGate.LANE_SWITCH:
            active = after.lanes.active
            assert active is not None
            snapshot = paused[active.lane_id].snapshot
            assert snapshot is not None
            assert after.snapshot == snapshot
        else:
            assert after.focus.stance is before.focus.stance
        self.state, self.last = after, None

    @precondition(lambda self: self.state.lanes.active)
    @rule()
    def go_on(self) -> None:
        """Going on passes a gate into execution with a running commitment, or changes nothing."""
        before = self.state
        answered = renew(before, at=self.at)
        assert answered.decision is not None
        if answered.decision.passed:
            assert answered.decision.target in TRANSITIONS[before.focus.stance, answered.decision.gate]
            assert answered.state.focus.stance is Stance.EXECUTION
            assert answered.state.focus.commitment is not None
        else:
            assert answered.state == before
        self.state, self.last = answered.state, None

    @rule(gate=st.sampled_from(StanceGate))
    def pass_a_gate(self, gate: StanceGate) -> None:
        """A gate that a host asks for moves the stance by its table alone."""
        before = self.state
        passed = pass_gate(before, GateRequest(gate=gate))
        assert passed.decision is not None
        if passed.decision.passed:
            assert passed.state.focus.stance in TRANSITIONS[before.focus.stance, gate]
        else:
            assert passed.state.focus == before.focus
        self.state, self.last = passed.state, None

    @precondition(lambda self: self.state.lanes.paused)
    @rule()
    def switch(self) -> None:
        """The lane that was paused first comes back exactly."""
        lane = self.state.lanes.paused[-1]
        after = switch_lane(self.state, lane.lane_id, at=self.at)
        assert after.snapshot == lane.snapshot
        self.state, self.last = after, None

    @invariant()
    def is_authorised(self) -> None:
        """A turn may do nothing that its stance does not allow; execution without a commitment may do nothing."""
        if self.last is None:
            return
        focus = self.last.state.focus
        assert self.last.authorised.activities <= ALLOWED[focus.stance]
        if focus.stance is Stance.EXECUTION and focus.commitment is None:
            assert not self.last.authorised.activities

    @invariant()
    def is_kept(self) -> None:
        """The state comes back from its row as it was, and one lane at most is active."""
        assert load_state(dump_state(self.state)) == self.state
        assert sum(lane.status is LaneStatus.ACTIVE for lane in self.state.lanes.lanes) <= 1


TestConversation = Conversation.TestCase
TestConversation.__doc__ = "Any sequence of turns, answers and switches keeps the invariants."
