"""Logistic regression with Gaussian priors (maximum a posteriori), for the weights of correction detection.

Takes: features and labels. Gives: weights near their hand-set priors. Never: moves a weight further than the labels
support; a feature without examples keeps its prior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from dopejar.bench.correction_turns import LabelledTurn
from dopejar.pipelines.corrections.detection.detector import CorrectionModel, prior_model, score_turns
from dopejar.pipelines.logistic_model import LogisticModel

PRIOR_DEVIATION: Final = 0.5  # standard deviation of a weight around its prior
BIAS_DEVIATION: Final = 2.0
REPOSITORY_EXPONENT: Final = 0.25  # a repository with n turns has a total weight of n ** (1 - REPOSITORY_EXPONENT)
_MAX_ITERATIONS: Final = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A labelled turn with its features; only turns that a person wrote."""

    turn: LabelledTurn
    features: Mapping[str, float]


def extract_samples(turns: Sequence[LabelledTurn]) -> list[Sample]:
    """The features of every turn, computed session by session, as detection reads them."""
    features: dict[tuple[str, int], Mapping[str, float]] = {}
    by_session: dict[str, list[LabelledTurn]] = {}
    for turn in turns:
        if turn.exchange is not None:
            by_session.setdefault(turn.key[0], []).append(turn)
    for session in by_session.values():
        exchanges = [turn.exchange for turn in session if turn.exchange]
        for turn, judged in zip(session, score_turns(exchanges), strict=True):
            features[turn.key] = judged.reading.features
    return [Sample(turn=turn, features=features[turn.key]) for turn in turns if turn.key in features]


def fit_model(training: Sequence[Sample]) -> CorrectionModel:
    """Fit detection on all samples, and durability on the positive ones."""
    prior = prior_model()
    positive = [sample for sample in training if sample.turn.is_positive and "durability" in sample.turn.gold]
    return CorrectionModel(
        detection=_fit_balanced(prior.detection, training, [sample.turn.is_positive for sample in training]),
        standing=_fit_balanced(
            prior.standing, positive, [sample.turn.gold.get("durability") == "standing" for sample in positive]
        ),
    )


def _fit_balanced(prior: LogisticModel, training: Sequence[Sample], labels: Sequence[bool]) -> LogisticModel:
    """Fit with sample weights that keep a large repository from dominating; their mean is 1."""
    sizes = Counter(sample.turn.repository for sample in training)
    shares = [sizes[sample.turn.repository] ** -REPOSITORY_EXPONENT for sample in training]
    mean = sum(shares) / len(shares)
    return fit_weights(prior, [sample.features for sample in training], labels, [share / mean for share in shares])


def fit_weights(
    prior: LogisticModel,
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    sample_weights: Sequence[float],
    deviation: float = PRIOR_DEVIATION,
    deviations: Mapping[str, float] = MappingProxyType({}),
) -> LogisticModel:
    """Newton's method on the log posterior: weighted logistic likelihood, Gaussian prior around `prior`.

    `deviation` is the standard deviation of a weight around its prior; `deviations` overrides it by name.
    """
    import numpy as np

    names = list(prior.weights)
    start = np.array([prior.bias, *(prior.weights[name] for name in names)])
    x = np.array([[1.0, *(row.get(name, 0.0) for name in names)] for row in features])
    y, weights = np.array(labels, dtype=float), np.array(sample_weights)
    precision = np.diag([BIAS_DEVIATION**-2, *(deviations.get(name, deviation) ** -2 for name in names)])
    beta = start.copy()
    for _ in range(_MAX_ITERATIONS):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weights * (y - p)) - precision @ (beta - start)
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + precision
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if float(np.abs(step).max()) < 1e-6:
            break
    values = [round(float(value), 2) for value in beta]
    return replace(prior, bias=values[0], weights=MappingProxyType(dict(zip(names, values[1:], strict=True))))
