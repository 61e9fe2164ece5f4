"""How much of what lasts in working sessions is marked, and how many turns without anything are marked.

Takes: files of turns in the format of `training/data/reader/turns.md`, and a folder with an installed model. Gives:
precision, recall, F1 and the share of empty turns with a mark, from a certainty on. Never: prints a turn.

    python -m benchmarks.marked_turns --home HOME benchmarks/data/session_turns_{1,2,3}.txt
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from dopejar.bench.behaviour import reader_settings
from dopejar.compose import make_embedder
from dopejar.compose.readers import make_marker
from dopejar.errors import InputError
from dopejar.pipelines.ingest.extraction.self_corrections import as_meant
from dopejar.values.statement import MarkedStatement
from training.reader_data import MarkedTurn, compare, turns_of

CERTAINTIES = (0.5, 0.6, 0.65, 0.7)


def figures(turns: Sequence[MarkedTurn], marked: Sequence[Sequence[MarkedStatement]], least: float) -> dict[str, float]:
    """The figures of marks of this certainty or more."""
    marks = [[mark for mark in found if mark.certainty >= least] for found in marked]
    counts = compare(turns, marks)
    empty = [found for turn, found in zip(turns, marks, strict=True) if not turn.spans]
    return {
        "precision": round(counts.found / max(1, counts.found + counts.excess), 3),
        "recall": round(counts.found / max(1, counts.found + counts.missed), 3),
        "f1": round(2 * counts.found / max(1, 2 * counts.found + counts.excess + counts.missed), 3),
        "empty_marked": round(sum(map(bool, empty)) / max(1, len(empty)), 3),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.marked_turns", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    options = parser.parse_args(arguments)
    marker = make_marker(make_embedder(reader_settings(options.home, "fitted")))
    if marker is None:
        raise InputError("no model is installed there. Run `dopejar models install`.")
    turns = [turn for path in options.files for turn in turns_of(path)]
    marked = marker.mark([as_meant(turn.text) for turn in turns])
    for least in CERTAINTIES:
        print(json.dumps({"certainty": least, "turns": len(turns), **figures(turns, marked, least)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
