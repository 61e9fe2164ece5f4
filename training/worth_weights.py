"""Fit what makes a statement of a conversation worth keeping, from labelled statements.

`python bench/fit_worth.py LABELS` prints how well the score orders what was left out of the fitting, and the data file
`data/worth.toml`. LABELS is a file of JSON lines: `text`; `keep`, a judge's verdict; `sure`, 1 to 3; `judge` and
`source`, names; and `drawn`, how the statement was come by. Labelled statements of real conversations are not ours to
ship: the weights are. Plain statements of our own that anybody would keep stand beside them.

Judges differ in how strict they are: each gets an offset of its own, and the weights stand for the mean of them. Five
folds hold whole sources. Of what is drawn otherwise than as a `record`, a part was labelled; `many` says for how many
statements one of them stands.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from dopejar.bench.correction_regression import around
from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.salience.features import features
from dopejar.pipelines.weights import Weights

FOLDS = 5
LEAST = 12  # statements that show a feature; what is rarer gets no weight
SURE = {1: 0.4, 2: 0.8, 3: 1.0}  # how much a verdict counts
THRESHOLDS = (0.6, 0.7, 0.75, 0.8, 0.82, 0.84, 0.86, 0.88, 0.9)
THRESHOLD = 0.86
DATA = Path(__file__).parent / "data"
WRITTEN = ("wordings-pairs", "wordings-weights")
TERSE = 4  # words; notes are told to a memory, hardly said in a conversation
AT = datetime(2031, 1, 1, tzinfo=UTC)
SPREAD = 1.0  # standard deviation of a weight around its prior
FIRM = 0.4  # the same of those with a prior
SHARE = 0.8  # of a labelled statement's weight
# long talks about projects hold few short states; all else is fitted around 0
PRIORS = {"a state, briefly": 3.0, "of the talk": -2.0}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A labelled statement with what it shows."""

    features: Mapping[str, float]
    keep: bool
    sure: int
    judge: str
    source: str
    drawn: str
    many: float


def rows_of(path: Path) -> list[Row]:
    """The labelled statements of a file."""
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        Row(
            features=features(one["text"]),
            keep=one["keep"],
            sure=one["sure"],
            judge=one["judge"],
            source=one["source"],
            drawn=one["drawn"],
            many=one["many"],
        )
        for one in read
    ]


def written(judges: Sequence[str]) -> list[Row]:
    """Statements of our own that are worth keeping, as if the judges had shared them out; their fold is their author's.

    Long talks about projects hold few plain facts about the work, the body or the family; a memory must know them.
    Only what a conversation would have weighed counts: a rule stands by its form, and a wish of the listener is none.
    """
    draw, found = random.Random(7), []
    for line in (line for name in WRITTEN for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        whole = [one for one in row["wordings"] if len(one.split()) > TERSE and _is_weighed(one)]
        for text in draw.sample(whole, min(2, len(whole))):
            judge, source = draw.choice(judges), f"written-{row['author']}"
            found.append(Row(features=features(text), keep=True, sure=2, judge=judge, source=source,
                             drawn="written", many=SHARE))  # fmt: skip
    return found


def _is_weighed(text: str) -> bool:
    return any(not atom.directs_work for atom in extract(text, at=AT, speaker_is_user=True).atoms)


def fitted(rows: Sequence[Row]) -> Weights:
    """The weights around their priors; the bias stands for the mean of the judges."""
    shown = Counter(name for one in rows for name in one.features)
    names = sorted(name for name in shown if shown[name] >= LEAST)
    judges = sorted({one.judge for one in rows})
    none = {name: PRIORS.get(name, 0.0) for name in (*names, *judges)}
    found = around(
        Weights(bias=0.0, weights=MappingProxyType(none), threshold=THRESHOLD),
        [{**one.features, one.judge: 1.0} for one in rows],
        [one.keep for one in rows],
        [SURE[one.sure] * min(one.many, 2.0) for one in rows],
        spread=SPREAD,
        firm=dict.fromkeys(PRIORS, FIRM),
    )
    bias = found.bias + sum(found.weights[one] for one in judges) / len(judges)
    return replace(found, bias=round(bias, 2), weights=MappingProxyType({name: found.weights[name] for name in names}))


def folds(rows: Sequence[Row]) -> dict[str, int]:
    """The fold of each source; all folds of about one size."""
    sizes = Counter(one.source for one in rows)
    sources = sorted(sizes)
    random.Random(3).shuffle(sources)
    load, result = [0] * FOLDS, {}
    for source in sorted(sources, key=lambda one: -sizes[one]):
        result[source] = load.index(min(load))
        load[result[source]] += sizes[source]
    return result


def area(scores: Sequence[tuple[float, bool]]) -> float:
    """The chance that a statement to keep is scored above one that is not (area under the curve)."""
    below, won, kept = 0, 0, 0
    for _, keep in sorted(scores):
        won, kept, below = (won + below, kept + 1, below) if keep else (won, kept, below + 1)
    return won / (kept * below) if kept and below else 0.0


def report(rows: Sequence[Row], likely: Sequence[float]) -> None:
    """How the score does on what was left out."""
    pairs = list(zip(rows, likely, strict=True))
    for drawn in ("", *sorted({one.drawn for one in rows})):
        mine = [(p, one.keep) for one, p in pairs if drawn in ("", one.drawn)]
        print(f"# {drawn or 'all'}: {len(mine)}, area under the curve {area(mine):.3f}")
    own = [p for one, p in pairs if one.drawn == "written"]
    shares = ", ".join(f"{least}: {sum(p >= least for p in own) / len(own):.1%}" for least in THRESHOLDS)
    print(f"# of {len(own)} written statements kept from {shares}")
    records = [(one, p) for one, p in pairs if one.drawn == "record"]
    passing = [(one, p) for one, p in pairs if one.drawn == "passing"]
    keeps = sum(one.keep for one, _ in records)
    for least in THRESHOLDS:
        kept = [one for one, p in records if p >= least]
        gained = [one for one, p in passing if p >= least]
        junk = sum(not one.keep for one in kept)
        gained_junk = sum(one.many for one in gained if not one.keep)
        many = len(kept) + sum(one.many for one in gained)
        lost = 1 - (len(kept) - junk) / keeps
        print(
            f"# from {least}: {len(kept)} of {len(records)} records, junk {junk / len(kept):.1%}, of what is worth "
            f"keeping lost {lost:.1%}; with {many - len(kept):.0f} gained, junk {(junk + gained_junk) / many:.1%}"
        )


def main(labels: Path) -> None:
    """Fit, judge what was left out, print."""
    rows = rows_of(labels)
    rows += written(sorted({one.judge for one in rows}))
    fold = folds(rows)
    models = [fitted([one for one in rows if fold[one.source] != number]) for number in range(FOLDS)]
    report(rows, [models[fold[one.source]].probability(one.features) for one in rows])
    found = fitted(rows)
    print("# What makes a statement of a conversation worth keeping, fitted by `bench/fit_worth.py`.\n")
    print(f"[worth]\nthreshold = {found.threshold}\nbias = {{ weight = {found.bias} }}")
    for name, weight in sorted(found.weights.items(), key=lambda one: one[1]):
        print(f'"{name}" = {{ weight = {weight} }}')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
