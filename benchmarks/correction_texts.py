"""Detection of single corrections, and the memory text that each would become.

Takes: snippets (what the assistant did, what a person answered). Gives: counts, and the texts as JSON lines, misses
included. Never: judges the texts itself; the rules that chose them cannot judge them.

    python -m benchmarks.correction_texts benchmarks/data/correction_wordings.jsonl [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dopejar.pipelines.corrections.clusters.wish_clusters import cluster
from dopejar.pipelines.corrections.detection.detector import detect
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import content_of_cluster, is_lasting

_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)


def run(data: Path, out: Path | None = None) -> dict[str, object]:
    """Read every snippet as a conversation of its own, and return counts. `out` takes JSON lines."""
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        groups = cluster(detect([Exchange(text=row["said"], before=row["before"], at=_AT)]))
        row["output"] = content_of_cluster(groups[0]) if groups else ""
        row["at_once"] = bool(groups) and is_lasting(groups[0])
    if out is not None:
        out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return {
        "snippets": len(rows),
        "detected": sum(bool(row["output"]) for row in rows),
        "proposed_at_once": sum(row["at_once"] for row in rows),
        "not_detected": [row["id"] for row in rows if not row["output"]],
    }


def main() -> None:
    """Parse the arguments, measure, print the counts as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="JSON lines with id, before, said")
    parser.add_argument("--out", type=Path, help="JSON lines with the texts")
    arguments = parser.parse_args()
    sys.stdout.write(json.dumps(run(arguments.data, arguments.out), indent=2) + "\n")


if __name__ == "__main__":
    main()
