"""Quality of retrieval: which turns answer a question, in the neutral format of turns and queries.

Takes: a folder with `turns.jsonl` and `queries.jsonl`. Gives: a run file, one line per query, and times. Never: reads
the right answers of the file, or searches another store than the query's own.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.bench.store_sample import append_turns
from dopejar.compose.readers import make_answer_reader
from dopejar.compose.stores import open_store
from dopejar.errors import InputError
from dopejar.pipelines.recall.ranking import rank_with_details
from dopejar.pipelines.recall.recall import recall
from dopejar.values.dates import parse_utc
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import TraceId, conversation_id, episode_id
from dopejar.values.recall import Query, Source
from dopejar.values.scope import ReadScope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.pipelines.recall.answer_floor import Floor
    from dopejar.pipelines.recall.candidates import Embed
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.statement_reader import AnswerReader
    from dopejar.ports.store import ReadView, Store

Row = Mapping[str, object]
Progress = Callable[[str, int, int], None]
"""What is counted, how many are done, of how many."""

_DEPTH: Final = 200
CHUNK: Final = 128
ORIGINS: Final = {"user": Origin.USER, "assistant": Origin.ASSISTANT, "tool": Origin.TOOL, "system": Origin.SYSTEM}
_UNDATED: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TRACE: Final = TraceId("t_bench")


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalResult:
    """What was run. Times in milliseconds: of a query with its vector given, and of embedding one query."""

    stores: int
    turns: int
    queries: int
    embedder: str
    query_p50_ms: float
    query_p95_ms: float
    embedding_p50_ms: float
    indexing_s: float


def no_progress(_what: str, _done: int, _of: int) -> None:
    """Report nothing."""


def run(
    data: Path,
    out: Path,
    *,
    embedder: Embedder | None,
    budget: int = 1024,
    keep: Path | None = None,
    floor: Floor | None = None,
    progress: Progress = no_progress,
) -> RetrievalResult:
    """Answer every query of `data` over episodes alone and write the run file `out`.

    Each `store` of the turns is a store of its own: below `keep` where it is given (a second run then finds turns and
    vectors there), else in a directory that is removed. Without an embedder, words alone decide. `floor` stands in for
    the packaged one in what is ranked.
    Raises InputError where a file is missing or a line is not of the format.
    """
    turns = rows_by_store(read_rows(data / "turns.jsonl"))
    queries = rows_by_store(read_rows(data / "queries.jsonl"))
    unknown = queries.keys() - turns.keys()
    if unknown:
        raise InputError(f"{data / 'queries.jsonl'} asks about {min(unknown)!r}, which turns.jsonl lacks.")
    answers: dict[str, dict[str, object]] = {}
    embedding_ms: list[float] = []
    reader = make_answer_reader(embedder)
    total, start, asking = sum(map(len, turns.values())), time.perf_counter(), 0.0
    done = 0
    with _directory(keep) as directory:
        for name, rows in turns.items():
            store = open_store(directory / f"{sha256(name.encode()).hexdigest()[:16]}.db")
            try:
                fill(store, name, rows)
                done += give_embeddings(store, embedder, done, total, progress)
                started = time.perf_counter()
                with store.read() as view:
                    for row in queries.get(name, ()):
                        qid = text_field(row, "qid")
                        answers[qid] = _answer(view, row, rows, embedder, budget, embedding_ms, reader, floor)
                        progress("queries", len(answers), sum(map(len, queries.values())))
                asking += time.perf_counter() - started
            finally:
                store.close()
    order = [text_field(row, "qid") for row in read_rows(data / "queries.jsonl")]
    out.write_text("".join(json.dumps(answers[qid], ensure_ascii=False) + "\n" for qid in order), "utf-8")
    return _result(answers, embedding_ms, turns, embedder, time.perf_counter() - start - asking)


def _result(
    answers: Mapping[str, Mapping[str, object]],
    embedding_ms: Sequence[float],
    turns: Mapping[str, Sequence[Row]],
    embedder: Embedder | None,
    indexing_s: float,
) -> RetrievalResult:
    times = [float(str(answer["ms"])) for answer in answers.values()]
    return RetrievalResult(
        stores=len(turns),
        turns=sum(map(len, turns.values())),
        queries=len(answers),
        embedder=str(embedder.identity) if embedder else "none",
        query_p50_ms=quantile(times, 0.5),
        query_p95_ms=quantile(times, 0.95),
        embedding_p50_ms=quantile(embedding_ms, 0.5),
        indexing_s=round(indexing_s, 1),
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies, rounded to 3 places; 0 where there are none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3) if ordered else 0.0


@contextmanager
def _directory(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="dopejar-bench-") as made:
        yield Path(made)


def fill(store: Store, name: str, rows: Sequence[Row]) -> None:
    """Append the turns as episodes, one conversation per session."""
    sessions: dict[str, list[Row]] = {}
    for row in rows:
        sessions.setdefault(text_field(row, "session"), []).append(row)
    with store.write() as tx:
        for session, turns in sessions.items():
            conversation = Conversation(
                id=conversation_id(name, session),
                source=name,
                name=session,
                started_at=time_field(turns[0], "session_time"),
            )
            append_turns(tx, conversation, [_episode(name, row) for row in turns])


def _episode(name: str, row: Row) -> Episode:
    role = str(row.get("role") or "other")
    return Episode(
        id=episode_id(name, text_field(row, "turn_id")),
        conversation=conversation_id(name, text_field(row, "session")),
        index=int(str(row.get("index", 0))),
        at=time_field(row, "session_time") or _UNDATED,
        speaker=str(row.get("speaker") or ""),
        origin=ORIGINS.get(role, Origin.OTHER),
        text=text_field(row, "text"),
        source_id=text_field(row, "turn_id"),
    )


def give_embeddings(store: Store, embedder: Embedder | None, before: int, total: int, progress: Progress) -> int:
    """Give a vector to every episode that has none; how many."""
    from dopejar.ports.store import Vector

    done = 0
    while embedder is not None:
        with store.read() as view:
            missing = view.missing_vectors(embedder.identity, CHUNK)
        if not missing:
            break
        matrix = embedder.embed([text for _, _, _, text in missing])
        vectors = [
            Vector(owner=owner, owner_id=owner_id, content_hash=mark, values=matrix[place])
            for place, (owner, owner_id, mark, _) in enumerate(missing)
        ]
        with store.write() as tx:
            tx.put_vectors(embedder.identity, vectors)
        done += len(missing)
        progress("vectors", before + done, total)
    return done


def _answer(
    view: ReadView,
    row: Row,
    turns: Sequence[Row],
    embedder: Embedder | None,
    budget: int,
    embedding_ms: list[float],
    reader: AnswerReader | None,
    floor: Floor | None,
) -> dict[str, object]:
    """One line of the run file. Asked after the last turn where the query has no time of its own."""
    now = max((time_field(turn, "session_time") or _UNDATED for turn in turns), default=_UNDATED)
    asked = time_field(row, "asked_at") or now
    query = Query(
        text=text_field(row, "text"),
        budget=budget,
        read_scope=ReadScope(all_projects=True),
        asked_at=asked,
        sources=(Source.EPISODE,),
    )
    embed, identity = None, None
    if embedder is not None:
        start = time.perf_counter()
        vector = embedder.embed([query.text])[0]
        embedding_ms.append((time.perf_counter() - start) * 1000)
        embed, identity = _always(vector), embedder.identity
    start = time.perf_counter()
    answers = reader.answers if reader else None
    pack = recall(query, view, embed=embed, embedder=identity, answers=answers, now=asked, trace_id=_TRACE)
    spent = (time.perf_counter() - start) * 1000
    ranked = rank_with_details(
        query, view, embed=embed, embedder=identity, answers=answers, now=asked, limit=_DEPTH, floor=floor
    ).items
    whole = {item.episode.id: item.episode for item in ranked if item.episode is not None}
    return {
        "qid": text_field(row, "qid"),
        "ranked": [item.episode.source_id for item in ranked if item.episode is not None],
        "context": [
            episode.source_id
            for item in pack.items
            for episode in (whole.get(item.citations[0].episode_id),)
            if episode is not None and episode.text == item.text
        ],
        "tokens": pack.tokens,
        "ms": round(spent, 3),
    }


def _always(vector: npt.NDArray[np.float32]) -> Embed:
    """An embedding function whose work is done, so that its time is not counted with the query's."""

    def embed(_text: str) -> npt.NDArray[np.float32]:
        return vector

    return embed


