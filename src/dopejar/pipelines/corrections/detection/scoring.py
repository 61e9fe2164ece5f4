"""The transparent model: a sum of weights, made a probability.

Takes: named features. Gives: probabilities and what they rest on. Never: a weight that is not in the data file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from dopejar.errors import InputError
from dopejar.pipelines.corrections.cues import table


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
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.score(features)))))


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """What decides whether a turn corrects, and whether for good."""

    detection: Weights
    standing: Weights


@lru_cache(maxsize=1)
def shipped() -> Model:
    """The model of the data file."""
    return _model("weight")


@lru_cache(maxsize=1)
def priors() -> Model:
    """The weights as they were set by hand, before any fitting."""
    return _model("prior")


def _model(column: str) -> Model:
    tables = table("model")
    return Model(detection=_weights(tables, "detection", column), standing=_weights(tables, "standing", column))


def _weights(tables: Mapping[str, object], name: str, column: str) -> Weights:
    rows = tables.get(name)
    if not isinstance(rows, dict):
        raise InputError(f"The data file `model.toml` has no table {name!r}. Reinstall the program.")
    found: dict[str, float] = {
        str(feature): float(row[column if column in row else "prior"])
        for feature, row in rows.items()
        if isinstance(row, dict)
    }
    return Weights(
        bias=found.pop("bias"),
        weights=MappingProxyType(found),
        threshold=float(rows.get("threshold", 0.5)),
    )
