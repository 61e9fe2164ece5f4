"""Reasoning: classification, the five strategies, escalation, and the way through the router."""

from __future__ import annotations

from itertools import product

import pytest

from dopejar.governance.reasoning.escalation import MOST_LEVELS, EscalationManager, is_override
from dopejar.governance.reasoning.strategy_router import PATTERN_CONFIDENCE, PatternMatch, ReasoningRouter
from dopejar.governance.reasoning.strategy_selector import FALLBACKS, StrategySelector
from dopejar.values.turn_decisions import InputClassification, StrategySelection
from dopejar.values.turn_enums import (
    Altitude,
    Complexity,
    Conflict,
    DecisionSource,
    EscalationCause,
    Horizon,
    SignalType,
    Stakes,
    Strategy,
)

ROUTER = ReasoningRouter()
HIGH = frozenset({SignalType.HIGH_STAKES})


def classification(**more) -> InputClassification:
    """A simple, safe request with what a test cares about."""
    plain = {
        "complexity": Complexity.SIMPLE,
        "uncertainty": 0.1,
        "conflict": Conflict.NONE,
        "stakes": Stakes.LOW,
        "horizon": Horizon.NEAR,
        "confidence": 0.8,
    }
    return InputClassification(**{**plain, **more})


def expected(complexity, uncertainty, conflict, stakes, acting) -> str:
    """The seed's triggers, in the order of what is worst to overlook."""
    if stakes is Stakes.HIGH and (acting or uncertainty < 0.4):
        return "verification"
    if conflict is not Conflict.NONE:
        return "dialogue"
    if uncertainty >= 0.4:
        return "exploration"
    return "quick_answer" if complexity is Complexity.SIMPLE else "decomposition"


@pytest.mark.parametrize(
    ("complexity", "uncertainty", "conflict", "stakes", "acting"),
    list(product(Complexity, (0.1, 0.8), Conflict, Stakes, (False, True))),
)
def test_strategy_follows_the_triggers(complexity, uncertainty, conflict, stakes, acting) -> None:
    """Each classification has the strategy of its first trigger, and a fallback that is another one."""
    found = StrategySelector().select(
        classification(complexity=complexity, uncertainty=uncertainty, conflict=conflict, stakes=stakes),
        acting=acting,
    )
    assert found.strategy == expected(complexity, uncertainty, conflict, stakes, acting)
    assert found.fallback_strategy is FALLBACKS[found.strategy] is not found.strategy


def test_model_and_rules_decide_together() -> None:
    """A sure model outweighs the rules, an unsure one does not."""
    unsure = dict.fromkeys(Strategy, 0.2)
    assert StrategySelector().select(classification(), shares=unsure).strategy is Strategy.QUICK_ANSWER
    sure = {**dict.fromkeys(Strategy, 0.01), Strategy.DIALOGUE: 0.96}
    assert StrategySelector().select(classification(), shares=sure).strategy is Strategy.DIALOGUE


@pytest.mark.parametrize(
    ("changed", "confidence", "altitude", "causes"),
    [
        ({}, 0.8, Altitude.L2, ()),
        ({}, 0.59, Altitude.L2, (EscalationCause.UNCERTAINTY,)),
        ({}, 0.6, Altitude.L2, ()),
        ({"conflict": Conflict.EXTERNAL}, 0.8, Altitude.L2, (EscalationCause.CONFLICT,)),
        ({"complexity": Complexity.COMPLEX}, 0.8, Altitude.L2, (EscalationCause.COST_VALUE_MISMATCH,)),
        ({"horizon": Horizon.FAR}, 0.8, Altitude.L1, (EscalationCause.HORIZON_MISMATCH,)),
        ({"horizon": Horizon.FAR}, 0.8, Altitude.L3, ()),
    ],
)
def test_causes_of_escalation(changed, confidence, altitude, causes) -> None:
    """Each of the four causes escalates by itself; confidence of .6 is enough."""
    selection = StrategySelection(strategy=Strategy.QUICK_ANSWER, reason="", confidence=confidence)
    manager = EscalationManager()
    assert manager.causes(classification(**changed), selection, altitude) == causes
    assert manager.escalate(selection, causes).escalation_level == len(causes)


@pytest.mark.parametrize(("level", "pattern", "overridden", "simpler"), list(product(range(4), *[(False, True)] * 3)))
def test_levels_stay_between_nought_and_three(level, pattern, overridden, simpler) -> None:
    """However often it is escalated or de-escalated, a level is 0 to 3, and an override goes to the ground."""
    manager = EscalationManager()
    start = StrategySelection(strategy=Strategy.VERIFICATION, reason="", confidence=0.5, escalation_level=level)
    down = manager.deescalate(start, pattern_match=pattern, overridden=overridden, simpler=simpler)
    assert down.escalation_level == (0 if overridden else max(0, level - pattern - simpler))
    assert down.strategy is Strategy.VERIFICATION
    assert manager.escalate(start, tuple(EscalationCause)).escalation_level == MOST_LEVELS


@pytest.mark.parametrize(
    ("text", "signals", "strategy"),
    [
        ("What time is it in Lima?", frozenset(), "quick_answer"),
        ("Plan the launch of my pottery shop", frozenset(), "decomposition"),
        ("Transfer $4,000 to the landlord", HIGH, "verification"),
        ("Should I move to Porto or stay?", frozenset(), "exploration"),
        ("I want more sleep but I also want to train at six", frozenset(), "dialogue"),
    ],
)
def test_each_strategy_has_its_kind_of_request(text, signals, strategy) -> None:
    """One plain request for each of the five strategies."""
    decision = ROUTER.route(text, signals, Altitude.L2)
    assert decision.strategy == strategy
    assert decision.source is DecisionSource.CLASSIFIER
    assert decision.reason


@pytest.mark.parametrize("confidence", [PATTERN_CONFIDENCE - 0.01, PATTERN_CONFIDENCE, 1.0])
def test_known_pattern_spares_the_classifier(confidence) -> None:
    """A pattern of .7 or more decides without classification, but never instead of verifying high stakes."""
    pattern = PatternMatch(strategy=Strategy.DIALOGUE, confidence=confidence, name="talk it over")
    decision = ROUTER.route("What time is it?", frozenset(), Altitude.L2, pattern=pattern)
    is_known = confidence >= PATTERN_CONFIDENCE
    assert (decision.source is DecisionSource.PATTERN_MATCH) is is_known
    assert (decision.classification is None) is is_known
    risky = ROUTER.route("Wire the deposit", HIGH, Altitude.L2, pattern=pattern)
    assert risky.strategy is Strategy.VERIFICATION


def test_override_takes_the_escalation_away() -> None:
    """Who says "just do it" is not asked further; verification of high stakes stays."""
    plain = ROUTER.route("Sort my inbox for the next five years", frozenset(), Altitude.L1)
    assert plain.escalation_level
    pressed = ROUTER.route("Sort my inbox for the next five years, just do it", frozenset(), Altitude.L1)
    assert pressed.escalation_level == 0
    assert ROUTER.route("just do it, wire the deposit", HIGH, Altitude.L2).strategy is Strategy.VERIFICATION
    assert not is_override("I will just do the dishes myself, if you go ahead")
