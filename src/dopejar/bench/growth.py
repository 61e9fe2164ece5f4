"""The bench of growth: what a turn costs to learn while memory grows, so that all of it costs in proportion.

Takes: folders in the neutral format, sizes. Gives: processor time of a learned turn, of one `remember`, and of looking
for merges, by the number of records that stand already. Never: makes vectors, or keeps anything it wrote.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from dopejar.bench.retrieval import Progress, no_progress
from dopejar.bench.store_sample import fill, read_sets, statements
from dopejar.compose import STORE_NAME, open_memory, open_store
from dopejar.engine.memory import Memory
from dopejar.engine.tidying import propose_merges
from dopejar.values.ids import TraceId

SIZES: Final = (1_000, 10_000, 100_000)
_TURNS: Final = 400
_SENTENCES: Final = 60
_SWEPT_S: Final = 3.0
_NO_VECTORS: Final = {"DOPEJAR_EMBEDDER_KIND": "none"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AtSize:
    """Milliseconds of processor time at one number of records; `growth` compares a learned turn with the first size."""

    records: int
    learn_ms_per_turn: float
    remember_ms: float
    sweep_ms_per_record: float
    growth: float


@dataclass(frozen=True, kw_only=True, slots=True)
class GrowthResult:
    """The costs by size, over the same turns each time."""

    turns: int
    sizes: tuple[AtSize, ...]


def run(data: Path, *, sizes: Sequence[int] = SIZES, seed: int = 0, progress: Progress = no_progress) -> GrowthResult:
    """Learn the same turns into stores of growing size. Raises InputError where the folder holds no sets."""
    turns, _ = read_sets(data)
    told = statements(turns, max(sizes), seed)
    rows: list[AtSize] = []
    with tempfile.TemporaryDirectory(prefix="dopejar-growth-") as made:
        talk = _talk(Path(made) / "turns.jsonl", turns[:_TURNS])
        _cost(Path(made) / "warm", told[:100], talk, progress)  # loads what a first call loads
        for size in sorted(sizes):
            learn, single, swept = _cost(Path(made) / str(size), told[:size], talk, progress)
            first = rows[0].learn_ms_per_turn if rows else learn
            rows.append(
                AtSize(
                    records=size,
                    learn_ms_per_turn=round(learn, 3),
                    remember_ms=round(single, 3),
                    sweep_ms_per_record=round(swept, 3),
                    growth=round(learn / first, 2),
                )
            )
    return GrowthResult(turns=min(_TURNS, len(turns)), sizes=tuple(rows))


def _talk(path: Path, turns: Sequence[str]) -> Path:
    """One conversation of the user alone, so that every turn is learned from."""
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


def _cost(
    home: Path, told: Sequence[str], talk: Path, progress: Callable[[str, int, int], None]
) -> tuple[float, float, float]:
    """Processor milliseconds of a learned turn, of a `remember`, and of one record looked at for merges."""
    home.mkdir()
    store = open_store(home / STORE_NAME)
    fill(store, told, progress)
    store.close()
    with open_memory(home, environment=_NO_VECTORS) as memory:
        memory.remember("The bench begins.")
        begun = time.process_time()
        learned = sum(one.episodes for one in memory.learn([talk], format_name="neutral"))
        learn = (time.process_time() - begun) * 1000 / max(learned, 1)
        single = median(_remembered(memory, number) for number in range(_SENTENCES))
        begun = time.process_time()
        looked = propose_merges(memory.deps, TraceId("t_bench"), deadline=time.monotonic() + _SWEPT_S).looked_at
        swept = (time.process_time() - begun) * 1000 / max(looked, 1)
    return learn, single, swept


def _remembered(memory: Memory, number: int) -> float:
    begun = time.process_time()
    memory.remember(f"The mill{number} server listens on port {4000 + number}.")
    return (time.process_time() - begun) * 1000
