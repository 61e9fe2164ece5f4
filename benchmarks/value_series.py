"""Values that change over months: whether the last one alone is believed, and what stands beside it stays.

Takes: the histories of `benchmarks/data/series_1.jsonl`. Gives: one JSON object. Never: reads what a reader was fitted
with.

    python -m benchmarks.value_series [--home DIR] [--told]

A history is four or five messages that tell one value after another, and one or two about something similar. `last`:
an active memory holds the last value; `no_old`: none holds an earlier one; `beside`: of the similar statements, those
that an active memory holds; `right`: all three.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.dossier_chains import opened, tell
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status
from dopejar.values.scope import ReadScope

HISTORIES = Path(__file__).with_name("data") / "series_1.jsonl"
_MOST = 1000


def believed(home: Path | None, turns: list[str], *, told: bool) -> list[str]:
    """The active memories after these messages; a reviewer approves all that waits."""
    with opened(home) as memory:
        tell(memory, turns, told=told)
        where = RecordFilter.readable(ReadScope(all_projects=True), (Status.ACTIVE,))
        with memory.store.read() as view:
            return [record.text for record in view.list_records(where, _MOST)]


def holds(text: str, words: Sequence[str]) -> bool:
    """Whether a text has one choice of each of the words."""
    return all(any(choice.lower() in text.lower() for choice in word.split("|")) for word in words)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="has the models")
    parser.add_argument("--told", action="store_true", help="tell each message to the memory, instead of learning it")
    chosen = parser.parse_args()
    figures = Counter[str]()
    for line in HISTORIES.read_text("utf-8").splitlines():
        row = json.loads(line)
        texts = believed(chosen.home, row["turns"], told=chosen.told)
        has_last = any(holds(text, row["current"]) for text in texts)
        others = [text for text in texts if not holds(text, row["current"])]
        has_old = any(holds(text, [old]) for text in others for old in row["old"])
        beside = [any(holds(text, words) for text in texts) for words in row["beside"]]
        figures.update(
            histories=1,
            last=has_last,
            no_old=not has_old,
            beside=sum(beside),
            of_beside=len(beside),
            right=has_last and not has_old and all(beside),
        )
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
