"""Governed turns over a real store: the design's scenarios, restarts, and what is authorised."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dopejar import open_memory
from dopejar.governance.focus.commitment import new_commitment
from dopejar.governance.focus.stance import ALLOWED
from dopejar.turn.conversation_state import ConversationState, dump_state, load_state
from dopejar.turn.partner import Partner
from dopejar.turn.slow_tick import slow_tick
from dopejar.values.turn_enums import (
    Altitude,
    CommitmentMode,
    Complexity,
    SignalType,
    Stance,
    StanceGate,
    Strategy,
    TurnGate,
)
from dopejar.values.turn_state import FocusState

COMMITTED = ConversationState(
    focus=FocusState(
        stance=Stance.EXECUTION,
        commitment=new_commitment(
            "c1", "the report", CommitmentMode.DELIVER, at=datetime(2031, 5, 6, tzinfo=UTC), turns=3
        ),
    )
)
SAID = (
    "STOP! Wrong project!",
    "Help me plan my week",
    "Delete the production database",
    "What time is it?",
    "I am done with the report",
    "This is urgent, the demo is in five minutes",
    "What really matters to me?",
    "Let us switch to the other project",
)


def test_a_week_is_planned(tmp_path: Path) -> None:
    """A plan for the week is L2, anchored, formal work, framed to sensemaking, decomposed, and its gate is proposed."""
    with open_memory(tmp_path, said_by="user") as memory:
        result = Partner(memory).turn("Help me plan my week")
    assert result.altitude is Altitude.L2
    assert result.told[0] == "Which of your priorities does this serve?"
    assert [one.type for one in result.signals] == [SignalType.FORMAL_WORK]
    assert result.proposed == (TurnGate.WORK_DECLARATION,)
    assert result.stance is Stance.SENSEMAKING
    assert result.routing.classification is not None
    assert result.routing.classification.complexity is Complexity.MODERATE
    assert result.routing.strategy is Strategy.DECOMPOSITION


def test_an_emergency_stops() -> None:
    """In the middle of execution an emergency passes its gate to sensemaking, sets the clock, and is counted."""
    tick = slow_tick("STOP! Wrong project!", COMMITTED)
    assert [(one.gate, one.passed) for one in tick.gates] == [(StanceGate.EMERGENCY, True)]
    assert tick.state.focus.stance is Stance.SENSEMAKING
    assert tick.state.focus.commitment is not None
    assert tick.state.focus.commitment.turns_remaining == 20
    assert tick.state.focus.emergencies == 1
    assert tick.proposed == ()


@given(st.lists(st.sampled_from(SAID), max_size=12), st.booleans())
def test_any_conversation_stays_governed(said: list[str], committed: bool) -> None:
    """No stance moves without a passed gate, nothing is authorised that the stance does not allow, high stakes wait."""
    state = COMMITTED if committed else ConversationState()
    for text in said:
        tick = slow_tick(text, state)
        after = tick.state.focus.stance
        assert after is state.focus.stance or any(one.passed and one.target is after for one in tick.gates)
        assert tick.authorised.activities <= ALLOWED[after]
        if tick.validation.requires_verification:
            assert not tick.authorised.activities
        if any(one.type is SignalType.EMERGENCY for one in tick.signals):
            assert after is Stance.SENSEMAKING
        assert load_state(dump_state(tick.state)) == tick.state
        state = tick.state


def test_a_restart_goes_on(tmp_path: Path) -> None:
    """Another process finds the conversation where it was; a turn id that was taken changes nothing."""
    with open_memory(tmp_path, said_by="user") as memory:
        first = Partner(memory)
        first.turn("Help me plan my week", turn_id="1")
        left = first.state()
    with open_memory(tmp_path, said_by="user") as memory:
        again = Partner(memory)
        assert again.state() == left
        repeat = again.turn("Help me plan my week", turn_id="1")
        assert repeat.repeated
        assert not repeat.authorised.activities
        assert again.state() == left


def test_two_handles_share_a_conversation(tmp_path: Path) -> None:
    """Turns from two open memories at once are each taken once."""
    with open_memory(tmp_path, said_by="user") as one, open_memory(tmp_path, said_by="user") as other:
        names = [str(number % 6) for number in range(12)]
        partners = [Partner(one), Partner(other)]
        with ThreadPoolExecutor(2) as pool:
            done = list(
                pool.map(
                    lambda pair: partners[pair[0] % 2].turn(f"What is {pair[1]}?", turn_id=pair[1], recall=False),
                    enumerate(names),
                )
            )
        assert sum(not result.repeated for result in done) == 6
        assert sorted(partners[0].state().turn_ids) == [str(number) for number in range(6)]
        assert partners[1].state().focus.turn == 6
