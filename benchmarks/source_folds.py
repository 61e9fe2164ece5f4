"""Grouped folds: an external scorer is run on each fold of whole sources.

Takes: predictions, gold labels, a scorer that takes `--pred`, `--gold` and `--json`. Gives: each figure by fold, with
mean and standard deviation. Never: interprets a prediction or a label.

The predictions come from the same rules in every fold, so a large deviation shows that a figure depends on one source.

    dopejar bench facts --data DIR --out facts.jsonl
    python -m benchmarks.source_folds --pred facts.jsonl --gold DIR/facts/turns.jsonl --scorer DIR/score_facts.py \
        --by source.repo,source.store,source.kind
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_ROW = dict[str, object]


def source_of(row: Mapping[str, object], fields: Sequence[str]) -> str:
    """The source of a row: the first of the dotted fields that it has; a row without any is a source of its own."""
    for field in fields:
        value: object = row
        for name in field.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if value:
            return f"{field}={value}"
    return f"id={row.get('id')}"


def split_folds(rows: Sequence[_ROW], fields: Sequence[str], count: int) -> list[list[_ROW]]:
    """Divide the rows into folds of similar size without dividing a source; the largest sources are placed first."""
    sources: dict[str, list[_ROW]] = defaultdict(list)
    for row in rows:
        sources[source_of(row, fields)].append(row)
    folds: list[list[_ROW]] = [[] for _ in range(min(count, len(sources)))]
    for _, group in sorted(sources.items(), key=lambda item: (-len(item[1]), item[0])):
        min(folds, key=len).extend(group)
    return folds


def figures(result: Mapping[str, object], before: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a scorer's output, by dotted name."""
    for name, value in result.items():
        if isinstance(value, Mapping):
            yield from figures(value, f"{before}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{before}{name}", float(value)


def score(scorer: Path, gold: Sequence[_ROW], pred: Mapping[object, str]) -> dict[str, float]:
    """Run the scorer on these rows alone."""
    with tempfile.TemporaryDirectory() as folder:
        labels, guesses = Path(folder, "gold.jsonl"), Path(folder, "pred.jsonl")
        labels.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in gold), "utf-8")
        guesses.write_text("".join(pred[row["id"]] + "\n" for row in gold if row["id"] in pred), "utf-8")
        done = subprocess.run(  # noqa: S603 - the caller names the scorer; its input files are made here
            [sys.executable, str(scorer), "--pred", str(guesses), "--gold", str(labels), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{scorer.name} ended with {done.returncode}: {done.stderr.strip()}")
    return dict(figures(json.loads(done.stdout)))


def main() -> None:
    """Score each fold, and print the figure, its mean, its standard deviation and the folds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("--pred", "--gold", "--scorer"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--by", default="source", help="dotted fields of a row's source; the first present one counts")
    parser.add_argument("--count", type=int, default=5, help="how many folds")
    parser.add_argument("--only", default="", help="only figures whose name contains this, comma-separated")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.gold.read_text("utf-8").splitlines() if line.strip()]
    lines = [line for line in arguments.pred.read_text("utf-8").splitlines() if line.strip()]
    pred = {json.loads(line)["id"]: line for line in lines}
    folds = split_folds(rows, arguments.by.split(","), arguments.count)
    scores = [score(arguments.scorer, fold, pred) for fold in folds]
    print(f"{len(rows)} rows, folds of {', '.join(str(len(fold)) for fold in folds)}")
    wanted = [part for part in arguments.only.split(",") if part]
    for name in dict.fromkeys(name for fold_scores in scores for name in fold_scores):
        if wanted and not any(part in name for part in wanted):
            continue
        values = [fold_scores[name] for fold_scores in scores if name in fold_scores]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        shown = " ".join(f"{value:.3f}" for value in values)
        print(f"{name:40} {statistics.mean(values):7.3f} +- {spread:.3f}   {shown}")


if __name__ == "__main__":
    main()
