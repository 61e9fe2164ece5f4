"""Fit the weights of paraphrase recognition, and print them as tables, with figures on held-out statements.

Takes: phrasings and near misses in `data` that the paraphrase encoder was not fitted with, and a folder with installed
models. Gives: the tables of `src/dopejar/pipelines/ingest/paraphrase/trait_weights.py`, to paste. Never: reads the test
sets in `benchmarks/data`, or writes anything.

    python -m training.paraphrase_weights MODELS minilm-l6-v2

Each phrasing is compared with one, three and all other phrasings of its statement, and with those of the five closest
other statements of its set; each near miss with one, three and all phrasings of its statement. The regression is
logistic, with a ridge on standardised traits; a cosine is a piecewise linear curve, represented by its shares of the
two knots that it lies between. Each fifth of the statements is judged once by weights that were fitted without it.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dopejar.adapters.embedders.paraphrase_embedder import ParaphraseEmbedder
from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, weights_named
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness, Traits, contradiction, traits
from dopejar.pipelines.ingest.paraphrase.statement_features import said_in
from dopejar.pipelines.ingest.paraphrase.trait_weights import MINILM as TABLE
from dopejar.text.lexicons import guess_language

WEIGHT_NAMES = tuple(name for name in Traits._fields if name not in TABLE.curves)
DATA = Path(__file__).parent / "data"
SETS = ("wordings", "wordings-fresh", "wordings-weights")
SEED = 1
SAMPLE_WEIGHTS = {"same": 1.0, "near": 1.0, "other": 0.5}
RIDGE = 5.0
SMOOTHNESS = 10.0  # penalty of a bend in a curve
FOLDS = 5
MAX_PHRASINGS = 16  # of a record, as the program compares them
MAX_EMBEDDED = 8  # of these, the ones compared by vectors
INTERVALS = 5  # of a curve, from 0 to 1


class Comparison(NamedTuple):
    """One comparison: its traits with a constant, its label and sample weight, and the fold of its statement."""

    traits: list[float]
    same: float
    weight: float
    fold: int
    kind: str


class Statement(NamedTuple):
    """A statement: its phrasings, and near misses that say something else."""

    source: str
    phrasings: list[str]
    near: list[str]


def read_statements() -> list[Statement]:
    """The statements of all sets."""
    statements = []
    for name in SETS:
        for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            statements.append(Statement(f"{name}-{row.get('author', '')}", row["wordings"], row.get("near", [])))
    return statements


def read_misses() -> list[list[str]]:
    """Pairs of statements that a careless comparison would merge."""
    return [json.loads(line) for line in (DATA / "near-misses.jsonl").read_text("utf-8").splitlines()]


def columns(values: Traits) -> list[float]:
    """The traits as regression columns: a cosine as its shares of the two knots that it lies between."""
    row = []
    for name, value in zip(Traits._fields, values, strict=True):
        position = min(max(value, 0.0), 1.0) * INTERVALS
        knots = [max(0.0, 1 - abs(position - knot)) for knot in range(INTERVALS + 1)]
        row += knots if name in TABLE.curves else [value]
    return row


class Comparer:
    """Compares a statement with known phrasings, as the program does."""

    def __init__(self, models: Path, model: str, texts: list[str]) -> None:
        self.topics = dict(zip(texts, SentenceEmbedder(models / MINILM.name).embed(texts), strict=True))
        encoder = ParaphraseEmbedder(models / model, weights_named(model))
        self.meanings = dict(zip(texts, encoder.embed(texts), strict=True))

    def compare(self, text: str, known: list[str]) -> list[float] | None:
        """The traits with a constant; None where a contradiction decides."""
        near: list[tuple[str, Nearness | None]] = [
            (
                phrasing,
                Nearness(
                    float(self.topics[text] @ self.topics[phrasing]),
                    float(self.meanings[text] @ self.meanings[phrasing]),
                ),
            )
            for phrasing in known[:MAX_EMBEDDED]
        ]
        near.sort(key=lambda pair: -pair[1].says if pair[1] else 1.0)
        near += [(phrasing, None) for phrasing in known[MAX_EMBEDDED:MAX_PHRASINGS]]
        language = guess_language(" ".join([text, *(phrasing for phrasing, _ in near[:2])]))
        new, old = said_in(text, language), [said_in(phrasing, language) for phrasing, _ in near]
        if contradiction(new, old):
            return None
        return [*columns(traits(new, old, [nearness for _, nearness in near])), 1.0]


def compare_all(statements: list[Statement], comparer: Comparer) -> tuple[list[Comparison], dict[str, int]]:
    """Every comparison for the regression, and how many of each kind a contradiction decided."""
    generator = random.Random(SEED)
    comparisons: list[Comparison] = []
    vetoed = dict.fromkeys(SAMPLE_WEIGHTS, 0)

    def add(text: str, known: list[str], kind: str, fold: int) -> None:
        row = comparer.compare(text, known)
        if row is None:
            vetoed[kind] += 1
        else:
            comparisons.append(Comparison(row, float(kind == "same"), SAMPLE_WEIGHTS[kind], fold, kind))

    means = [np.mean([comparer.topics[text] for text in statement.phrasings], axis=0) for statement in statements]
    for place, (left, right) in enumerate(read_misses()):
        add(left, [right], "near", place % FOLDS)
        add(right, [left], "near", place % FOLDS)
    for place, statement in enumerate(statements):
        fold = place * 7 % FOLDS
        others = [n for n, other in enumerate(statements) if n != place and other.source == statement.source]
        for text in statement.phrasings:
            rest = [phrasing for phrasing in statement.phrasings if phrasing != text]
            for size in sorted({1, min(3, len(rest)), len(rest)}):
                add(text, generator.sample(rest, size), "same", fold)
            closest = sorted(others, key=lambda n, text=text: -float(comparer.topics[text] @ means[n]))[:5]  # type: ignore[misc]
            for number in closest:
                known = statements[number].phrasings
                add(text, generator.sample(known, min(generator.choice((1, 3, 8)), len(known))), "other", fold)
        for text in statement.near:
            for size in sorted({1, min(3, len(statement.phrasings)), len(statement.phrasings)}):
                add(text, generator.sample(statement.phrasings, size), "near", fold)
    return comparisons, vetoed


def second_differences(width: int) -> list[npt.NDArray[np.float64]]:
    """The second difference of each curve at each of its inner knots, as rows over the columns."""
    rows = []
    for curve in range(len(TABLE.curves)):
        for knot in range(1, INTERVALS):
            row = np.zeros(width)
            row[curve * (INTERVALS + 1) + knot - 1 : curve * (INTERVALS + 1) + knot + 2] = (1.0, -2.0, 1.0)
            rows.append(row)
    return rows


def fit(comparisons: list[Comparison]) -> npt.NDArray[np.float64]:
    """The weights by Newton's method; the last one is the intercept."""
    x = np.array([comparison.traits for comparison in comparisons])
    y = np.array([comparison.same for comparison in comparisons])
    sample_weights = np.array([comparison.weight for comparison in comparisons])
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    mean[-1], deviation[-1] = 0.0, 1.0
    scaled = (x - mean) / deviation
    penalty = np.diag([RIDGE] * (x.shape[1] - 1) + [1e-6])
    for row in second_differences(x.shape[1]):
        penalty += SMOOTHNESS * np.outer(row / deviation, row / deviation)
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-scaled @ weights))
        gradient = scaled.T @ (sample_weights * (p - y)) + penalty @ weights
        hessian = (scaled * (sample_weights * p * (1 - p))[:, None]).T @ scaled + penalty
        weights -= np.linalg.solve(hessian, gradient)
    result: npt.NDArray[np.float64] = weights / deviation
    result[-1] = weights[-1] - (weights[:-1] * mean[:-1] / deviation[:-1]).sum()
    return result


