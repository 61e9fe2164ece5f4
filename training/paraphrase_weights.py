"""Fits the tables of `likeness.weighing` and prints them, with what they come to on subjects that were left out.

Takes: sets of wordings beside this file that the turned model was not fitted with, and the folder with installed
models. Gives: the table of weights to paste. Never: reads the set that was put aside, or writes anything.

Run: `python bench/fit_wordings.py MODELS MODEL` with the folder that `dopejar models install` filled, and the model
that tells what is said, minilm-l6-v2 or mpnet-base-v2.

Each wording is compared with one, three and all other wordings of its subject, and with those of the five nearest
other subjects of its set; each statement that is near to a subject and says something else, with one, three and all of
its wordings. The regression is logistic, with a ridge on standardised traits; a cosine is weighed as its shares of the
two steps of its curve that it lies between. Each fifth of the subjects is judged once by weights that were fitted
without it.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dopejar.adapters.embedders.sayings import Sayings
from dopejar.adapters.embedders.sentences import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, named
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness, Traits, contradiction, traits
from dopejar.pipelines.ingest.paraphrase.statement_features import said_in
from dopejar.pipelines.ingest.paraphrase.trait_weights import MINILM as TABLE
from dopejar.text.lexicons import guess_language

NAMES = tuple(name for name in Traits._fields if name not in TABLE.curves)
DATA = Path(__file__).parent / "data"
SETS = ("wordings", "wordings-fresh", "wordings-weights")
NEAR_WEIGHT = 1.0
OTHER_WEIGHT = 0.5
RIDGE = 5.0
SMOOTH = 10.0  # how much a bend in a curve costs
FOLDS = 5
MOST = 16
WORDINGS = 8
STEPS = 5  # of a curve, from 0 to 1


class Row(NamedTuple):
    """One comparison: its traits with a constant, what it is, its weight, and the fold of its subject."""

    traits: list[float]
    same: float
    weight: float
    fold: int
    kind: str


class Group(NamedTuple):
    """A subject: its wordings, and statements near to it that say something else."""

    source: str
    wordings: list[str]
    near: list[str]


def read_groups() -> list[Group]:
    """The subjects of all sets."""
    found = []
    for name in SETS:
        for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            found.append(Group(f"{name}-{row.get('author', '')}", row["wordings"], row.get("near", [])))
    return found


def read_misses() -> list[list[str]]:
    """Pairs of statements that a careless comparison takes for one."""
    return [json.loads(line) for line in (DATA / "near-misses.jsonl").read_text("utf-8").splitlines()]


def columns(found: Traits) -> list[float]:
    """The traits as they are weighed: a cosine as its shares of the two steps that it lies between."""
    result = []
    for name, value in zip(Traits._fields, found, strict=True):
        place = min(max(value, 0.0), 1.0) * STEPS
        result += [max(0.0, 1 - abs(place - step)) for step in range(STEPS + 1)] if name in TABLE.curves else [value]
    return result


class Comparer:
    """Compares as `near.SemanticNear` and `same_statement` do."""

    def __init__(self, models: Path, model: str, texts: list[str]) -> None:
        weights = named(model)
        self.about = dict(zip(texts, SentenceEmbedder(models / MINILM.name).embed(texts), strict=True))
        self.says = dict(zip(texts, Sayings(models / model, weights).embed(texts), strict=True))

    def row(self, told: str, known: list[str]) -> list[float] | None:
        """The traits with a constant; None where a contradiction decides."""
        near: list[tuple[str, Nearness | None]] = [
            (one, Nearness(float(self.about[told] @ self.about[one]), float(self.says[told] @ self.says[one])))
            for one in known[:WORDINGS]
        ]
        near.sort(key=lambda one: -one[1].says if one[1] else 1.0)
        near += [(one, None) for one in known[WORDINGS:MOST]]
        language = guess_language(" ".join([told, *(one for one, _ in near[:2])]))
        mine, theirs = said_in(told, language), [said_in(one, language) for one, _ in near]
        return None if contradiction(mine, theirs) else [*columns(traits(mine, theirs, [one for _, one in near])), 1.0]


def rows_of(groups: list[Group], comparer: Comparer) -> tuple[list[Row], dict[str, int]]:
    """Every comparison that is weighed, and how many of each kind a contradiction decided."""
    draw, rows, decided = random.Random(1), [], {"same": 0, "near": 0, "other": 0}

    def add(told: str, known: list[str], kind: str, fold: int) -> None:
        weight = {"same": 1.0, "near": NEAR_WEIGHT, "other": OTHER_WEIGHT}[kind]
        found = comparer.row(told, known)
        if found is None:
            decided[kind] += 1
        else:
            rows.append(Row(found, float(kind == "same"), weight, fold, kind))

    middle = [np.mean([comparer.about[one] for one in group.wordings], axis=0) for group in groups]
    for place, (one, other) in enumerate(read_misses()):
        add(one, [other], "near", place % FOLDS)
        add(other, [one], "near", place % FOLDS)
    for place, group in enumerate(groups):
        fold = place * 7 % FOLDS
        others = [one for one, other in enumerate(groups) if one != place and other.source == group.source]
        for told in group.wordings:
            rest = [one for one in group.wordings if one != told]
            for size in sorted({1, min(3, len(rest)), len(rest)}):
                add(told, draw.sample(rest, size), "same", fold)
            for one in sorted(others, key=lambda one: -float(comparer.about[told] @ middle[one]))[:5]:
                known = groups[one].wordings
                add(told, draw.sample(known, min(draw.choice((1, 3, 8)), len(known))), "other", fold)
        for told in group.near:
            for size in sorted({1, min(3, len(group.wordings)), len(group.wordings)}):
                add(told, draw.sample(group.wordings, size), "near", fold)
    return rows, decided


def bends(width: int) -> list[npt.NDArray[np.float64]]:
    """What tells how much each curve bends at each of its inner steps."""
    found = []
    for curve in range(len(TABLE.curves)):
        for step in range(1, STEPS):
            bend = np.zeros(width)
            bend[curve * (STEPS + 1) + step - 1 : curve * (STEPS + 1) + step + 2] = (1.0, -2.0, 1.0)
            found.append(bend)
    return found


def fitted(rows: list[Row]) -> npt.NDArray[np.float64]:
    """The weights by Newton's method; the last one is the intercept."""
    found = np.array([one.traits for one in rows])
    same, weight = np.array([one.same for one in rows]), np.array([one.weight for one in rows])
    middle, spread = found.mean(0), found.std(0) + 1e-9
    middle[-1], spread[-1] = 0.0, 1.0
    scaled = (found - middle) / spread
    cost = np.diag([RIDGE] * (found.shape[1] - 1) + [1e-6])
    for bend in bends(found.shape[1]):
        cost += SMOOTH * np.outer(bend / spread, bend / spread)
    weights = np.zeros(found.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (weight * (likely - same)) + cost @ weights
        curvature = (scaled * (weight * likely * (1 - likely))[:, None]).T @ scaled + cost
        weights -= np.linalg.solve(curvature, slope)
    result: npt.NDArray[np.float64] = weights / spread
    result[-1] = weights[-1] - (weights[:-1] * middle[:-1] / spread[:-1]).sum()
    return result


def main(models: Path, model: str) -> None:
    """Fit, judge what was left out, print."""
    groups = read_groups()
    texts = [one for group in groups for one in (*group.wordings, *group.near)]
    texts = [*dict.fromkeys([*texts, *(one for pair in read_misses() for one in pair)])]
    rows, decided = rows_of(groups, Comparer(models, model, texts))
    likely = np.zeros(len(rows))
    for fold in range(FOLDS):
        weights = fitted([one for one in rows if one.fold != fold])
        for place, one in enumerate(rows):
            if one.fold == fold:
                likely[place] = 1 / (1 + np.exp(-float(np.array(one.traits) @ weights)))
    print(f"# a contradiction decided: {decided}")
    for bound in (0.2, 0.35, 0.5, 0.65, 0.8):
        shares = []
        for kind in ("same", "near", "other"):
            chosen = np.array([one.kind == kind for one in rows])
            shares.append(f"{kind} {(likely[chosen] >= bound).mean():.4f}")
        print(f"# of subjects left out, taken for the same from {bound}: {', '.join(shares)}")
    show([round(float(weight), 2) for weight in fitted(rows)])


def show(weights: list[float]) -> None:
    """Print the tables to paste. A curve begins at 0: what all its heights share goes to the intercept."""
    *left, intercept = weights
    for name in TABLE.curves:
        curve, left = left[: STEPS + 1], left[STEPS + 1 :]
        intercept += curve[0]
        print(f'    "{name}": ({", ".join(str(round(one - curve[0], 2)) for one in curve)}),')
    for name, weight in zip(NAMES, left, strict=True):
        print(f'    "{name}": {weight},')
    print(f"intercept={round(intercept, 2)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
