"""The vector backlog: records and episodes that have no vector yet.

Takes: an embedder and a deadline. Gives: how many vectors were made. Never: embeds within a transaction, or lets a
search wait for another writer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.errors import EmbedderError, StoreError
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.store import Outbox, Vector

CATCH_UP_S = 0.5  # seconds that missing vectors may take before a statement or a search; housekeeping does the rest
_CHUNK = 64  # texts that are embedded together
_WHOLE_OUTBOX = 1_000_000  # lines
_MOST_PENDING = 1_000  # lines that a search looks after


def embed_missing(
    deps: Dependencies,
    embedder: Embedder,
    *,
    deadline: float | None = None,
    records_only: bool = False,
    wait: bool = True,
    progress: Progress = no_progress,
) -> int:
    """Make the vectors that this embedder has not made yet, until done or the deadline (monotonic seconds); how many.

    Embedding happens outside any transaction; each chunk is then stored in one. Without `wait`, StoreBusyError is
    raised where another process writes.
    """
    embedded = 0
    total = 0 if progress is no_progress else count_missing(deps, embedder)
    while deadline is None or time.monotonic() < deadline:
        with deps.store.read() as view:
            missing = view.missing_vectors(embedder.identity, _CHUNK)
            is_last = len(missing) < _CHUNK
            work = view.outbox(_WHOLE_OUTBOX if is_last else _CHUNK * 4)
        rows = [row for row in missing if row[0] is Source.RECORD or not records_only]  # records come first
        if rows or (work and not records_only):
            vectors = _vectors(embedder, rows)
            if not is_last or records_only:
                made = {(vector.owner, vector.owner_id) for vector in vectors}
                work = tuple(line for line in work if (line.owner, line.owner_id) in made)
            with deps.store.write(wait=wait) as tx:
                tx.put_vectors(embedder.identity, vectors)
                tx.done(work)
            embedded += len(rows)
            progress("vectors", embedded, total)
        if is_last or not rows:
            break
    return embedded


def count_missing(deps: Dependencies, embedder: Embedder) -> int:
    """How many texts have no vector by this embedder yet."""
    with deps.store.read() as view:
        return view.count_missing_vectors(embedder.identity)


def _vectors(embedder: Embedder, rows: Sequence[tuple[Source, str, str, str]]) -> list[Vector]:
    from dopejar.ports.store import Vector  # a search by words needs none

    matrix = embedder.embed([text for _, _, _, text in rows]) if rows else ()
    return [
        Vector(owner=owner, owner_id=owner_id, content_hash=content_hash, values=values)
        for (owner, owner_id, content_hash, _), values in zip(rows, matrix, strict=True)
    ]


def embed_pending(deps: Dependencies) -> None:
    """Make the vectors of what was written since, so that the search that follows finds it by meaning.

    Best effort, within `CATCH_UP_S`: nothing is done where no commit left work, where search goes by words alone, or
    while another process writes. Of a long backlog only the records are taken: the turns are left to housekeeping. A
    model that fails does not fail a search that words can answer.
    """
    if deps.recall_mode == "lexical" or deps.store.is_read_only:
        return
    with deps.store.read() as view:
        has_work = bool(view.outbox(1))
    try:
        embedder = deps.embedder() if has_work else None
        if embedder is None:  # then the backlog grows with the memory, and no search reads it
            return
        with deps.store.read() as view:
            work = view.outbox(_MOST_PENDING + 1)
        deadline = time.monotonic() + CATCH_UP_S
        if len(work) > _MOST_PENDING:
            embed_missing(deps, embedder, deadline=deadline, records_only=True, wait=False)
            return
        for start in range(0, len(work), _CHUNK):
            _embed_work(deps, embedder, work[start : start + _CHUNK])
            if time.monotonic() > deadline:
                return
    except (EmbedderError, StoreError):
        return


def _embed_work(deps: Dependencies, embedder: Embedder, work: Sequence[Outbox]) -> None:
    """Make the vectors of these lines of the outbox, at once or not at all. Raises StoreBusyError."""
    with deps.store.read() as view:
        records = view.records([RecordId(line.owner_id) for line in work if line.owner is Source.RECORD])
        turns = view.episodes([EpisodeId(line.owner_id) for line in work if line.owner is Source.EPISODE])
        there = view.vectors_of(embedder.identity, Source.EPISODE, list(turns))  # read turns have theirs
    rows = [
        *((Source.RECORD, one.id, one.content_hash, one.text) for one in records.values() if one.text),
        *(
            (Source.EPISODE, one.id, one.content_hash, one.text)
            for one in turns.values()
            if one.text and one.id not in there
        ),
    ]
    vectors = _vectors(embedder, rows)
    with deps.store.write(wait=False) as tx:
        tx.put_vectors(embedder.identity, vectors)
        tx.done(work)


def reembed(deps: Dependencies, progress: Progress = no_progress) -> int:
    """Drop the vectors of every other embedder and make this one's from the stored texts; how many.

    Raises:
        EmbedderError: there is no embedder.
    """
    embedder = deps.embedder()
    if embedder is None:
        raise EmbedderError("There is no embedder. Run `dopejar models install`, or set embedder.kind to hashed.")
    with deps.store.write() as tx:
        for other in tx.embedders():
            if other != embedder.identity:
                tx.drop_vectors(other)
    return embed_missing(deps, embedder, progress=progress)