def print_report(comparisons: list[Comparison]) -> None:
    """Print how many comparisons of each kind would be merged, judged by weights fitted without their statement."""
    probabilities = np.zeros(len(comparisons))
    for fold in range(FOLDS):
        weights = fit([comparison for comparison in comparisons if comparison.fold != fold])
        for place, comparison in enumerate(comparisons):
            if comparison.fold == fold:
                probabilities[place] = 1 / (1 + np.exp(-float(np.array(comparison.traits) @ weights)))
    for threshold in (0.2, 0.35, 0.5, 0.65, 0.8):
        shares = []
        for kind in SAMPLE_WEIGHTS:
            chosen = np.array([comparison.kind == kind for comparison in comparisons])
            shares.append(f"{kind} {(probabilities[chosen] >= threshold).mean():.4f}")
        print(f"# held out, merged at threshold {threshold}: {', '.join(shares)}")


def print_tables(weights: list[float]) -> None:
    """Print the tables to paste. A curve begins at 0: what all its heights share goes to the intercept."""
    *rest, intercept = weights
    for name in TABLE.curves:
        curve, rest = rest[: INTERVALS + 1], rest[INTERVALS + 1 :]
        intercept += curve[0]
        print(f'    "{name}": ({", ".join(str(round(height - curve[0], 2)) for height in curve)}),')
    for name, weight in zip(WEIGHT_NAMES, rest, strict=True):
        print(f'    "{name}": {weight},')
    print(f"intercept={round(intercept, 2)}")


def main() -> None:
    """Fit, report on held-out statements, print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path, help="the folder that `dopejar models install` filled")
    parser.add_argument("model", help="minilm-l6-v2 or mpnet-base-v2")
    arguments = parser.parse_args()
    statements = read_statements()
    texts = [text for statement in statements for text in (*statement.phrasings, *statement.near)]
    texts = [*dict.fromkeys([*texts, *(text for pair in read_misses() for text in pair)])]
    comparisons, vetoed = compare_all(statements, Comparer(arguments.models, arguments.model, texts))
    print(f"# a contradiction decided: {vetoed}")
    print_report(comparisons)
    print_tables([round(float(weight), 2) for weight in fit(comparisons)])


if __name__ == "__main__":
    main()
