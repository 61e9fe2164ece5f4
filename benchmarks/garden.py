"""Gardening: how long it takes, and whether killing it in the middle changes what comes of it.

Takes: a folder with `turns.jsonl` in the neutral format. Gives: one JSON object. Never: a store that outlives the run.

    python -m benchmarks.garden DIR [--turns N] [--size N] [--kills N]

The turns make conversations of `--size` turns each, without vectors. A copy of the store is gardened in a process of
its own, which is killed (SIGKILL) after a random share of the time that gardening takes there, then gardened to the
end; its rows are held against those of a store that nobody disturbed. `interrupted` counts the kills that left some
conversations gardened and others not. `block_ms` is the median time of gardening one block of fifty turns that were
learned.
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from dopejar import Memory, open_memory
from dopejar.bench.retrieval import ORIGINS, read_rows, text_field
from dopejar.engine.garden import BLOCKS
from dopejar.engine.garden.block_rows import BlockRow, blocks_of, put_blocks
from dopejar.memory.append import admit, append
from dopejar.pipelines.garden.blocks import BlockState
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import BlockId, conversation_id, episode_id

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
BLOCK = 50  # turns of the block that is timed
REPEATS = 9
SETTINGS = {"DOPEJAR_EMBEDDER_KIND": "none"}
CHILD = (
    "import sys; from pathlib import Path; from dopejar import open_memory\n"
    f"with open_memory(Path(sys.argv[1]), environment={SETTINGS!r}) as memory:\n"
    "    print('ready', flush=True); memory.garden.tend(); print('done', flush=True); sys.stdin.read()\n"
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--size", type=int, default=1000, help="turns of a conversation")
    parser.add_argument("--kills", type=int, default=100)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, whole = Path(folder) / "home", Path(folder) / "whole"
        with open_memory(home, environment=SETTINGS) as memory:
            fill(memory, chosen.data, chosen.turns, chosen.size)
        shutil.copytree(home, whole)
        with open_memory(whole, environment=SETTINGS) as memory:
            before, start = peak_mib(), time.perf_counter()
            blocks = len(memory.garden.tend().results)
            seconds, grown = time.perf_counter() - start, peak_mib() - before
            wanted = rows_of(memory)
        needed = child_seconds(home, Path(folder) / "killed") if chosen.kills else 0.0
        kills = [killed(home, Path(folder) / "killed", needed) for _ in range(chosen.kills)]
        block = block_ms(Path(folder) / "block", chosen.data)
    figures = {"turns": chosen.turns, "blocks": blocks, "seconds": round(seconds, 2), "grown_mib": grown}
    figures |= {"kills": chosen.kills, "interrupted": sum(0 < left < len(wanted) for left, _ in kills)}
    print(json.dumps({**figures, "changed_by_a_kill": sum(rows != wanted for _, rows in kills), "block_ms": block}))


def block_ms(home: Path, data: Path) -> float:
    """The median time, in milliseconds, of gardening one block of fifty learned turns of the folder."""
    rows = read_rows(data / "turns.jsonl")[:BLOCK]
    turns = [
        {"role": str(row.get("role")), "content": text_field(row, "text"), "at": BEGAN + timedelta(minutes=place)}
        for place, row in enumerate(rows)
    ]
    times = []
    with open_memory(home, environment=SETTINGS, said_by="user") as memory:
        memory.add(turns, conversation="block")
        with memory.store.read() as view:
            (conversation,) = (row.id for row in view.conversations(2))
            places = tuple(turn.index for turn in view.turns(conversation))
        for _ in range(REPEATS):
            with memory.store.write() as tx:
                known = blocks_of(tx, conversation)
                block = BlockRow(id=BlockId("b_timed"), places=places, state=BlockState.PARTIAL)
                put_blocks(tx, replace(known, turns=len(places), last=places[-1], blocks=(block,), archived={}))
            start = time.perf_counter()
            memory.garden.process_bridge_block(block.id)
            times.append((time.perf_counter() - start) * 1000)
    return round(median(times), 1)


def fill(memory: Memory, data: Path, count: int, size: int) -> None:
    """Append the turns of the folder, again from the first where it has fewer."""
    rows = read_rows(data / "turns.jsonl")
    for first in range(0, count, size):
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
            for place in range(min(size, count - first))
        ]
        row = Conversation(id=home, source="live", name=str(first), started_at=BEGAN)
        with memory.store.write() as tx:
            append(tx, row, admit(turns, lambda text: (text, {}), lambda _: True))


def child_seconds(home: Path, copy: Path) -> float:
    """How long gardening takes in a process of its own."""
    with gardening(home, copy) as child:
        start = time.perf_counter()
        read_line(child)
        seconds = time.perf_counter() - start
        child.kill()
    return seconds


@contextmanager
def gardening(home: Path, copy: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that begins to garden a fresh copy of the store."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(home, copy)
    command = [sys.executable, "-c", CHILD, str(copy)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as child:  # noqa: S603 - this interpreter, on a copy
        read_line(child)
        yield child


def read_line(child: subprocess.Popen[bytes]) -> None:
    """Wait until the process has written a line."""
    if child.stdout is None or not child.stdout.readline():
        raise AssertionError("the gardener ended early")


def killed(home: Path, copy: Path, seconds: float) -> tuple[int, list[tuple[str, str]]]:
    """How many conversations of a copy were gardened when its gardener was killed; its rows after gardening again."""
    with gardening(home, copy) as child:
        time.sleep(random.uniform(0, seconds))
        child.kill()
    with open_memory(copy, environment=SETTINGS) as memory:
        left = len(rows_of(memory))
        memory.garden.tend()
        return left, rows_of(memory)


def rows_of(memory: Memory) -> list[tuple[str, str]]:
    """Every row of blocks."""
    with memory.store.read() as view:
        return [(row.key, row.body) for row in view.held_of(BLOCKS)]


def peak_mib() -> int:
    """The greatest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
