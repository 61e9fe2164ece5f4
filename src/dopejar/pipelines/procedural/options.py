"""The settings of procedural memory, as values.

Takes: what compose read. Gives: one frozen set of options. Never: reads a file or the environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

AUTO_ASSIGN: Final = 0.8
MANUAL_REVIEW: Final = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class Thresholds:
    """From which confidence on a side is taken without a person, and below which a person should look first."""

    auto_assign: float = AUTO_ASSIGN
    manual_review: float = MANUAL_REVIEW


@dataclass(frozen=True, kw_only=True, slots=True)
class ProceduralOptions:
    """How bullets are staged, assigned and classified. An empty `classifier_model` asks no model."""

    staging_enabled: bool = True
    auto_assign: bool = False
    auto_assign_threshold: float = AUTO_ASSIGN
    manual_review_threshold: float = MANUAL_REVIEW
    max_staging_age_days: int = 30
    classifier_model: str = ""
    classifier_temperature: float = 0.3
    classifier_prompt: str = "default"
    ask_for_insights: bool = False

    @property
    def thresholds(self) -> Thresholds:
        """The two thresholds of a classification."""
        return Thresholds(auto_assign=self.auto_assign_threshold, manual_review=self.manual_review_threshold)
