"""How well the signals, altitude, type of request and strategy of single utterances are read.

Takes: sets with labels, such as those in `data`, and what `dopejar bench signals` wrote for each. Gives: the macro F1
of the signals, recall of each, the share of other labels that are right, of all and by set. Never: prints a text.

    dopejar bench signals --data benchmarks/data/utterances_1.jsonl --out PRED
    python -m benchmarks.turn_signals benchmarks/data/utterances_1.jsonl PRED [SET PRED ...] [--negatives PRED]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HEADS = ("altitude", "request_type", "strategy", "stakes")
Row = Mapping[str, Any]
Pair = tuple[Row, Row]


def read(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def pairs_of(labelled: Sequence[Row], predicted: Sequence[Row]) -> list[Pair]:
    """Each labelled row with its prediction. Raises KeyError where one has none."""
    by_id = {row["id"]: row for row in predicted}
    return [(row, by_id[row["id"]]) for row in labelled]


def score(pairs: Sequence[Pair]) -> dict[str, object]:
    """The figures of a set: `recall` is right of all that hold, `false` are those that were read and do not hold."""
    signals = sorted({name for pair in pairs for row in pair for name in row["signals"]})
    by_signal: dict[str, dict[str, object]] = {}
    scores = []
    for name in signals:
        held, given = ([name in pair[at]["signals"] for pair in pairs] for at in (0, 1))
        right = sum(a and b for a, b in zip(held, given, strict=True))
        f1 = 2 * right / (sum(held) + sum(given))
        scores.append(f1)
        by_signal[name] = {"f1": round(f1, 3), "recall": f"{right} of {sum(held)}", "false": sum(given) - right}
    right_of = {head: sum(a[head] == b[head] for a, b in pairs) / len(pairs) for head in HEADS}
    return {
        "utterances": len(pairs),
        "macro_f1": round(sum(scores) / max(1, len(scores)), 3),
        **{head: round(share, 3) for head, share in right_of.items()},
        "signals": by_signal,
    }


def false_alarms(predicted: Sequence[Row]) -> dict[str, object]:
    """How many turns that are no alarm were read as urgent, and as an emergency."""
    counts = {name: sum(name in row["signals"] for row in predicted) for name in ("urgency", "emergency")}
    return {"turns": len(predicted), **counts}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.turn_signals", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="a set with labels, its predictions, the next set, ...")
    parser.add_argument("--negatives", type=Path, help="predictions of ordinary turns, without an alarm in them")
    options = parser.parse_args(arguments)
    if len(options.files) % 2:
        parser.error("each set needs its predictions after it")
    files = zip(options.files[::2], options.files[1::2], strict=True)
    sets = {labels.stem: pairs_of(read(labels), read(given)) for labels, given in files}
    found: dict[str, object] = {name: score(pairs) for name, pairs in sets.items()}
    if len(sets) > 1:
        found["all"] = score([pair for pairs in sets.values() for pair in pairs])
    if options.negatives:
        found["negatives"] = false_alarms(read(options.negatives))
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
