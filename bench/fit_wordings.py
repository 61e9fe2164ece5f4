"""Fits the weights of `likeness.meaning` and prints them, with what they come to on subjects that were left out.

Takes: the open sets of wordings and the near misses beside this file, and the folder with installed models. Gives: the
table of weights to paste. Never: reads `wordings-fresh.jsonl` or `wordings-unread.jsonl`, or writes anything.

Run: `python bench/fit_wordings.py MODELS` with the folder that `dopejar models install` filled.

Each wording is compared with one, three and all other wordings of its subject, and with those of the five nearest
other subjects of all sets. Subjects that stand in two sets are no contrast to each other. Near misses weigh eightfold.
The regression is logistic, with a ridge on standardised traits; each fifth of the subjects is judged once by weights
that were fitted without it.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dopejar.adapters.embedders.minilm import MiniLmEmbedder
from dopejar.pipelines.ingest.likeness.meaning import Traits, contradiction, traits
from dopejar.pipelines.ingest.likeness.same import SAME
from dopejar.pipelines.ingest.likeness.saying import said_in
from dopejar.text.lexicons import guess_language

DATA = Path(__file__).parent / "data"
SETS = (
    "wordings",
    "wordings-development",
    "wordings-validation",
    "wordings-development-idioms",
    "wordings-development-plain",
)
TWICE = (  # one subject under two names
    {"theme-dark", "dark-theme"},
    {"python-packages-uv", "uv"},
    {"answers-short", "concise"},
    {"dog-biscuit", "dog"},
    {"diet-vegetarian", "vegetarian"},
    {"allergy-peanuts", "peanut-allergy"},
    {"python-version-312", "python-version"},
    {"node-version-22", "node-version"},
    {"branch-names", "branch-names-issue"},
    {"port-database-5433", "db-port"},
)
MISS_WEIGHT = 8.0
RIDGE = 3.0
FOLDS = 5
Vectors = dict[str, npt.NDArray[np.float32]]
Rows = list[tuple[list[float], float, float, int]]  # traits, whether the same, weight, fold


def row(told: str, known: list[str], vectors: Vectors) -> list[float] | None:
    """The traits of a comparison with a constant; None where a contradiction decides it."""
    near = sorted(known, key=lambda one: -float(vectors[told] @ vectors[one]))[:16]
    language = guess_language(" ".join([told, *near[:2]]))
    mine, theirs = said_in(told, language), [said_in(one, language) for one in near]
    if contradiction(mine, theirs):
        return None
    return [*traits(mine, theirs, [float(vectors[told] @ vectors[one]) for one in near]), 1.0]


def rows_of(groups: list[tuple[str, list[str]]], misses: list[list[str]], vectors: Vectors) -> Rows:
    """Every comparison that is weighed."""
    draw, rows = random.Random(1), []

    def add(told: str, known: list[str], same: float, weight: float, fold: int) -> None:
        found = row(told, known, vectors)
        if found is not None:
            rows.append((found, same, weight, fold))

    for place, (name, wordings) in enumerate(groups):
        fold = place * FOLDS // len(groups)
        others = [one for one in groups if one[0] != name and {one[0], name} not in TWICE]
        for told in wordings:
            rest = [one for one in wordings if one != told]
            for size in (1, 3, len(rest)):
                add(told, draw.sample(rest, size), 1.0, 1.0, fold)
            ranked = sorted(others, key=lambda one: -max(float(vectors[told] @ vectors[w]) for w in one[1]))[:5]
            for _, known in ranked:
                nearest = sorted(known, key=lambda one: -float(vectors[told] @ vectors[one]))
                for size in (1, 3, len(nearest)):
                    add(told, nearest[:size], 0.0, 1.0, fold)
    for place, (one, other) in enumerate(misses):
        add(one, [other], 0.0, MISS_WEIGHT, place % FOLDS)
        add(other, [one], 0.0, MISS_WEIGHT, place % FOLDS)
    return rows


def fitted(rows: Rows) -> npt.NDArray[np.float64]:
    """The weights by Newton's method; the last one is the intercept."""
    found = np.array([one[0] for one in rows])
    same, weight = (np.array([one[place] for one in rows]) for place in (1, 2))
    middle, spread = found.mean(0), found.std(0) + 1e-9
    middle[-1], spread[-1] = 0.0, 1.0
    scaled = (found - middle) / spread
    ridge = np.full(found.shape[1], RIDGE)
    ridge[-1] = 1e-6
    weights = np.zeros(found.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (weight * (likely - same)) + ridge * weights
        bend = (scaled * (weight * likely * (1 - likely))[:, None]).T @ scaled + np.diag(ridge)
        weights -= np.linalg.solve(bend, slope)
    result: npt.NDArray[np.float64] = weights / spread
    result[-1] = weights[-1] - (weights[:-1] * middle[:-1] / spread[:-1]).sum()
    return result


def main(models: Path) -> None:
    """Fit, judge what was left out, print."""
    sets = [json.loads(line) for name in SETS for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
    groups = [(one["group"], one["wordings"]) for one in sets]
    misses = [json.loads(line) for line in (DATA / "near-misses.jsonl").read_text("utf-8").splitlines()]
    texts = [*dict.fromkeys([w for _, ws in groups for w in ws] + [one for pair in misses for one in pair])]
    vectors = dict(zip(texts, MiniLmEmbedder(models / "minilm-l6-v2").embed(texts), strict=True))
    rows = rows_of(groups, misses, vectors)
    missed = wrong = 0
    for fold in range(FOLDS):
        weights = fitted([one for one in rows if one[3] != fold])
        for found, same, _, _ in (one for one in rows if one[3] == fold):
            is_same = 1 / (1 + np.exp(-float(np.array(found) @ weights))) >= SAME
            missed, wrong = missed + bool(same and not is_same), wrong + bool(is_same and not same)
    told = sum(bool(one[1]) for one in rows)
    print(f"# of subjects left out: {missed} of {told} missed, {wrong} of {len(rows) - told} wrongly the same")
    weights = fitted(rows)
    for name, weight in zip((*Traits._fields, "INTERCEPT"), weights, strict=True):
        print(f"    {name}={round(float(weight), 2)},")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
