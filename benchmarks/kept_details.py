"""Details of a statement that a later one does not touch: whether they stay in use, and whether what changed does not.

Takes: pairs or rows (`told`) of statements, each with words that must stay in one memory in use and words that must be
gone. Gives: the counts. Never: keeps its store.

    python -m benchmarks.kept_details benchmarks/data/details_development.jsonl --home DIR   # DIR has a model
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.side_by_side import opened

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def run(data: Path, home: Path | None) -> Counter[str]:
    """Tell each pair to a store of its own, ten weeks apart; the user says it, and nobody approves.

    `kept` of `details` stay, `stale` of `changed` stay although they are over; `right` of `pairs` are both right.
    """
    counts: Counter[str] = Counter(kept=0, stale=0, right=0)
    for line in data.read_text("utf-8").splitlines():
        pair = json.loads(line)
        with (
            tempfile.TemporaryDirectory(prefix="pairs-") as scratch,
            opened(Path(scratch), home) as memory,
        ):
            for place, text in enumerate(pair["told"] if "told" in pair else (pair["earlier"], pair["later"])):
                memory.remember(text, said_by="user", at=_START + place * timedelta(weeks=10))
            texts = [record.text for record in memory.list()]
        kept = sum(any(all(word in text for word in words) for text in texts) for words in pair["stays"])
        stale = sum(any(all(word in text for word in _words(over)) for text in texts) for over in pair["over"])
        counts += Counter(details=len(pair["stays"]), kept=kept, changed=len(pair["over"]), stale=stale, pairs=1)
        counts["right"] += kept == len(pair["stays"]) and not stale
    return counts


def _words(over: str | list[str]) -> list[str]:
    return [over] if isinstance(over, str) else over


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--home", type=Path, help="a data directory with an installed model; words alone without it")
    chosen = parser.parse_args()
    print(json.dumps(run(chosen.data, chosen.home)))


if __name__ == "__main__":
    main()
