"""Predictions of updates: what a later statement does to an earlier one, in the format of the updates scorer.

Takes: a folder with `updates/pairs.jsonl` (or the file's folder itself). Gives: predictions as JSON lines. Never: reads
the gold label of a pair.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Final

from dopejar.bench.behaviour import reader_settings
from dopejar.compose import make_embedder
from dopejar.compose.readers import make_reader
from dopejar.errors import InputError
from dopejar.language.relations import judged
from dopejar.ports.statement_reader import StatementReader
from dopejar.values.statement import Relation

_SPEAKER: Final = re.compile(r"^\((?P<who>user|assistant)\)\s*")


_LABELS: Final = {
    Relation.SAME: "reinforce",
    Relation.UPDATE: "supersede",
    Relation.END: "supersede",
    Relation.CONTRADICTION: "conflict-unclear",
    Relation.ADDITION: "unrelated",
    Relation.APART: "unrelated",
}


def predict_update(reader: StatementReader, earlier: str, later: str) -> str:
    """`reinforce`, `supersede`, `conflict-unclear` or `unrelated`: what ingest would do with the later statement."""
    speaker = _SPEAKER.match(later)
    pair = (_SPEAKER.sub("", earlier), _SPEAKER.sub("", later))
    before, after = reader.read(pair)
    label = _LABELS[judged(before, after, reader.relate([pair])[0]).relation]
    by_user = speaker is None or speaker.group("who") == "user"
    return label if by_user or label != "supersede" else "conflict-unclear"


def run(data: Path, out: Path, home: Path, reader: str = "fitted") -> dict[str, object]:
    """Write the predictions of every pair to `out`; return counts and the median milliseconds per pair.

    Raises as `behaviour.run` does.
    """
    known = make_reader(make_embedder(reader_settings(home, reader)))
    source = next((path for path in (data / "updates" / "pairs.jsonl", data / "pairs.jsonl") if path.is_file()), None)
    if source is None:
        raise InputError(f"{data} has no updates/pairs.jsonl. Give the folder of the evaluation kit with --data.")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines() if line.strip()]
    times, lines = [], []
    for row in rows:
        start = time.perf_counter()
        label = predict_update(known, str(row["earlier"]), str(row["later"]))
        times.append(time.perf_counter() - start)
        lines.append(json.dumps({"id": row["id"], "label": label}))
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return {
        "pairs": len(rows),
        "reader": known.name,
        "median_ms": round(sorted(times)[len(times) // 2] * 1000, 3) if times else 0.0,
    }
