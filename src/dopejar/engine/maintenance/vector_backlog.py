"""The vector backlog: records and episodes that have no vector yet.

Takes: an embedder and a deadline. Gives: how many vectors were made. Never: embeds within a transaction.
"""

from __future__ import annotations

import time

from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.errors import EmbedderError
from dopejar.ports.embedder import Embedder
from dopejar.ports.store import Outbox, Vector
from dopejar.values.recall import Source

_CHUNK = 64  # texts that are embedded together


def embed_missing(
    deps: Dependencies,
    embedder: Embedder,
    *,
    deadline: float | None = None,
    records_only: bool = False,
    progress: Progress = no_progress,
) -> int:
    """Make the vectors that this embedder has not made yet, until done or the deadline (monotonic seconds); how many.

    Embedding happens outside any transaction; each chunk is then stored in one.
    """
    embedded = 0
    while deadline is None or time.monotonic() < deadline:
        with deps.store.read() as view:
            rows = view.missing_vectors(embedder.identity, _CHUNK)
            work = view.outbox(_CHUNK * 4)
        if records_only:  # they come first
            rows = tuple(row for row in rows if row[0] is Source.RECORD)
        if not rows:
            if not records_only:
                _clear_outbox(deps, work)
            break
        matrix = embedder.embed([text for _, _, _, text in rows])
        vectors = [
            Vector(owner=owner, owner_id=owner_id, content_hash=content_hash, values=matrix[index])
            for index, (owner, owner_id, content_hash, _) in enumerate(rows)
        ]
        with deps.store.write() as tx:
            tx.put_vectors(embedder.identity, vectors)
            stored = {(vector.owner, vector.owner_id) for vector in vectors}
            tx.done([item for item in work if (item.owner, item.owner_id) in stored])
        embedded += len(rows)
        progress("vectors", embedded, 0)
    return embedded


def _clear_outbox(deps: Dependencies, work: tuple[Outbox, ...]) -> None:
    if work:
        with deps.store.write() as tx:
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
