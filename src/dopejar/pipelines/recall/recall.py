"""`recall`: the face of the room.

Takes: a query, a snapshot, what embeds the question. Gives: a `ContextPack`. Never: writes; use is noted by the engine.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError
from dopejar.pipelines.recall.explain import explain
from dopejar.pipelines.recall.pack import Sources, pack
from dopejar.pipelines.recall.rank import rank_explained
from dopejar.values.recall import ContextPack, Query, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.pipelines.recall.rank import Ranked
    from dopejar.pipelines.recall.search import Embed
    from dopejar.ports.store import ReadView
    from dopejar.values.embedding import EmbedderIdentity
    from dopejar.values.ids import RecordId, TraceId
    from dopejar.values.record import Evidence, Record

CITED: Final = 3
"""At most so many sources of one record are cited, the newest last."""


def recall(
    query: Query,
    view: ReadView,
    *,
    embed: Embed | None = None,
    embedder: EmbedderIdentity | None = None,
    now: datetime,
    trace_id: TraceId,
) -> ContextPack:
    """What memory holds for the query, packed under `query.budget` tokens, each item with its sources and reasons.

    Without `embed`, or where the store holds no vectors of `embedder`, words alone decide. An empty question finds
    nothing. Raises InputError for a negative budget or limit.
    """
    if query.budget < 0 or query.limit < 0:
        raise InputError("A budget and a limit are 0 or more. Give the number of tokens or items you have room for.")
    ranking = rank_explained(query, view, embed=embed, embedder=embedder, now=now, limit=query.limit)
    packed = pack(ranking.items, _sources(ranking.items, view), ranking.question.terms, query.budget)
    return ContextPack(
        text=packed.text,
        items=packed.items,
        tokens=packed.tokens,
        budget=query.budget,
        left_out=packed.left_out,
        trace_id=trace_id,
        explanation=explain(query, ranking) if query.explain else (),
    )


def _sources(items: Sequence[Ranked], view: ReadView) -> Sources:
    """Evidence of the ranked records, and the turns it lies in."""
    records = [item.record for item in items if item.source is Source.RECORD and item.record is not None]
    if not records:
        return Sources(evidence={}, episodes={})
    every = view.evidence_of([record.id for record in records])
    evidence = {record.id: _cited(record, every) for record in records}
    known = {item.episode.id: item.episode for item in items if item.episode is not None}
    ids = {span.episode_id for spans in evidence.values() for span in spans} - known.keys()
    return Sources(evidence=evidence, episodes=known | view.episodes(sorted(ids)) if ids else known)


def _cited(record: Record, every: dict[RecordId, tuple[Evidence, ...]]) -> tuple[Evidence, ...]:
    """The newest spans of a record, one per turn."""
    by_turn = {span.episode_id: span for span in every.get(record.id, ())}
    return tuple(by_turn.values())[-CITED:]
