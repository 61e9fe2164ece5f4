"""Logistic models with named weights from data files.

Takes: named features, and rows of a data file. Gives: probabilities, and the features that contribute most. Never: a
weight that is not in the data file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dopejar.errors import InputError

_LARGEST_LOGIT: Final = 30.0  # beyond it the probability no longer changes


@dataclass(frozen=True, kw_only=True, slots=True)
class LogisticModel:
    """A bias and a weight per feature; a feature without a weight has no effect."""

    bias: float
    weights: Mapping[str, float]
    threshold: float = 0.5

    def score(self, features: Mapping[str, float]) -> float:
        """The weighted sum of the features and the bias (log odds)."""
        return self.bias + sum(self.weights.get(name, 0.0) * value for name, value in features.items())

    def probability(self, features: Mapping[str, float]) -> float:
        """The logistic of the score."""
        return 1 / (1 + math.exp(-max(-_LARGEST_LOGIT, min(_LARGEST_LOGIT, self.score(features)))))

    def main(self, features: Mapping[str, float], most: int) -> tuple[tuple[str, float], ...]:
        """The features that contribute most, each with its share of the log odds, the largest first."""
        contributions = [(name, self.weights.get(name, 0.0) * value) for name, value in features.items()]
        return tuple(sorted(contributions, key=lambda entry: -abs(entry[1]))[:most])


def load_model(rows: object, file: str, column: str = "weight") -> LogisticModel:
    """The model in one table of a data file.

    Raises:
        InputError: the file has no such table; the installation is incomplete.
    """
    if not isinstance(rows, dict):
        raise InputError(f"The data file `{file}` has no table of weights. Reinstall the program.")
    weights: dict[str, float] = {
        str(feature): float(row[column if column in row else "prior"])
        for feature, row in rows.items()
        if isinstance(row, dict)
    }
    return LogisticModel(
        bias=weights.pop("bias"), weights=MappingProxyType(weights), threshold=float(rows.get("threshold", 0.5))
    )
