"""Fit the weights that decide whether a statement of a conversation is worth remembering.

Takes: labelled statements, and plain statements from `data`. Gives: the data file
`src/dopejar/pipelines/ingest/data/worth.toml` on standard output, with held-out figures as comments. Never: prints a
statement.

    python -m training.salience_weights LABELS > worth.toml

LABELS is a file of JSON lines: `text`; `keep`, a judge's verdict; `sure`, 1 to 3; `judge` and `source`, names; `drawn`,
how the statement was sampled. Statements that were not drawn as a `record` are a sample of many: `many` is how many
statements one of them stands for. The labels are not in this repository, because they quote conversations of third
parties; the weights are.

Judges differ in strictness: each gets an offset of its own, and the bias is the mean over judges. Five folds hold whole
sources.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.salience.features import features
from dopejar.pipelines.logistic_model import LogisticModel
from training.correction_weights import fit_weights

FOLDS = 5
MIN_COUNT = 12  # statements that show a feature; a rarer feature gets no weight
SURENESS = {1: 0.4, 2: 0.8, 3: 1.0}  # the sample weight of a verdict
THRESHOLDS = (0.6, 0.7, 0.75, 0.8, 0.82, 0.84, 0.86, 0.88, 0.9)
THRESHOLD = 0.86
DATA = Path(__file__).parent / "data"
PLAIN_SETS = ("wordings-pairs", "wordings-weights")
TERSE = 4  # words; a note this short is typed into a memory, rarely spoken in a conversation
UNDATED = datetime(2031, 1, 1, tzinfo=UTC)
DEVIATION = 1.0  # standard deviation of a weight around its prior
PRIOR_DEVIATION = 0.4  # the same for the weights in PRIORS
BIAS_DEVIATION = 2.0
PLAIN_SHARE = 0.8  # sample weight of a plain statement, relative to a labelled one
# long conversations about projects hold few short states; every other weight is fitted around 0
PRIORS = {"a state, briefly": 3.0, "of the talk": -2.0}


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A labelled statement with its features."""

    features: Mapping[str, float]
    keep: bool
    sure: int
    judge: str
    source: str
    drawn: str
    many: float


