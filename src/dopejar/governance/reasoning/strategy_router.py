"""The reasoning router: from an utterance to the strategy of its turn.

Takes: an utterance with its signals and altitude, a known pattern, a model's shares. Gives: a routing decision. Never:
classifies what a pattern already knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dopejar.governance.reasoning.escalation import EscalationManager, is_override
from dopejar.governance.reasoning.input_classifier import InputClassifier, is_acting
from dopejar.governance.reasoning.strategy_selector import FALLBACKS, StrategySelector
from dopejar.values.turn_decisions import RoutingDecision, Shares, StrategySelection
from dopejar.values.turn_enums import Altitude, DecisionSource, EscalationCause, SignalType, Strategy

PATTERN_CONFIDENCE: Final = 0.7
"""The confidence from which a pattern decides instead of the classifier."""

_NO_SHARES: Final[Mapping[str, Shares]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternMatch:
    """A learned pattern that fits the utterance: what was done, and how sure that is."""

    strategy: Strategy
    confidence: float
    name: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoutingContext:
    """What altitude and focus tell reasoning: whether friction is high, and whether the work was committed to."""

    is_friction_high: bool = False
    is_committed: bool = False


_NEUTRAL: Final = RoutingContext()


class ReasoningRouter:
    """Pattern first, then classification, selection and escalation; holds no state."""

    def __init__(self) -> None:
        self._classifier, self._selector, self._escalation = InputClassifier(), StrategySelector(), EscalationManager()

    def route(
        self,
        text: str,
        signals: frozenset[SignalType],
        altitude: Altitude,
        *,
        pattern: PatternMatch | None = None,
        shares: Mapping[str, Shares] = _NO_SHARES,
        context: RoutingContext = _NEUTRAL,
    ) -> RoutingDecision:
        """The strategy of a turn. `shares` may have those of `strategy` and `stakes`.

        A pattern never stands in for the verification of high stakes. Where friction is high, less care is taken; what
        was committed to was framed already, so that a small step for it escalates nothing.
        """
        is_known = pattern is not None and pattern.confidence >= PATTERN_CONFIDENCE
        if pattern is not None and is_known and SignalType.HIGH_STAKES not in signals:
            return RoutingDecision(
                strategy=pattern.strategy,
                confidence=pattern.confidence,
                source=DecisionSource.PATTERN_MATCH,
                reason=f"the pattern {pattern.name or 'of earlier turns'} fits",
                fallback_strategy=FALLBACKS[pattern.strategy],
            )
        classification = self._classifier.classify(text, signals, altitude, shares.get("stakes"))
        selection = self._selector.select(classification, acting=is_acting(text), shares=shares.get("strategy"))
        asked = None if context.is_committed else altitude
        selection = self._escalation.escalate(selection, self._escalation.causes(classification, selection, asked))
        before = selection.escalation_level
        if is_override(text) or context.is_friction_high:
            selection = self._escalation.deescalate(
                selection, overridden=is_override(text), simpler=context.is_friction_high
            )
        return RoutingDecision(
            strategy=selection.strategy,
            confidence=selection.confidence,
            source=DecisionSource.CLASSIFIER,
            reason=_reason(selection),
            escalation_level=selection.escalation_level,
            fallback_strategy=selection.fallback_strategy,
            classification=classification,
            is_taken_back=selection.escalation_level < before,
        )


def _reason(selection: StrategySelection) -> str:
    causes = ", ".join(_CAUSES[cause] for cause in selection.causes)
    return f"{selection.reason}; more care: {causes}" if causes else selection.reason


_CAUSES: Final[Mapping[EscalationCause, str]] = MappingProxyType(
    {
        EscalationCause.UNCERTAINTY: "the reading is unsure",
        EscalationCause.CONFLICT: "it is at odds with something",
        EscalationCause.COST_VALUE_MISMATCH: "much effort for little",
        EscalationCause.HORIZON_MISMATCH: "a small step for a far goal",
    }
)
