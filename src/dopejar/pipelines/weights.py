"""Transparent scores: a sum of named weights, made a probability.

Takes: named features, rows of a data file. Gives: probabilities and what they rest on. Never: a weight that is not in
the data file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dopejar.errors import InputError

_FAR: Final = 30.0  # log odds; beyond it nothing changes


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """A bias and a weight for each feature; a feature without one weighs nothing."""

    bias: float
    weights: Mapping[str, float]
    threshold: float = 0.5

    def score(self, features: Mapping[str, float]) -> float:
        """The sum of the weights (log odds)."""
        return self.bias + sum(self.weights.get(name, 0.0) * value for name, value in features.items())

    def probability(self, features: Mapping[str, float]) -> float:
        """The logistic of the score."""
        return 1 / (1 + math.exp(-max(-_FAR, min(_FAR, self.score(features)))))

    def main(self, features: Mapping[str, float], most: int) -> tuple[tuple[str, float], ...]:
        """The features that weigh most here, with what each adds to the score; the heaviest first."""
        added = [(name, self.weights.get(name, 0.0) * value) for name, value in features.items()]
        return tuple(sorted(added, key=lambda one: -abs(one[1]))[:most])


def read_weights(rows: object, file: str, column: str = "weight") -> Weights:
    """The weights of one table of a data file.

    Raises:
        InputError: the file has no such table; the program is not installed whole.
    """
    if not isinstance(rows, dict):
        raise InputError(f"The data file `{file}` has no table of weights. Reinstall the program.")
    found: dict[str, float] = {
        str(feature): float(row[column if column in row else "prior"])
        for feature, row in rows.items()
        if isinstance(row, dict)
    }
    return Weights(
        bias=found.pop("bias"), weights=MappingProxyType(found), threshold=float(rows.get("threshold", 0.5))
    )
