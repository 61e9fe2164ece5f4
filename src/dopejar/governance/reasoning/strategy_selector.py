"""The strategy selector: which of five ways to answer fits a classified request.

Takes: a classification, and a model's shares where there is one. Gives: a strategy with its reason and a fallback.
Never: escalates.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dopejar.governance.cue_table import weighed
from dopejar.values.turn_decisions import InputClassification, Shares, StrategySelection
from dopejar.values.turn_enums import Complexity, Conflict, Stakes, Strategy

_S = Strategy

UNCERTAIN_FROM: Final = 0.4
"""The uncertainty of a request from which options are explored."""

FALLBACKS: Final[Mapping[Strategy, Strategy]] = MappingProxyType(
    {
        _S.QUICK_ANSWER: _S.EXPLORATION,
        _S.DECOMPOSITION: _S.EXPLORATION,
        _S.EXPLORATION: _S.DIALOGUE,
        _S.VERIFICATION: _S.DIALOGUE,
        _S.DIALOGUE: _S.EXPLORATION,
    }
)
"""What is tried where a strategy does not lead on."""


class StrategySelector:
    """Chooses by rules, in the order of what is worst to overlook; a model's shares are weighed with them."""

    def select(
        self, classification: InputClassification, *, acting: bool = False, shares: Shares | None = None
    ) -> StrategySelection:
        """The strategy of a request; `acting`: it asks that something be done."""
        ruled, reason = _ruled(classification, acting=acting)
        if shares is None:
            return _selection(ruled, reason, classification.confidence)
        best = Strategy(weighed(shares, ruled))
        return _selection(best, reason if best is ruled else "the model reads it so", round(shares[best], 4))


def _selection(strategy: Strategy, reason: str, confidence: float) -> StrategySelection:
    return StrategySelection(
        strategy=strategy, reason=reason, confidence=confidence, fallback_strategy=FALLBACKS[strategy]
    )


def _ruled(classification: InputClassification, *, acting: bool) -> tuple[Strategy, str]:
    """The first rule that holds."""
    is_high = classification.stakes is Stakes.HIGH
    is_unsure = classification.uncertainty >= UNCERTAIN_FROM
    rules = (
        (is_high and (acting or not is_unsure), _S.VERIFICATION, "the stakes are high"),
        (classification.conflict is not Conflict.NONE, _S.DIALOGUE, "it is at odds with something"),
        (is_unsure, _S.EXPLORATION, "it is open which way is right"),
        (classification.complexity is not Complexity.SIMPLE, _S.DECOMPOSITION, "it has several parts"),
    )
    return next(
        ((strategy, reason) for holds, strategy, reason in rules if holds), (_S.QUICK_ANSWER, "it is simple and safe")
    )
