"""A five-fold cross-check by source: each fold holds whole sources, and a scorer is run on each fold alone.

Takes: predictions, gold labels, a scorer that takes `--pred`, `--gold` and `--json`. Gives: each figure by fold, with
mean and spread. Never: looks at what a prediction or a label says.

The rules are the same in every fold, so a wide spread says that a figure leans on one source.

    dopejar bench facts --data DIR --out facts.jsonl
    python bench/folds.py --pred facts.jsonl --gold DIR/facts/turns.jsonl --scorer DIR/score_facts.py \
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
    """Where a row comes from: the first of the dotted fields that it has; a row with none is a source of its own."""
    for field in fields:
        found: object = row
        for name in field.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        if found:
            return f"{field}={found}"
    return f"id={row.get('id')}"


def into_folds(rows: Sequence[_ROW], fields: Sequence[str], count: int) -> list[list[_ROW]]:
    """The rows in so many folds of about the same size; a source is never divided. The largest sources go first."""
    sources: dict[str, list[_ROW]] = defaultdict(list)
    for row in rows:
        sources[source_of(row, fields)].append(row)
    folds: list[list[_ROW]] = [[] for _ in range(min(count, len(sources)))]
    for _, group in sorted(sources.items(), key=lambda one: (-len(one[1]), one[0])):
        min(folds, key=len).extend(group)
    return folds


def figures(result: Mapping[str, object], before: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a scorer's answer, by dotted names."""
    for name, value in result.items():
        if isinstance(value, Mapping):
            yield from figures(value, f"{before}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{before}{name}", float(value)


def score(scorer: Path, gold: Sequence[_ROW], pred: Mapping[object, str]) -> dict[str, float]:
    """The scorer's numbers for these rows alone."""
    with tempfile.TemporaryDirectory() as folder:
        labels, guesses = Path(folder, "gold.jsonl"), Path(folder, "pred.jsonl")
        labels.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in gold), "utf-8")
        guesses.write_text("".join(pred[row["id"]] + "\n" for row in gold if row["id"] in pred), "utf-8")
        done = subprocess.run(  # noqa: S603 - the scorer is what the caller names, run on files made here
            [sys.executable, str(scorer), "--pred", str(guesses), "--gold", str(labels), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{scorer.name} ended with {done.returncode}: {done.stderr.strip()}")
    return dict(figures(json.loads(done.stdout)))


def main() -> None:
    """Score each fold, and print figure, mean, spread (standard deviation) and the folds."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("--pred", "--gold", "--scorer"):
        asked.add_argument(name, type=Path, required=True)
    asked.add_argument("--by", default="source", help="dotted fields that name a row's source, the first that is there")
    asked.add_argument("--count", type=int, default=5, help="how many folds")
    asked.add_argument("--only", default="", help="figures whose name holds this, comma-separated")
    given = asked.parse_args()
    rows = [json.loads(line) for line in given.gold.read_text("utf-8").splitlines() if line.strip()]
    lines = [line for line in given.pred.read_text("utf-8").splitlines() if line.strip()]
    pred = {json.loads(line)["id"]: line for line in lines}
    folds = into_folds(rows, given.by.split(","), given.count)
    found = [score(given.scorer, fold, pred) for fold in folds]
    print(f"{len(rows)} rows, folds of {', '.join(str(len(fold)) for fold in folds)}")
    wanted = [one for one in given.only.split(",") if one]
    for name in dict.fromkeys(name for one in found for name in one):
        if wanted and not any(one in name for one in wanted):
            continue
        values = [one[name] for one in found if name in one]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        print(f"{name:40} {statistics.mean(values):7.3f} +- {spread:.3f}   {' '.join(f'{one:.3f}' for one in values)}")


if __name__ == "__main__":
    main()
