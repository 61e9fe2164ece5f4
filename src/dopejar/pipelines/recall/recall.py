"""`recall`: the face of the room.

Takes: a query, a snapshot, what embeds the question. Gives: a `ContextPack`. Never: writes; use is noted by the engine.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError
from dopejar.pipelines.recall.explain import explain
from dopejar.pipelines.recall.pack import pack
from dopejar.pipelines.recall.rank import rank_explained
from dopejar.values.recall import ContextPack, Query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dopejar.pipelines.recall.rank import Ranked
    from dopejar.pipelines.recall.search import Embed
    from dopejar.ports.store import ReadView
    from dopejar.values.embedding import EmbedderIdentity
    from dopejar.values.ids import RecordId, TraceId
    from dopejar.values.recall import Citation

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
    packed = pack(ranking.items, _cited(ranking.items, view), ranking.question.terms, query.budget)
    return ContextPack(
        text=packed.text,
        items=packed.items,
        tokens=packed.tokens,
        budget=query.budget,
        left_out=packed.left_out,
        trace_id=trace_id,
        explanation=explain(query, ranking) if query.explain else (),
    )


def _cited(items: Sequence[Ranked], view: ReadView) -> Mapping[RecordId, tuple[Citation, ...]]:
    """The turns that the ranked records rest on."""
    ids = [item.record.id for item in items if item.record is not None]
    return view.citations_of(ids, CITED) if ids else {}
