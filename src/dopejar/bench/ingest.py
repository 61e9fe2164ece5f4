"""Speed of ingest: the cost of a turn in bulk, and of one durable `remember`.

Takes: a folder of transcripts in the neutral format. Gives: milliseconds per turn, and the cost of `remember` beside
the raw cost of one durable SQLite commit of the same run. Never: computes vectors, or keeps its stores.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from dopejar.compose import open_memory
from dopejar.engine.memory import Memory
from dopejar.errors import InputError

BAR_TURN_MS = 1.0
BAR_REMEMBER_MS = 5.0  # above one raw commit
_NO_VECTORS = {"DOPEJAR_EMBEDDER_KIND": "none"}
_PLACES = ("harbour", "orchard", "quarry", "lighthouse", "mill", "ferry", "granary", "brewery")


def run(
    data: Path, rounds: int = 200, progress: Callable[[str, int, int], None] = lambda *_: None
) -> dict[str, object]:
    """Learn every `turns.jsonl` below `data`, then remember `rounds` single sentences.

    `median_ms_per_turn` is the median over batches (each one transaction) of the time from one acknowledged batch to
    the next, by its turns; the first batch of a file also reads and parses the whole file. `mean_ms_per_turn` counts
    all the time there is.
    """
    files = _files(data)
    with tempfile.TemporaryDirectory(prefix="dopejar-ingest-") as scratch:
        bulk = _bulk(Path(scratch) / "bulk", files, progress)
        single = _single(Path(scratch) / "single", rounds)
        used = {"after_bulk": _single(Path(scratch) / "bulk", rounds)["remember_above_commit_ms"]}
    return {**bulk, "bulk_bar_ms": BAR_TURN_MS, **single, **used, "remember_bar_ms": BAR_REMEMBER_MS}


def _files(data: Path) -> list[Path]:
    candidates = sorted(data.rglob("turns.jsonl")) if data.is_dir() else [data]
    files = [path for path in candidates if path.is_file() and '"turn_id"' in _first_line(path)]
    if not files:
        raise InputError(f"{data} holds no turns.jsonl in the neutral format. Give a folder that does with --data.")
    return files


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline()


def _bulk(home: Path, files: Sequence[Path], progress: Callable[[str, int, int], None]) -> dict[str, object]:
    per_turn: list[float] = []
    turns = records = 0
    start = time.perf_counter()
    with open_memory(home, environment=_NO_VECTORS, said_by="user") as memory:
        for place, path in enumerate(files, 1):
            last = [time.perf_counter(), 0.0]

            def acknowledged(_what: str, done: int, _of: int, *, last: list[float] = last) -> None:
                now = time.perf_counter()
                per_turn.append((now - last[0]) * 1000 / max(done - last[1], 1))
                last[:] = [now, done]

            for learned in memory.learn([path], format_name="neutral", progress=acknowledged):
                turns += learned.episodes
                records += learned.outcomes.get("added", 0) + learned.outcomes.get("superseded", 0)
            progress("files", place, len(files))
    seconds = time.perf_counter() - start
    return {
        "files": len(files),
        "turns": turns,
        "records": records,
        "batches": len(per_turn),
        "median_ms_per_turn": round(median(per_turn), 3),
        "p95_ms_per_turn": round(_at(per_turn, 0.95), 3),
        "mean_ms_per_turn": round(seconds * 1000 / max(turns, 1), 3),
    }


def _single(home: Path, rounds: int) -> dict[str, object]:
    """Alternate `remember` and raw commits in the same directory, so that both use the same disk."""
    with open_memory(home, environment=_NO_VECTORS, said_by="user") as memory:
        memory.remember("The bench begins.")  # warm up: lexicons and caches
        raw = _raw_commits(home)
        commits, remembered = [], []
        for number in range(rounds):
            commits.append(raw())
            remembered.append(_remember(memory, number))
    above = [mine - theirs for mine, theirs in zip(remembered, commits, strict=True)]
    return {
        "remembered": rounds,
        "raw_commit_p50_ms": round(median(commits), 3),
        "raw_commit_p95_ms": round(_at(commits, 0.95), 3),
        "remember_p50_ms": round(median(remembered), 3),
        "remember_p95_ms": round(_at(remembered, 0.95), 3),
        "remember_above_commit_ms": round(median(above), 3),
        "remember_in_commits": round(median(remembered) / median(commits), 2),
    }


def _remember(memory: Memory, number: int) -> float:
    place = f"{_PLACES[number % len(_PLACES)]}{number}"
    start = time.perf_counter()
    remembered = memory.remember(f"The {place} server listens on port {4000 + number}.")
    spent = (time.perf_counter() - start) * 1000
    if not remembered.took_effect:
        raise InputError(f"The bench's own sentence {number} was not believed; measure again with a store of its own.")
    return spent


def _raw_commits(home: Path) -> Callable[[], float]:
    """A function that times one durable commit of one small row: the minimum cost of a durable write here."""
    import apsw

    raw = apsw.Connection(str(home / "raw.db"))
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE row (text TEXT)"):
        list(raw.execute(statement))

    def commit() -> float:
        start = time.perf_counter()
        with raw:
            raw.execute("INSERT INTO row VALUES ('The least that a durable write can be.')")
        return (time.perf_counter() - start) * 1000

    return commit


def _at(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]
