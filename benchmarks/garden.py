"""Gardening: how long it takes, and whether killing it in the middle changes what comes of it.

Takes: a folder with `turns.jsonl` in the neutral format. Gives: one JSON object. Never: a store that outlives the run.

    python -m benchmarks.garden DIR [--turns N] [--kills N]

The turns make conversations of a thousand each, without vectors. A copy of the store is gardened in a process of its
own, which is killed (SIGKILL) after a random share of the time that gardening takes, then gardened to the end; its rows
are held against those of a store that nobody disturbed.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dopejar import Memory, open_memory
from dopejar.bench.retrieval import ORIGINS, read_rows, text_field
from dopejar.engine.garden import BLOCKS
from dopejar.memory.append import admit, append
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import conversation_id, episode_id

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
SIZE = 1000  # turns of a conversation
SETTINGS = {"DOPEJAR_EMBEDDER_KIND": "none"}
CHILD = (
    "import sys; from pathlib import Path; from dopejar import open_memory\n"
    f"with open_memory(Path(sys.argv[1]), environment={SETTINGS!r}) as memory:\n"
    "    print('ready', flush=True); memory.garden.tend()\n"
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, whole = Path(folder) / "home", Path(folder) / "whole"
        with open_memory(home, environment=SETTINGS) as memory:
            fill(memory, chosen.data, chosen.turns)
        shutil.copytree(home, whole)
        with open_memory(whole, environment=SETTINGS) as memory:
            before, start = peak_mib(), time.perf_counter()
            blocks = len(memory.garden.tend().results)
            seconds, grown = time.perf_counter() - start, peak_mib() - before
            wanted = rows_of(memory)
        changed = sum(killed(home, Path(folder) / "killed", seconds) != wanted for _ in range(chosen.kills))
    figures = {"turns": chosen.turns, "blocks": blocks, "seconds": round(seconds, 2), "grown_mib": grown}
    print(json.dumps({**figures, "kills": chosen.kills, "changed_by_a_kill": changed}))


def fill(memory: Memory, data: Path, count: int) -> None:
    """Append the turns of the folder, again from the first where it has fewer."""
    rows = read_rows(data / "turns.jsonl")
    for first in range(0, count, SIZE):
        home = conversation_id("live", str(first))
        turns = [
            Episode(
                id=episode_id(home, str(place)),
                conversation=home,
                index=place,
                at=BEGAN + timedelta(minutes=place),
                speaker="",
                origin=ORIGINS.get(str(rows[(first + place) % len(rows)].get("role")), Origin.OTHER),
                text=text_field(rows[(first + place) % len(rows)], "text"),
            )
            for place in range(min(SIZE, count - first))
        ]
        row = Conversation(id=home, source="live", name=str(first), started_at=BEGAN)
        with memory.store.write() as tx:
            append(tx, row, admit(turns, lambda text: (text, {}), lambda _: True))


def killed(home: Path, copy: Path, seconds: float) -> list[tuple[str, str]]:
    """The rows of a copy whose gardening was killed once and then done."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(home, copy)
    command = [sys.executable, "-c", CHILD, str(copy)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:  # noqa: S603 - this interpreter, on a copy
        if child.stdout is not None:
            child.stdout.readline()
        time.sleep(random.uniform(0, seconds))
        child.kill()
    with open_memory(copy, environment=SETTINGS) as memory:
        memory.garden.tend()
        return rows_of(memory)


def rows_of(memory: Memory) -> list[tuple[str, str]]:
    """Every row of blocks."""
    with memory.store.read() as view:
        return [(row.key, row.body) for row in view.held_of(BLOCKS)]


def peak_mib() -> int:
    """The greatest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
