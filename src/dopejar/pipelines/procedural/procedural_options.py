"""The settings of procedural memory, as values. Loads next to nothing: every start of the program reads it.

Takes: what compose read. Gives: one frozen set of options. Never: reads a file or the environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

AUTO_ASSIGN: Final = 0.8
MANUAL_REVIEW: Final = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class Thresholds:
    """The confidence from which a side is assigned without a person, and the one below which a person looks first."""

    auto_assign: float = AUTO_ASSIGN
    manual_review: float = MANUAL_REVIEW


@dataclass(frozen=True, kw_only=True, slots=True)
class ProceduralOptions:
    """How bullets are staged, assigned and classified. With an empty `classifier_model` no model is asked."""

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
