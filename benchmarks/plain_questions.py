"""Plain questions about what was told: whether recall answers them, and what else it says.

Takes: a file of persons with what they told and asked later. Gives: one JSON object. Never: shows a question or an
answer.

    python -m benchmarks.plain_questions benchmarks/data/asked_1.jsonl [--home DIR]

With `--home`, over the model there; without, by words. Each person's statements are remembered in a store of their
own. `first` and `in_pack` count the questions whose answer is the first line, or any; `beside` is the mean number of
other lines; `unanswered_with_lines` counts the questions that nothing told answers, and whose pack is not empty.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

from dopejar import Memory, open_memory


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--home", type=Path)
    chosen = parser.parse_args()
    counts = Counter[str]()
    for line in chosen.file.read_text("utf-8").splitlines():
        with tempfile.TemporaryDirectory() as folder:
            if chosen.home is not None:
                (Path(folder) / "models").symlink_to(chosen.home.expanduser() / "models")
            settings = {} if chosen.home is not None else {"DOPEJAR_EMBEDDER_KIND": "none"}
            with open_memory(Path(folder), environment=settings, said_by="user") as memory:
                counts += _counts(memory, json.loads(line))
    beside = counts.pop("beside") / max(1, counts["asked"])
    print(json.dumps({**counts, "beside": round(beside, 2)}))


def _counts(memory: Memory, person: dict[str, list]) -> Counter[str]:
    told = [memory.remember(text).episode_id for text in person["told"]]
    counts = Counter[str]()
    for asked in person["asked"]:
        right = {told[place] for place in asked["answers"]}
        items = memory.recall(asked["question"]).items
        found = [any(one.episode_id in right for one in item.citations) for item in items]
        counts += Counter(asked=1, first=int(found[:1] == [True]), in_pack=int(any(found)), empty=int(not found))
        counts["beside"] += found.count(False)
    for question in person["unanswered"]:
        counts += Counter(unanswered=1, unanswered_with_lines=int(bool(memory.recall(question).items)))
    return counts


if __name__ == "__main__":
    main()
