"""Plain questions about what was told: whether recall answers them, and what else it says.

Takes: a file of persons with what they told and asked later, and with chats, where they had any. Gives: one JSON
object. Never: shows a question or an answer.

    python -m benchmarks.plain_questions benchmarks/data/asked_1.jsonl [--home DIR]

With `--home`, over the model there; without, by words. Each person's statements are remembered, and the chats learned,
in a store of their own; an answer is the number of a statement, or of a chat and its turn ("2:5"). `first` and
`in_pack` count the questions whose answer is the first line, or any; `beside` is the mean number of other lines;
`unanswered_with_lines` counts the questions that nothing told answers, and whose pack is not empty.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path

from dopejar import Memory, open_memory
from dopejar.engine.lookup import conversations_named
from dopejar.values.ids import EpisodeId


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


def _told(memory: Memory, person: dict[str, list]) -> dict[str, EpisodeId]:
    """What was told and said, in the order of its days, by the names of the answers."""
    acts = [
        (one[0], str(place), one[1]) if isinstance(one, list) else ("", str(place), one)
        for place, one in enumerate(person["told"])
    ]
    acts += [(day, str(place), turns) for place, (day, turns) in enumerate(person.get("chats", ()))]
    found = dict[str, EpisodeId]()
    for day, place, said in sorted(acts, key=lambda act: act[0]):
        at = datetime.fromisoformat(f"{day}T12:00:00+00:00") if day else None
        if isinstance(said, str):
            found[place] = memory.remember(said, at=at).episode_id
            continue
        name = f"chat {place}"
        memory.add([{"role": speaker, "content": text, "at": at} for speaker, text in said], conversation=name)
        with memory.store.read() as view:
            turns = view.turns(conversations_named(view, name)[0])
        found |= {f"{place}:{turn.index}": turn.id for turn in turns}
    return found


def _counts(memory: Memory, person: dict[str, list]) -> Counter[str]:
    told = _told(memory, person)
    counts = Counter[str]()
    for asked in person["asked"]:
        right = {told[str(place)] for place in asked["answers"]}
        items = memory.recall(asked["question"]).items
        found = [any(one.episode_id in right for one in item.citations) for item in items]
        counts += Counter(asked=1, first=int(found[:1] == [True]), in_pack=int(any(found)), empty=int(not found))
        counts["beside"] += found.count(False)
    for question in person["unanswered"]:
        counts += Counter(unanswered=1, unanswered_with_lines=int(bool(memory.recall(question).items)))
    return counts


if __name__ == "__main__":
    main()
