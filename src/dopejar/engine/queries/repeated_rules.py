"""The rule in force that a waiting proposal may say again, in other words.

Takes: the engine's dependencies and a review item. Gives: the nearest rule by meaning. Never: decides; a reviewer does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.engine.ingest.related_record_search import semantic_embedder
from dopejar.values.proposal import Add
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import DIRECTING, Status
from dopejar.values.scope import ReadScope

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies
    from dopejar.engine.results import ReviewItem
    from dopejar.ports.store import ReadView
    from dopejar.values.record import Record

_NEAR: Final = 0.4  # cosine; a person looks at it
_ASKED: Final = 8
_LONGEST: Final = 300  # characters of a turn that is compared as a whole


def repeated_rule(deps: Dependencies, view: ReadView, item: ReviewItem) -> Record | None:
    """The nearest rule in force to a proposed rule or its turn; None where none is near, and without a model."""
    payload, embedder = item.proposal.payload, semantic_embedder(deps)
    if not isinstance(payload, Add) or payload.draft.kind not in DIRECTING or embedder is None:
        return None
    turns = [turn.text for _, turn in item.evidence if turn is not None and len(turn.text) <= _LONGEST]
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)
    cosines: dict[str, float] = {}
    for vector in embedder.embed([item.text, *turns]):
        for hit in view.nearest(vector, embedder.identity, where, _ASKED):
            cosines[hit.id] = max(hit.score, cosines.get(hit.id, 0.0))
    apart = {item.proposal.record_id, *(one.id for one in (*item.contradicts, *item.near))}
    found = [
        record
        for record in view.load_records(list(cosines), where).values()
        if record.status is Status.ACTIVE and record.kind in DIRECTING and record.id not in apart
    ]
    best = max(found, key=lambda record: cosines[record.id], default=None)
    return best if best is not None and cosines[best.id] >= _NEAR else None
