"""Fit the weights of correction detection, and write its data file.

Takes: the answers of several authors in `data`. Gives: the data file
`src/dopejar/pipelines/corrections/data/model.toml`, every feature with its hand-set prior and its fitted weight, and
figures on each author held out. Never: changes a prior; reads a benchmark's data.

    python -m training.correction_weights --out model.toml

Logistic regression with Gaussian priors (maximum a posteriori): a weight moves no further from its prior than the
labels support, and a feature without examples keeps it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table
from dopejar.pipelines.corrections.detection.detector import CorrectionModel, score_turns
from dopejar.pipelines.corrections.exchange import TAIL, Exchange
from dopejar.pipelines.logistic_model import LogisticModel, load_model

DATA: Final = Path(__file__).parent / "data"
FILES: Final = ("reader/corrections_*.jsonl", "correction_wordings_*.jsonl")
PRIOR_DEVIATION: Final = 0.25  # standard deviation of a weight around its prior
BIAS_DEVIATION: Final = 0.5
RATE_DEVIATION: Final = 0.2  # of the bias of detection: authors write more corrections than people make
_UNDATED: Final = datetime(2025, 1, 1, tzinfo=UTC)
_MAX_ITERATIONS: Final = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """The features of an answer, whether it corrects, and whether its wish is to last (None where nobody said)."""

    features: Mapping[str, float]
    corrects: bool
    lasts: bool | None


def prior_model() -> CorrectionModel:
    """The weights as they were set by hand, before any fitting."""
    detection, standing = (
        load_model(data_table("model").get(name), "model.toml", "prior") for name in ("detection", "standing")
    )
    return CorrectionModel(detection=detection, standing=standing)


def read_samples(path: Path) -> list[Sample]:
    """The answers of one author; the turns of one `session` are read together, others each alone."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    sessions: dict[str, list[dict[str, str]]] = {}
    for number, row in enumerate(rows):
        sessions.setdefault(row.get("session", str(number)), []).append(row)
    return [sample for session in sessions.values() for sample in _session_samples(session)]


def _session_samples(rows: Sequence[Mapping[str, str]]) -> list[Sample]:
    exchanges = [
        Exchange(
            text=row["text"] if "text" in row else row["said"],
            before=(row["prev_assistant"] if "prev_assistant" in row else row["before"])[-TAIL:],
            at=_UNDATED,
            index=number,
        )
        for number, row in enumerate(rows)
    ]
    return [
        Sample(
            features=scored.reading.features,
            corrects=row.get("is_correction", row.get("label")) != "no",
            lasts=row["durability"] == "standing" if row.get("durability", "none") != "none" else None,
        )
        for row, scored in zip(rows, score_turns(exchanges), strict=True)
    ]


def fit_model(samples: Sequence[Sample]) -> CorrectionModel:
    """Detection fitted on all samples, durability on those that say it."""
    prior, told = prior_model(), [sample for sample in samples if sample.lasts is not None]
    corrects, lasts = [sample.corrects for sample in samples], [bool(sample.lasts) for sample in told]
    return CorrectionModel(
        detection=fit_weights(
            prior.detection, [sample.features for sample in samples], corrects, bias_deviation=RATE_DEVIATION
        ),
        standing=fit_weights(prior.standing, [sample.features for sample in told], lasts),
    )


def fit_weights(
    prior: LogisticModel,
    features: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    sample_weights: Sequence[float] = (),
    deviation: float = PRIOR_DEVIATION,
    deviations: Mapping[str, float] = MappingProxyType({}),
    bias_deviation: float = BIAS_DEVIATION,
) -> LogisticModel:
    """Newton's method on the log posterior: weighted logistic likelihood, Gaussian prior around `prior`.

    `deviation` is the standard deviation of a weight around its prior; `deviations` overrides it by name.
    """
    import numpy as np

    names = list(prior.weights)
    start = np.array([prior.bias, *(prior.weights[name] for name in names)])
    x = np.array([[1.0, *(row.get(name, 0.0) for name in names)] for row in features])
    y, weights = np.array(labels, dtype=float), np.array(sample_weights or [1.0] * len(labels))
    precision = np.diag([bias_deviation**-2, *(deviations.get(name, deviation) ** -2 for name in names)])
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


def judge(model: CorrectionModel, samples: Sequence[Sample]) -> str:
    """F1 of detection, and the accuracy of durability where an author said it."""
    flagged = [model.detection.probability(one.features) >= model.detection.threshold for one in samples]
    hits = sum(one.corrects and flag for one, flag in zip(samples, flagged, strict=True))
    f1 = 2 * hits / max(1, sum(flagged) + sum(one.corrects for one in samples))
    told = [one for one in samples if one.lasts is not None]
    right = sum((model.standing.probability(one.features) >= model.standing.threshold) == one.lasts for one in told)
    return f"detection {f1:.3f}" + (f", durability {right / len(told):.3f}" if told else "")


def render_toml(model: CorrectionModel) -> str:
    """The data file of a model, with the priors beside the weights."""
    lines = [
        "# Weights of correction detection: a feature's `prior` was set by hand, its `weight` was fitted around it",
        "# by `python -m training.correction_weights`.",
    ]
    prior = prior_model()
    for name, weights, hand_set in (
        ("detection", model.detection, prior.detection),
        ("standing", model.standing, prior.standing),
    ):
        lines += ["", f"[{name}]", f"threshold = {weights.threshold}"]
        lines.append(f"bias = {{ prior = {hand_set.bias}, weight = {weights.bias} }}")
        lines += [
            f'"{feature}" = {{ prior = {hand_set.weights[feature]}, weight = {weight} }}'
            for feature, weight in weights.weights.items()
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Parse the arguments, judge each author by the others, fit on all, write the data file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="the data file to write")
    out = parser.parse_args().out
    authors = {path.stem: read_samples(path) for pattern in FILES for path in sorted(DATA.glob(pattern))}
    for held, samples in authors.items():
        others = [sample for name, rows in authors.items() if name != held for sample in rows]
        print(held, len(samples), judge(fit_model(others), samples))
    whole = fit_model([sample for rows in authors.values() for sample in rows])
    for name, samples in authors.items():
        print("jointly:", name, len(samples), judge(whole, samples))
    out.write_text(render_toml(whole), "utf-8")


if __name__ == "__main__":
    main()
