"""Escalation: when a strategy needs more care than it has, and when less will do.

Takes: a classification and a selection. Gives: the causes, and the selection one level up or down. Never: goes beyond
level 3, or below 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dopejar.governance.cue_table import read_cues
from dopejar.governance.signals.folded_clauses import spoken_clauses
from dopejar.values.turn_decisions import InputClassification, StrategySelection
from dopejar.values.turn_enums import Altitude, Complexity, Conflict, EscalationCause, Horizon, Stakes, Strategy

_C = EscalationCause

LEAST_CONFIDENCE: Final = 0.6
"""Below it a strategy is escalated."""

MOST_LEVELS: Final = 3


class EscalationManager:
    """Escalates and de-escalates by the table of causes; holds no state."""

    def causes(
        self, classification: InputClassification, selection: StrategySelection, altitude: Altitude | None = None
    ) -> tuple[EscalationCause, ...]:
        """Why more care is due, if it is. A strategy that already answers a cause is not escalated for it."""
        strategy = selection.strategy
        is_tactical = altitude in {Altitude.L2, Altitude.L1}
        checks = (
            (selection.confidence < LEAST_CONFIDENCE, _C.UNCERTAINTY),
            (classification.conflict is not Conflict.NONE and strategy is not Strategy.DIALOGUE, _C.CONFLICT),
            (
                classification.complexity is Complexity.COMPLEX
                and classification.stakes is Stakes.LOW
                and strategy is not Strategy.DECOMPOSITION,
                _C.COST_VALUE_MISMATCH,
            ),
            (is_tactical and classification.horizon is Horizon.FAR, _C.HORIZON_MISMATCH),
        )
        return tuple(cause for holds, cause in checks if holds)

    def escalate(self, selection: StrategySelection, causes: tuple[EscalationCause, ...]) -> StrategySelection:
        """The selection a level up for each cause, to level 3 at most; without a cause it stays."""
        if not causes:
            return selection
        level = min(MOST_LEVELS, selection.escalation_level + len(causes))
        return replace(selection, escalation_level=level, causes=causes)

    def deescalate(
        self,
        selection: StrategySelection,
        *,
        pattern_match: bool = False,
        overridden: bool = False,
        simpler: bool = False,
    ) -> StrategySelection:
        """The selection a level down for a known pattern or a simpler problem, to the ground where the user insists.

        Verification of high stakes is never left: "just do it" answers the question how, not whether.
        """
        steps = MOST_LEVELS if overridden else int(pattern_match) + int(simpler)
        level = max(0, selection.escalation_level - steps)
        causes = selection.causes if level else ()
        return replace(selection, escalation_level=level, causes=causes)


def is_correction(text: str) -> bool:
    """Whether the user says that what was just done or understood is wrong."""
    return "correction" in read_cues("reasoning", "overrides").find(spoken_clauses(text))


def is_override(text: str) -> bool:
    """Whether the user asks to go on without further ado."""
    return "override" in read_cues("reasoning", "overrides").find(spoken_clauses(text))
