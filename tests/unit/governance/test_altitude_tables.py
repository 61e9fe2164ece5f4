"""The tables of altitude, whole: levels, requests, grounding, friction."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from dopejar.governance.altitude.governor import (
    COOLING_TURNS,
    FRICTION_THRESHOLD,
    HISTORY,
    AltitudeGovernor,
    is_friction_high,
    missing_level,
)
from dopejar.values.turn_enums import Altitude, RequestType, SignalType
from dopejar.values.turn_state import AltitudeContext, NorthStars

GOVERNOR = AltitudeGovernor()
NONE = AltitudeContext()
ALL = AltitudeContext(l4_connected=True, l3_established=True, l2_grounded=True)
# what a level rests on, by hand
RESTS_ON = {"L4": None, "L3": "L4", "L2": "L3", "L1": "L2"}


@pytest.mark.parametrize(("level", "request_", "context"), list(product(Altitude, RequestType, (NONE, ALL))))
def test_only_high_stakes_stop(level, request_, context) -> None:
    """Each altitude and request, grounded or not: only high stakes wait; what lacks ground gets a micro-anchor."""
    result = GOVERNOR.validate(context, level, request_)
    is_high = request_ is RequestType.HIGH_STAKES
    assert result.allowed is not is_high
    assert result.requires_verification is is_high
    lacks = context is NONE and RESTS_ON[level] is not None and not is_high
    assert result.use_micro_anchor is lacks
    assert bool(result.micro_anchor_text) is lacks
    assert result.suggested_level == (RESTS_ON[level] if lacks else None)
    assert result.request_type is request_


@pytest.mark.parametrize(("level", "request_"), list(product(Altitude, RequestType)))
def test_urgency_and_emergency_execute_first(level, request_) -> None:
    """Urgency puts no anchor in the way and does not spare verification; an emergency goes before both."""
    urgent = GOVERNOR.validate(NONE, level, request_, signals=frozenset({SignalType.URGENCY}))
    assert urgent.requires_verification is (request_ is RequestType.HIGH_STAKES)
    assert not urgent.use_micro_anchor
    emergency = GOVERNOR.validate(NONE, level, request_, signals=frozenset({SignalType.EMERGENCY}))
    assert emergency.allowed
    assert emergency.execute_first


def test_verified_high_stakes_go_on() -> None:
    """A request with high stakes that the user has verified is validated like any other."""
    assert GOVERNOR.validate(ALL, Altitude.L2, RequestType.HIGH_STAKES, verified=True).allowed


@pytest.mark.parametrize("level", Altitude)
def test_stored_north_stars_and_priorities_ground_a_level(level) -> None:
    """What the user stored counts as established, as if it had been spoken of."""
    stars = NorthStars(north_stars=("Be home for dinner",), priorities=("Finish the loom",))
    assert missing_level(NONE, level, stars) == (Altitude.L2 if level is Altitude.L1 else None)


def test_micro_anchor_cites_the_users_own_words() -> None:
    """The anchor of a task quotes the first priority, else the first north star; without either it asks."""
    stars = NorthStars(priorities=("Finish the loom",))
    text = GOVERNOR.validate(NONE, Altitude.L1, RequestType.ATOMIC, stars=stars).micro_anchor_text
    assert text is not None
    assert "\u201cFinish the loom\u201d" in text
    north = NorthStars(north_stars=("Be home   for dinner " + "x" * 100,))
    text = GOVERNOR.validate(NONE, Altitude.L2, RequestType.ATOMIC, stars=north).micro_anchor_text
    assert text is not None
    assert "\u201cBe home for dinner x" in text
    assert len(text) < 140
    asked = GOVERNOR.validate(NONE, Altitude.L2, RequestType.ATOMIC).micro_anchor_text
    assert asked == "Which of your priorities does this serve?"


@pytest.mark.parametrize("level", Altitude)
def test_speaking_of_a_level_establishes_it(level) -> None:
    """An exchange at a level establishes it for what rests on it, and is kept in the history."""
    result = GOVERNOR.validate(NONE, level, RequestType.ATOMIC)
    context = GOVERNOR.advance(NONE, level, result)
    assert (context.l4_connected, context.l3_established, context.l2_grounded) == (
        level is Altitude.L4,
        level is Altitude.L3,
        level is Altitude.L2,
    )
    assert len(context.level_history) == (level is not Altitude.L3)
    assert context.time_at_current == 1


def test_refused_request_establishes_nothing() -> None:
    """What waits for verification was not spoken of yet."""
    result = GOVERNOR.validate(NONE, Altitude.L4, RequestType.HIGH_STAKES)
    assert not GOVERNOR.advance(NONE, Altitude.L4, result).l4_connected


def test_friction_rises_turns_permissive_and_cools() -> None:
    """Three requests for a task that were held back switch to execute-first; quiet turns cool it down again."""
    context = NONE
    for _ in range(FRICTION_THRESHOLD):
        result = GOVERNOR.validate(context, Altitude.L2, RequestType.DERIVATIVE)
        assert result.use_micro_anchor
        context = replace(GOVERNOR.advance(context, Altitude.L2, result), l3_established=False)
    assert is_friction_high(context)
    for turn in range(COOLING_TURNS):
        assert is_friction_high(context), turn
        result = GOVERNOR.validate(context, Altitude.L2, RequestType.DERIVATIVE)
        assert result.execute_first
        assert not result.use_micro_anchor
        context = GOVERNOR.advance(context, Altitude.L2, result)
    assert not is_friction_high(context)
    assert len(context.friction_events) == FRICTION_THRESHOLD


def test_histories_are_bounded() -> None:
    """However long a conversation, only the last moves and friction events are kept."""
    context = NONE
    for turn in range(3 * HISTORY):
        level = Altitude.L2 if turn % 2 else Altitude.L1
        result = GOVERNOR.validate(NONE, level, RequestType.DERIVATIVE)
        context = GOVERNOR.advance(context, level, result)
    assert len(context.level_history) == HISTORY
    assert len(context.friction_events) == HISTORY


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Why do I even do this, what really matters to me?", "L4"),
        ("What kind of father do I want to be?", "L4"),
        ("We need a roadmap for next year", "L3"),
        ("Help me plan my week", "L2"),
        ("Sort the invoices that are due on Friday", "L2"),
        ("Rename the test file", "L2"),
        ("thanks!", "L1"),
        ("wait", "L1"),
        ("I feel tired", "L1"),
    ],
)
def test_level_of_an_utterance(text, level) -> None:
    """The altitude of plain utterances, by their words alone."""
    assert GOVERNOR.detect_level(text) == level


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("what's on my calendar?", "atomic"),
        ("list my open tickets", "atomic"),
        ("rename foo to bar", "atomic"),
        ("what should I do first?", "derivative"),
        ("Help me plan my week", "derivative"),
        ("Draft a plan for the spring campaign", "derivative"),
    ],
)
def test_type_of_a_request(text, request_) -> None:
    """A fact or a small act is atomic, what depends on goals is derivative, a signal of high stakes decides."""
    assert GOVERNOR.classify_request(text, frozenset()) == request_
    assert GOVERNOR.classify_request(text, frozenset({SignalType.HIGH_STAKES})) is RequestType.HIGH_STAKES
