"""Scaling of learning: CPU time per turn at several numbers of stored records.

Takes: folders in the neutral format, sizes. Gives: CPU time of a learned turn, of one `remember` and of the merge
sweep, by the number of records already stored. Never: computes vectors, or keeps its stores.

    python -m benchmarks.growth DIR
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Final

from dopejar.bench.retrieval import Progress, no_progress
from dopejar.bench.store_sample import fill, read_sets, statements
from dopejar.compose import STORE_NAME, open_memory
from dopejar.compose.stores import open_store
from dopejar.engine.maintenance.merge_sweep import propose_merges
from dopejar.engine.memory import Memory
from dopejar.values.ids import TraceId

SIZES: Final = (1_000, 10_000, 100_000)
_TURNS: Final = 400
_REMEMBERED: Final = 60
_SWEEP_SECONDS: Final = 3.0
_NO_VECTORS: Final = {"DOPEJAR_EMBEDDER_KIND": "none"}


@dataclass(frozen=True, kw_only=True, slots=True)
class SizeCosts:
    """Milliseconds of CPU time at one number of records; `growth` is the ratio to the smallest size."""

    records: int
    learn_ms_per_turn: float
    remember_ms: float
    sweep_ms_per_record: float
    growth: float


@dataclass(frozen=True, kw_only=True, slots=True)
class GrowthResult:
    """The costs by size, each over the same turns."""

    turns: int
    sizes: tuple[SizeCosts, ...]


def run(data: Path, *, sizes: Sequence[int] = SIZES, seed: int = 0, progress: Progress = no_progress) -> GrowthResult:
    """Learn the same turns into stores of growing size. Raises InputError where the folder holds no data set."""
    turns, _ = read_sets(data)
    sentences = statements(turns, max(sizes), seed)
    rows: list[SizeCosts] = []
    with tempfile.TemporaryDirectory(prefix="dopejar-growth-") as made:
        conversation = _write_conversation(Path(made) / "turns.jsonl", turns[:_TURNS])
        _measure(Path(made) / "warm", sentences[:100], conversation, progress)  # warm up: lexicons and caches
        for size in sorted(sizes):
            learn, single, swept = _measure(Path(made) / str(size), sentences[:size], conversation, progress)
            first = rows[0].learn_ms_per_turn if rows else learn
            rows.append(
                SizeCosts(
                    records=size,
                    learn_ms_per_turn=round(learn, 3),
                    remember_ms=round(single, 3),
                    sweep_ms_per_record=round(swept, 3),
                    growth=round(learn / first, 2),
                )
            )
    return GrowthResult(turns=min(_TURNS, len(turns)), sizes=tuple(rows))


def _write_conversation(path: Path, turns: Sequence[str]) -> Path:
    """One conversation with user turns only, so that every turn is learned from."""
    rows = (
        {
            "store": "growth",
            "session": "growth",
            "turn_id": f"growth:{place}",
            "index": place,
            "speaker": "user",
            "role": "user",
            "text": text,
        }
        for place, text in enumerate(turns)
    )
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def _measure(
    home: Path, sentences: Sequence[str], conversation: Path, progress: Callable[[str, int, int], None]
) -> tuple[float, float, float]:
    """CPU milliseconds of a learned turn, of a `remember`, and of one record in the merge sweep."""
    home.mkdir()
    store = open_store(home / STORE_NAME)
    fill(store, sentences, progress)
    store.close()
    with open_memory(home, environment=_NO_VECTORS, said_by="user") as memory:
        memory.remember("The bench begins.")
        start = time.process_time()
        learned = sum(source.episodes for source in memory.learn([conversation], format_name="neutral"))
        learn = (time.process_time() - start) * 1000 / max(learned, 1)
        single = median(_remember_ms(memory, number) for number in range(_REMEMBERED))
        start = time.process_time()
        deps = memory._deps  # noqa: SLF001 - the merge sweep is timed alone, and no verb runs only it
        looked = propose_merges(deps, TraceId("t_bench"), deadline=time.monotonic() + _SWEEP_SECONDS).examined
        swept = (time.process_time() - start) * 1000 / max(looked, 1)
    return learn, single, swept


def _remember_ms(memory: Memory, number: int) -> float:
    start = time.process_time()
    memory.remember(f"The mill{number} server listens on port {4000 + number}.")
    return (time.process_time() - start) * 1000


def main() -> None:
    """Parse the arguments, measure, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with one data set in the neutral format, or with several")
    parser.add_argument("--size", type=int, action="append", help="how many records; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    result = run(arguments.data, sizes=arguments.size or SIZES, seed=arguments.seed)
    sys.stdout.write(json.dumps(asdict(result), indent=2) + "\n")


if __name__ == "__main__":
    main()
