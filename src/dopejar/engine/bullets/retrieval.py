"""Retrieval of bullets for a task: the best of one hemisphere, and of the shared side.

Takes: a task in words and a side. Gives: records, best first. Never: a staged bullet, or one of the other hemisphere.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.maintenance.vector_backlog import embed_pending
from dopejar.engine.queries.recall import digests_of
from dopejar.memory.derivation import SHARED_CONFIDENCE
from dopejar.memory.note_use import note_use
from dopejar.pipelines.procedural.bullets import HEMISPHERES, is_alive, score
from dopejar.pipelines.recall.candidates import fuse_scores, vector_weight
from dopejar.ports.store import ReadView
from dopejar.text.words import query_terms
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import ReadScope, Side

_DEFAULT_COUNT = {Side.LEFT: 8, Side.RIGHT: 12, Side.SHARED: 5}
_HITS = 400
_MOST_WITHOUT_QUERY = 2000
_RELEVANCE = 0.7  # of the order; the rest is the bullet's own score
_BEST_SCORE = 1.25  # confidence 1 and five times helpful


def retrieve(deps: Dependencies, query: str, side: Side, k: int | None, read_scope: ReadScope) -> tuple[Record, ...]:
    """The best `k` of the hemisphere, and at most five shared ones; each once, best first, uses counted.

    Shared bullets need a confidence of .8 or more. Those on trial are included, or
    they could never prove themselves. Without
    a query the score alone decides.
    """
    if query:
        embed_pending(deps)
    with deps.store.read() as view:
        relevant = _relevant(deps, view, query, read_scope)
    ranked = sorted(relevant, key=lambda pair: (-_rank_score(*pair), pair[0].id))
    chosen: list[Record] = []
    for shelf in (side, Side.SHARED) if side in HEMISPHERES else (side,):
        count = _DEFAULT_COUNT.get(shelf, 8) if k is None or (shelf is Side.SHARED and side is not shelf) else k
        chosen += [record for record, _ in ranked if _is_retrievable(record, shelf)][:count]
    order = {record.id: position for position, (record, _) in enumerate(ranked)}
    chosen.sort(key=lambda record: order[record.id])
    if deps.note_use:
        note_use(
            deps.store,
            [record.id for record in chosen],
            digests_of([record.text for record in chosen]),
            deps.clock.now(),
        )
    return tuple(chosen)


def _is_retrievable(record: Record, side: Side) -> bool:
    in_use = record.status in (Status.ACTIVE, Status.QUARANTINED) and is_alive(record)
    return in_use and record.side is side and (side is not Side.SHARED or record.confidence >= SHARED_CONFIDENCE)


def _rank_score(record: Record, relevance: float) -> float:
    return _RELEVANCE * relevance + (1 - _RELEVANCE) * min(max(score(record) / _BEST_SCORE, 0.0), 1.0)


def _relevant(deps: Dependencies, view: ReadView, query: str, read_scope: ReadScope) -> Sequence[tuple[Record, float]]:
    terms = query_terms(query)
    where = SearchFilter(read_scope=read_scope, source=Source.RECORD, kinds=(Kind.BULLET,))
    if not terms:
        listing = RecordFilter(
            statuses=(Status.ACTIVE, Status.QUARANTINED),
            kinds=(Kind.BULLET,),
            namespace=read_scope.namespace,
            holds_at=deps.clock.now(),
        )
        listed = view.list_records(listing, _MOST_WITHOUT_QUERY)
        return [(record, 0.0) for record in listed if read_scope.sees(record.namespace, record.scope)]
    words = {hit.id: hit.score for hit in view.lexical(terms, where, _HITS)}
    cosines: dict[str, float] = {}
    embedder = deps.search_embedder(view)
    if embedder is not None:
        vector = embedder.embed([query])[0]
        cosines = {hit.id: hit.score for hit in view.nearest(vector, embedder.identity, where, _HITS)}
        rest = [record_id for record_id in words if record_id not in cosines]
        cosines.update(view.similarities(vector, embedder.identity, Source.RECORD, rest) if rest else {})
    fused = fuse_scores(words, cosines, vector_weight(len(terms)))
    records = view.load_records(list(fused), where)
    return [(record, fused[record.id]) for record in records.values()]
