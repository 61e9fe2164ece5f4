"""Whether the order in which conversations are imported changes what memory believes.

Takes: transcripts whose turns have times, or invented conversations in the format of `training/data/reader/turns.md`.
Gives: how many memories are active after an import in the order of time, and how many of these are missing, and how
many others active, after imports in other orders. Never: prints a text.

    python -m benchmarks.order_of_import FILE... [--orders N] [--home DIR]    # --home: with a model
    python -m benchmarks.order_of_import FILE... --together                   # the files of a store in one call

Without `--together`, each conversation is imported by a call of its own: the harder case, in which later ones are known
already. Each store of a transcript is a memory of its own. Memories are the same where their words and scope are.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dopejar.adapters.transcripts.registry import read_file
from dopejar.bench.behaviour import reader_settings
from dopejar.compose import build
from dopejar.compose.stores import in_memory_store
from dopejar.settings import Settings
from dopejar.values.episode import Origin
from dopejar.values.recall import RecordFilter
from dopejar.values.transcript import SourceConversation, SourceTurn

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
Active = Counter[tuple[str, str]]


def written_conversations(path: Path, first: int) -> Iterator[SourceConversation]:
    """The conversations of a file of invented turns, one a day from the day with this number on."""
    for day, part in enumerate(re.split(r"^# conversation", path.read_text("utf-8"), flags=re.MULTILINE)[1:], first):
        said = [line[2:].replace("\\n", "\n") for line in part.splitlines() if line.startswith("T ")]
        times = [START + timedelta(days=day, minutes=place) for place in range(len(said))]
        turns = [
            SourceTurn(source_id=str(place), index=place, speaker="user", origin=Origin.USER, text=text, at=at)
            for place, (text, at) in enumerate(zip(said, times, strict=True))
        ]
        yield SourceConversation(name=f"{path.stem} {day}", turns=tuple(turns))


def conversations_by_store(paths: Sequence[Path]) -> dict[str, list[SourceConversation]]:
    """The dated conversations of the files, by the memory that they belong to, in the order of time."""
    stores: defaultdict[str, list[SourceConversation]] = defaultdict(list)
    for path in paths:
        if path.suffix == ".txt":
            stores[""] += written_conversations(path, len(stores[""]))
        else:
            for one in read_file(path).conversations:
                stores[one.store].append(one)
    dated = {store: [one for one in found if one.turns[0].at is not None] for store, found in stores.items()}
    return {store: sorted(found, key=lambda one: str(one.turns[0].at)) for store, found in dated.items()}


def write_files(folder: Path, conversations: Sequence[SourceConversation]) -> list[Path]:
    """Each conversation as a neutral file, in their order."""
    paths = []
    for number, one in enumerate(conversations):
        rows = [
            {"turn_id": turn.source_id, "role": turn.origin, "content": turn.text, "ts": str(turn.at or "")}
            for turn in one.turns
        ]
        paths.append(folder / f"{number}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return paths


def learned(settings: Settings, paths: Sequence[Path], *, together: bool = False) -> Active:
    """The memories that are active after these files were learned in this order, each by a call or all by one."""
    with build(settings, in_memory_store(), environment={}) as memory:
        for given in [paths] if together else [[path] for path in paths]:
            list(memory.learn(given, format_name="neutral"))
        active = memory.list(RecordFilter(namespace=None), limit=100_000)
    return Counter((record.text, str(record.scope)) for record in active)


def figures(
    settings: Settings, stores: dict[str, list[SourceConversation]], orders: int, *, together: bool = False
) -> dict[str, object]:
    """The totals over all stores; a figure an order where there are several."""
    active, missing, added = 0, [0] * orders, [0] * orders
    for conversations in stores.values():
        with tempfile.TemporaryDirectory() as folder:
            paths = write_files(Path(folder), conversations)
            in_time = learned(settings, paths, together=together)
            active += in_time.total()
            for order in range(orders):
                shuffled = random.Random(order).sample(paths, len(paths))
                found = learned(settings, shuffled, together=together)
                missing[order] += (in_time - found).total()
                added[order] += (found - in_time).total()
    count = sum(map(len, stores.values()))
    return {"conversations": count, "active_in_order_of_time": active, "missing": missing, "added": added}


def main() -> None:
    """Read the arguments and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--together", action="store_true")
    chosen = parser.parse_args()
    settings = reader_settings(chosen.home, "fitted") if chosen.home else reader_settings(Path(), "grammar")
    stores = conversations_by_store(chosen.files)
    print(json.dumps(figures(settings, stores, chosen.orders, together=chosen.together)))


if __name__ == "__main__":
    main()