def read_rows(path: Path) -> list[Row]:
    """The lines of a file in the neutral format. Raises InputError where it is missing or has another format."""
    if not path.is_file():
        raise InputError(f"{path} is not there. Give the folder that holds it with --data.")
    rows: list[Row] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as fault:
            raise InputError(f"{path}, line {number} is no JSON ({fault.msg}). Write one object per line.") from fault
        if not isinstance(row, dict) or not isinstance(row.get("text"), str) or not row.get("store"):
            raise InputError(f"{path}, line {number} needs at least `store` and `text`. See the format's description.")
        rows.append(row)
    return rows


def rows_by_store(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each store, in their order."""
    stores: dict[str, list[Row]] = {}
    for row in rows:
        stores.setdefault(text_field(row, "store"), []).append(row)
    return stores


def text_field(row: Row, name: str) -> str:
    """A field as text. Raises InputError where the row lacks it."""
    value = row.get(name)
    if value is None:
        raise InputError(f"A line has no {name!r}: {str(dict(row))[:80]}. Add it.")
    return str(value)


def time_field(row: Row, name: str) -> datetime | None:
    """A field as a time, None where it is empty. Raises InputError where it is no ISO time."""
    value = row.get(name)
    if not value:
        return None
    try:
        return parse_utc(str(value))
    except ValueError as fault:
        raise InputError(f"{value!r} is no ISO time in {name!r}. Write it as 2024-03-01T12:00:00, or null.") from fault
