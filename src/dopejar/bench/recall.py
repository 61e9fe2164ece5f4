"""Speed of recall: latency of a question at several store sizes, and memory of a process.

Takes: folders in the neutral format, sizes, a seed. Gives: times beside the raw cost underneath, and memory. Never:
counts an embedding in the time of a query; the query's vector is given.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.bench.retrieval import Progress, no_progress, quantile
from dopejar.bench.store_sample import (
    DIMENSIONS,
    RANDOM_VECTORS,
    fill,
    give_vectors,
    read_sets,
    record_of,
    statements,
)
from dopejar.compose import make_embedder
from dopejar.compose.stores import open_store
from dopejar.errors import StoreError
from dopejar.pipelines.recall.recall import recall
from dopejar.settings import read_settings
from dopejar.values.ids import TraceId
from dopejar.values.recall import Query, Source

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.ports.embedder import Embedder
    from dopejar.ports.store import ReadView

SIZES: Final = (1_000, 10_000, 100_000)
_QUESTIONS: Final = 200
_NOW: Final = datetime(2024, 12, 31, tzinfo=UTC)
_TRACE: Final = TraceId("t_bench")
_WARM_UP: Final = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class SizeTimes:
    """Milliseconds of one question at one number of records, packed and cited.

    `lexical` and `hybrid` search the records; `both` is hybrid over the turns they rest on as well. `cpu` is processor
    time, which other work on the machine does not affect. `scan` is the raw cost underneath: one exact scan of the
    records' vectors in memory, timed between `hybrid` and `both`; `in_scans` is a p95 as a multiple of its median.
    """

    records: int
    lexical_p50: float
    lexical_p95: float
    lexical_cpu_p95: float
    hybrid_p50: float
    hybrid_p95: float
    hybrid_cpu_p95: float
    both_p50: float
    both_p95: float
    both_cpu_p95: float
    scan_p50: float
    lexical_p95_in_scans: float
    hybrid_p95_in_scans: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Spent:
    wall: list[float]
    cpu: list[float]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecallResult:
    """Times by size; embedding one question, apart; the most memory that a process took, at the largest size."""

    sizes: tuple[SizeTimes, ...]
    questions: int
    vectors: str
    embedder: str
    embedding_p50_ms: float
    lexical_mb: float
    embedder_mb: float


def run(
    data: Path,
    *,
    sizes: Sequence[int] = SIZES,
    seed: int = 0,
    home: Path | None = None,
    progress: Progress = no_progress,
) -> RecallResult:
    """Time `recall` with a budget of 1,024 tokens over records sampled from the sets below `data`.

    `home` is the data directory whose installed weights serve for the embedder; without weights the hashed one does.
    """
    turns, asked = read_sets(data)
    questions = statements_of(asked, seed)
    sentences = statements(turns, max(sizes), seed)
    rows = []
    with tempfile.TemporaryDirectory(prefix="dopejar-bench-") as made:
        for size in sorted(sizes):
            path = Path(made) / f"{size}.db"
            rows.append(_timed(path, sentences[:size], questions, seed, progress))
        largest = Path(made) / f"{max(sizes)}.db"
        lexical_mb = _peak(largest, None, questions)
        embedder_mb = _peak(largest, home or Path(made), questions)
        embedder = _embedder(home or Path(made))
    times = [_took(lambda text=text: embedder.embed([text])) for text in questions]  # type: ignore[misc]
    return RecallResult(
        sizes=tuple(rows),
        questions=len(questions),
        vectors=RANDOM_VECTORS.name,
        embedder=embedder.identity.name,
        embedding_p50_ms=quantile(times, 0.5),
        lexical_mb=lexical_mb,
        embedder_mb=embedder_mb,
    )


def statements_of(asked: Sequence[str], seed: int) -> list[str]:
    """The questions that are put, sampled by the seed."""
    import random

    order = random.Random(seed)  # noqa: S311 - a sample, not a secret
    return order.sample(list(asked), min(_QUESTIONS, len(asked)))


def _timed(path: Path, sentences: Sequence[str], questions: Sequence[str], seed: int, progress: Progress) -> SizeTimes:
    store = open_store(path)
    try:
        fill(store, sentences, progress)
        give_vectors(store, seed, progress)
        vector = _unit(seed)
        with store.read() as view:
            lexical = _asked(view, questions, None, (Source.RECORD,))
            hybrid = _asked(view, questions, vector, (Source.RECORD,))
            scan = quantile(_scan(view, len(sentences), vector), 0.5)
            both = _asked(view, questions, vector, tuple(Source))
    finally:
        store.close()
    lexical_p95, hybrid_p95 = quantile(lexical.wall, 0.95), quantile(hybrid.wall, 0.95)
    return SizeTimes(
        records=len(sentences),
        lexical_p50=quantile(lexical.wall, 0.5),
        lexical_p95=lexical_p95,
        lexical_cpu_p95=quantile(lexical.cpu, 0.95),
        hybrid_p50=quantile(hybrid.wall, 0.5),
        hybrid_p95=hybrid_p95,
        hybrid_cpu_p95=quantile(hybrid.cpu, 0.95),
        both_p50=quantile(both.wall, 0.5),
        both_p95=quantile(both.wall, 0.95),
        both_cpu_p95=quantile(both.cpu, 0.95),
        scan_p50=scan,
        lexical_p95_in_scans=round(lexical_p95 / scan, 2),
        hybrid_p95_in_scans=round(hybrid_p95 / scan, 2),
    )


def _asked(
    view: ReadView, questions: Sequence[str], vector: npt.NDArray[np.float32] | None, sources: tuple[Source, ...]
) -> _Spent:
    """Milliseconds of each question, after a few that warm the caches."""
    embed = None if vector is None else (lambda _text: vector)
    identity = None if vector is None else RANDOM_VECTORS

    def ask(text: str) -> object:
        query = Query(text=text, sources=sources)
        return recall(query, view, embed=embed, embedder=identity, now=_NOW, trace_id=_TRACE)

    for text in questions[:_WARM_UP]:
        ask(text)
    wall, cpu = [], []
    for text in questions:
        busy = time.process_time()
        wall.append(_took(lambda text=text: ask(text)))  # type: ignore[misc]
        cpu.append((time.process_time() - busy) * 1000)
    return _Spent(wall=wall, cpu=cpu)


def _took(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _unit(seed: int) -> npt.NDArray[np.float32]:
    import numpy as np

    vector = np.random.default_rng(seed + 1).standard_normal(DIMENSIONS, dtype=np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _scan(view: ReadView, rows: int, vector: npt.NDArray[np.float32]) -> list[float]:
    """The raw cost beneath: the cosines of the vectors of all records, exactly, and the best 200."""
    import numpy as np

    ids = [record_of(number) for number in range(rows)]
    matrix = np.stack(list(view.vectors_of(RANDOM_VECTORS, Source.RECORD, ids).values()))
    most = min(200, rows - 1)
    return [_took(lambda: np.argpartition(-(matrix @ vector), most)[:most]) for _ in range(20)]


def _embedder(home: Path) -> Embedder:
    """The installed weights' embedder, else the hashed one."""
    installed = make_embedder(read_settings(home, {}))
    if installed is not None:
        return installed
    hashed = make_embedder(read_settings(home, {"DOPEJAR_EMBEDDER_KIND": "hashed"}))
    if hashed is None:
        raise AssertionError("the hashed embedder needs no weights")
    return hashed


def _peak(path: Path, home: Path | None, questions: Sequence[str]) -> float:
    """The most resident memory, in MB, of a fresh process that opens the store and answers 20 questions."""
    called = f"from dopejar.bench.recall import weigh; weigh({str(path)!r}, {str(home) if home else None!r})"
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own module
        [sys.executable, "-c", called],
        input="\n".join(" ".join(text.split()) for text in questions[:20]),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise StoreError(f"The process whose memory is measured ended with: {done.stderr.strip()[-300:]}")
    return round(float(done.stdout.split()[-1]), 1)


def weigh(path: str, home: str | None) -> None:
    """Answer the questions on standard input and print the most resident memory in MB; `home`: with the embedder."""
    embedder = _embedder(Path(home)) if home is not None else None
    store = open_store(Path(path), read_only=True)
    with store.read() as view:
        questions = sys.stdin.read().splitlines()
        if embedder is None:
            _asked(view, questions, None, tuple(Source))
        else:
            embedder.embed(questions)
            _asked(view, questions, _unit(0), tuple(Source))
    store.close()
    sys.stdout.write(f"{_resident_mb()}\n")


def _resident_mb() -> float:
    """The high-water mark of this program alone; `ru_maxrss` would count the parent's pages before the exec."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)
