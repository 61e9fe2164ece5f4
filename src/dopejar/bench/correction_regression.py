"""Fitting the weights of the corrections model from labelled turns.

Takes: features and labels. Gives: weights near their hand-set priors (a maximum a posteriori logistic regression).
Never: moves a weight further than the labels carry it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dopejar.bench.correction_turns import Row, rows
from dopejar.pipelines.corrections.detection.detect import judge
from dopejar.pipelines.corrections.detection.scoring import Model, priors
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.weights import Weights
from dopejar.ports.transcripts import TranscriptFormat

SPREAD: Final = 0.5  # standard deviation of a weight around its prior
BIAS_SPREAD: Final = 2.0
SHARE: Final = 0.25  # a repository with n rows weighs n ** (1 - SHARE) in all
_STEPS: Final = 60
_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A row with its features; only rows that a person wrote."""

    row: Row
    features: Mapping[str, float]


def samples(labelled: Sequence[Row]) -> list[Sample]:
    """The features of every row, read session by session, as detection reads them."""
    found: dict[tuple[str, int], Mapping[str, float]] = {}
    by_session: dict[str, list[Row]] = {}
    for row in labelled:
        if row.exchange is not None:
            by_session.setdefault(row.key[0], []).append(row)
    for group in by_session.values():
        for row, judged in zip(group, judge([r.exchange for r in group if r.exchange]), strict=True):
            found[row.key] = judged.reading.features
    return [Sample(row=row, features=found[row.key]) for row in labelled if row.key in found]


def alone(path: Path) -> list[Sample]:
    """The features of snippets, each read as the only turn of its conversation."""
    found = []
    for place, line in enumerate(path.read_text("utf-8").splitlines()):
        one = json.loads(line)
        turn = Exchange(text=one["said"], before=one["before"], at=_AT, index=place)
        gold = {
            "session": f"{path.stem}:{one['id']}",
            "turn": 0,
            "source": {"repo": path.stem},
            "is_correction": "no" if one.get("label") == "no" else "correction",
        }
        row = Row(gold=gold, exchange=turn)
        found.append(Sample(row=row, features=judge([turn])[0].reading.features))
    return found


def fitted(training: Sequence[Sample]) -> Model:
    """The model that fits these samples: detection on all of them, durability on the positive ones."""
    hand = priors()
    positive = [one for one in training if one.row.is_positive and "durability" in one.row.gold]
    return Model(
        detection=_fit(hand.detection, training, [one.row.is_positive for one in training]),
        standing=_fit(hand.standing, positive, [one.row.gold.get("durability") == "standing" for one in positive]),
    )


def _fit(prior: Weights, training: Sequence[Sample], labels: Sequence[bool]) -> Weights:
    sizes = Counter(one.row.repository for one in training)
    heavy = [sizes[one.row.repository] ** -SHARE for one in training]
    middle = sum(heavy) / len(heavy)
    return around(prior, [one.features for one in training], labels, [one / middle for one in heavy])


def around(
    prior: Weights,
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    weight: Sequence[float],
    spread: float = SPREAD,
    firm: Mapping[str, float] = MappingProxyType({}),
) -> Weights:
    """Newton's method on the log posterior: logistic likelihood of weighed rows, Gaussian prior around `prior`.

    `spread` is the standard deviation of a weight around its prior; `firm` names weights with one of their own.
    """
    import numpy as np

    names = list(prior.weights)
    start = np.array([prior.bias, *(prior.weights[name] for name in names)])
    x = np.array([[1.0, *(one.get(name, 0.0) for name in names)] for one in features])
    y, heavy = np.array(labels, dtype=float), np.array(weight)
    precision = np.diag([BIAS_SPREAD**-2, *(firm.get(name, spread) ** -2 for name in names)])
    beta = start.copy()
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (heavy * (y - p)) - precision @ (beta - start)
        hessian = (x * (heavy * p * (1 - p))[:, None]).T @ x + precision
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if float(np.abs(step).max()) < 1e-6:
            break
    values = [round(float(one), 2) for one in beta]
    return replace(prior, bias=values[0], weights=MappingProxyType(dict(zip(names, values[1:], strict=True))))


def run(
    data: Path, out: Path, formats: Sequence[TranscriptFormat] = (), snippets: Sequence[Path] = ()
) -> dict[str, object]:
    """Fit on every labelled turn and write the model's data file to `out`.

    `snippets` are files of single turns; a row's `label` is `no` where it is no correction. Each file weighs as a
    repository of its own, and tells nothing of how long a wish is meant to hold.
    """
    training = [*samples(rows(data, formats)), *(one for path in snippets for one in alone(path))]
    model = fitted(training)
    out.write_text(as_toml(model), "utf-8")
    return {"turns": len(training), "positives": sum(one.row.is_positive for one in training)}


def as_toml(model: Model) -> str:
    """The data file of a model, with the priors beside the weights."""
    hand = priors()
    lines = [
        "# Weights of the model: a feature's `prior` was set by hand, its `weight` fitted around it with",
        "# `dopejar.bench.correction_regression.run(DIR, FILE, transcript_formats(), SNIPPETS)`.",
    ]
    for name, weights, prior in (
        ("detection", model.detection, hand.detection),
        ("standing", model.standing, hand.standing),
    ):
        lines += ["", f"[{name}]", f"threshold = {weights.threshold}"]
        lines.append(f"bias = {{ prior = {prior.bias}, weight = {weights.bias} }}")
        lines += [
            f'"{feature}" = {{ prior = {prior.weights[feature]}, weight = {value} }}'
            for feature, value in weights.weights.items()
        ]
    return "\n".join(lines) + "\n"
