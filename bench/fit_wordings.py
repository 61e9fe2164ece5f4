"""Fits the weights of `likeness.meaning` and prints them, with what they come to on subjects that were left out.

Takes: sets of wordings beside this file that the turned MiniLM was not fitted with, and the folder with installed
models. Gives: the table of weights to paste. Never: reads the set that was put aside, or writes anything.

Run: `python bench/fit_wordings.py MODELS` with the folder that `dopejar models install` filled.

Each wording is compared with one, three and all other wordings of its subject, and with those of the five nearest
other subjects of its set; each statement that is near to a subject and says something else, with one, three and all of
its wordings. The regression is logistic, with a ridge on standardised traits; each fifth of the subjects is judged once
by weights that were fitted without it.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dopejar.adapters.embedders.minilm import MiniLmEmbedder
from dopejar.adapters.embedders.sayings import MiniLmSayings
from dopejar.pipelines.ingest.likeness.meaning import Nearness, Traits, contradiction, traits
from dopejar.pipelines.ingest.likeness.saying import said_in
from dopejar.text.lexicons import guess_language

DATA = Path(__file__).parent / "data"
SETS = ("wordings", "wordings-fresh", "wordings-weights")
NEAR_WEIGHT = 1.0
OTHER_WEIGHT = 0.5
RIDGE = 5.0
FOLDS = 5
MOST = 16
WORDINGS = 8


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


class Comparer:
    """Compares as `near.SemanticNear` and `same_statement` do."""

    def __init__(self, models: Path, texts: list[str]) -> None:
        folder = models / "minilm-l6-v2"
        self.about = dict(zip(texts, MiniLmEmbedder(folder).embed(texts), strict=True))
        self.says = dict(zip(texts, MiniLmSayings(folder).embed(texts), strict=True))

    def row(self, told: str, known: list[str]) -> list[float] | None:
        """The traits with a constant; None where a contradiction decides."""
        found = sorted(known, key=lambda one: -float(self.about[told] @ self.about[one]))[:MOST]
        near: list[tuple[str, Nearness | None]] = [
            (one, Nearness(float(self.about[told] @ self.about[one]), float(self.says[told] @ self.says[one])))
            for one in found[:WORDINGS]
        ]
        near.sort(key=lambda one: -one[1].says if one[1] else 1.0)
        near += [(one, None) for one in found[WORDINGS:]]
        language = guess_language(" ".join([told, *(one for one, _ in near[:2])]))
        mine, theirs = said_in(told, language), [said_in(one, language) for one, _ in near]
        return None if contradiction(mine, theirs) else [*traits(mine, theirs, [one for _, one in near]), 1.0]


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


def fitted(rows: list[Row]) -> npt.NDArray[np.float64]:
    """The weights by Newton's method; the last one is the intercept."""
    found = np.array([one.traits for one in rows])
    same, weight = np.array([one.same for one in rows]), np.array([one.weight for one in rows])
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
    groups = read_groups()
    texts = [one for group in groups for one in (*group.wordings, *group.near)]
    texts = [*dict.fromkeys([*texts, *(one for pair in read_misses() for one in pair)])]
    rows, decided = rows_of(groups, Comparer(models, texts))
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
    for name, weight in zip((*Traits._fields, "INTERCEPT"), fitted(rows), strict=True):
        print(f"    {name}={round(float(weight), 2)},")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
