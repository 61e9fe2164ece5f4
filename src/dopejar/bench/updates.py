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

from dopejar.errors import InputError
from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.paraphrase.candidates import relate

_SPEAKER: Final = re.compile(r"^\((?P<who>user|assistant)\)\s*")


def predict_update(earlier: str, later: str) -> str:
    """`reinforce`, `supersede`, `conflict-unclear` or `unrelated`: what ingest would do with the later statement."""
    speaker = _SPEAKER.match(later)
    by_user = speaker is None or speaker.group("who") == "user"
    before = extract(_SPEAKER.sub("", earlier), at=None, speaker_is_user=True, keep_all=True)
    after = extract(_SPEAKER.sub("", later), at=None, speaker_is_user=True, before=earlier, keep_all=True)
    return str(relate(before, after, own=by_user).relation)


def run(data: Path, out: Path) -> dict[str, object]:
    """Write the predictions of every pair to `out`; return counts and the median milliseconds per pair."""
    source = next((path for path in (data / "updates" / "pairs.jsonl", data / "pairs.jsonl") if path.is_file()), None)
    if source is None:
        raise InputError(f"{data} has no updates/pairs.jsonl. Give the folder of the evaluation kit with --data.")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines() if line.strip()]
    times, lines = [], []
    for row in rows:
        start = time.perf_counter()
        label = predict_update(str(row["earlier"]), str(row["later"]))
        times.append(time.perf_counter() - start)
        lines.append(json.dumps({"id": row["id"], "label": label}))
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return {"pairs": len(rows), "median_ms": round(sorted(times)[len(times) // 2] * 1000, 3) if times else 0.0}