def read_labels(path: Path) -> list[Label]:
    """The labelled statements of a file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Label(
            features=features(row["text"]),
            keep=row["keep"],
            sure=row["sure"],
            judge=row["judge"],
            source=row["source"],
            drawn=row["drawn"],
            many=row["many"],
        )
        for row in rows
    ]


def plain_statements(judges: Sequence[str]) -> list[Label]:
    """Invented statements worth remembering, distributed over the judges; the author is the source.

    Long conversations about projects hold few plain facts about the work, the body or the family; a memory must keep
    them. Only statements that a conversation would score are used: rules are kept by their form, without a score.
    """
    generator, labels = random.Random(7), []
    for line in (line for name in PLAIN_SETS for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        candidates = [text for text in row["wordings"] if len(text.split()) > TERSE and _is_scored(text)]
        for text in generator.sample(candidates, min(2, len(candidates))):
            judge, source = generator.choice(judges), f"written-{row['author']}"
            labels.append(Label(features=features(text), keep=True, sure=2, judge=judge, source=source,
                                drawn="written", many=PLAIN_SHARE))  # fmt: skip
    return labels


def _is_scored(text: str) -> bool:
    return any(not atom.directs_work for atom in extract(text, at=UNDATED, speaker_is_user=True).atoms)


def fit(labels: Sequence[Label]) -> LogisticModel:
    """Fit the weights around their priors; the bias is the mean over the judges."""
    counts = Counter(name for label in labels for name in label.features)
    names = sorted(name for name in counts if counts[name] >= MIN_COUNT)
    judges = sorted({label.judge for label in labels})
    priors = {name: PRIORS.get(name, 0.0) for name in (*names, *judges)}
    fitted = fit_weights(
        LogisticModel(bias=0.0, weights=MappingProxyType(priors), threshold=THRESHOLD),
        [{**label.features, label.judge: 1.0} for label in labels],
        [label.keep for label in labels],
        [SURENESS[label.sure] * min(label.many, 2.0) for label in labels],
        deviation=DEVIATION,
        deviations=dict.fromkeys(PRIORS, PRIOR_DEVIATION),
        bias_deviation=BIAS_DEVIATION,
    )
    bias = fitted.bias + sum(fitted.weights[judge] for judge in judges) / len(judges)
    weights = MappingProxyType({name: fitted.weights[name] for name in names})
    return replace(fitted, bias=round(bias, 2), weights=weights)


def assign_folds(labels: Sequence[Label]) -> dict[str, int]:
    """The fold of each source; all folds have similar sizes."""
    sizes = Counter(label.source for label in labels)
    sources = sorted(sizes)
    random.Random(3).shuffle(sources)
    totals, folds = [0] * FOLDS, {}
    for source in sorted(sources, key=lambda source: -sizes[source]):
        folds[source] = totals.index(min(totals))
        totals[folds[source]] += sizes[source]
    return folds


def area_under_curve(scores: Sequence[tuple[float, bool]]) -> float:
    """ROC AUC: the probability that a statement to keep scores above one to drop."""
    below, won, kept = 0, 0, 0
    for _, keep in sorted(scores):
        won, kept, below = (won + below, kept + 1, below) if keep else (won, kept, below + 1)
    return won / (kept * below) if kept and below else 0.0


def print_report(labels: Sequence[Label], probabilities: Sequence[float]) -> None:
    """Print how the score does on held-out labels."""
    pairs = list(zip(labels, probabilities, strict=True))
    for drawn in ("", *sorted({label.drawn for label in labels})):
        chosen = [(p, label.keep) for label, p in pairs if drawn in ("", label.drawn)]
        print(f"# {drawn or 'all'}: {len(chosen)}, area under the curve {area_under_curve(chosen):.3f}")
    plain = [p for label, p in pairs if label.drawn == "written"]
    shares = ", ".join(f"{least}: {sum(p >= least for p in plain) / len(plain):.1%}" for least in THRESHOLDS)
    print(f"# of {len(plain)} plain statements kept from {shares}")
    records = [(label, p) for label, p in pairs if label.drawn == "record"]
    dropped = [(label, p) for label, p in pairs if label.drawn == "passing"]
    keeps = sum(label.keep for label, _ in records)
    for least in THRESHOLDS:
        kept = [label for label, p in records if p >= least]
        gained = [label for label, p in dropped if p >= least]
        junk = sum(not label.keep for label in kept)
        gained_junk = sum(label.many for label in gained if not label.keep)
        total = len(kept) + sum(label.many for label in gained)
        lost = 1 - (len(kept) - junk) / keeps
        print(
            f"# from {least}: {len(kept)} of {len(records)} records, junk {junk / len(kept):.1%}, lost of those worth "
            f"keeping {lost:.1%}; with {total - len(kept):.0f} gained, junk {(junk + gained_junk) / total:.1%}"
        )


def main() -> None:
    """Fit, report on held-out labels, print the data file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("labels", type=Path, help="JSON lines with text, keep, sure, judge, source, drawn, many")
    labels = read_labels(parser.parse_args().labels)
    labels += plain_statements(sorted({label.judge for label in labels}))
    fold = assign_folds(labels)
    models = [fit([label for label in labels if fold[label.source] != number]) for number in range(FOLDS)]
    print_report(labels, [models[fold[label.source]].probability(label.features) for label in labels])
    fitted = fit(labels)
    print("# Weights of what makes a statement worth keeping, fitted by `python -m training.salience_weights`.\n")
    print(f"[worth]\nthreshold = {fitted.threshold}\nbias = {{ weight = {fitted.bias} }}")
    for name, weight in sorted(fitted.weights.items(), key=lambda item: item[1]):
        print(f'"{name}" = {{ weight = {weight} }}')


if __name__ == "__main__":
    main()
