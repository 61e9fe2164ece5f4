"""The rule in force that a waiting proposal may say again, in other words.

Takes: the engine's dependencies and a review item. Gives: the rule that says the same, by meaning and by the reader.
Never: decides; a reviewer does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.engine.ingest.related_record_search import semantic_embedder
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Add
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import DIRECTING, Status
from dopejar.values.scope import ReadScope
from dopejar.values.statement import Relation

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies
    from dopejar.engine.results import ReviewItem
    from dopejar.ports.store import ReadView
    from dopejar.values.record import Record

# chosen on 62 written pairs; of 52 others they keep 20 of 26 that say the same, and 2 of 26 that share a frame
_NEAR: Final = 0.5  # cosine
_SAME: Final = 0.2  # the reader's probability; a person looks at it
_ASKED: Final = 8
_LONGEST: Final = 300  # characters of a turn that is compared as a whole


def repeated_rule(deps: Dependencies, view: ReadView, item: ReviewItem) -> Record | None:
    """The rule in force that a proposed rule or its turn says again, most likely; None without one or a model."""
    payload, embedder = item.proposal.payload, semantic_embedder(deps)
    if not isinstance(payload, Add) or payload.draft.kind not in DIRECTING or embedder is None:
        return None
    turns = [turn.text for _, turn in item.evidence if turn is not None and len(turn.text) <= _LONGEST]
    texts = tuple(dict.fromkeys((item.text, *turns)))
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)
    near = [
        (RecordId(hit.id), text)
        for text, vector in zip(texts, embedder.embed(texts), strict=True)
        for hit in view.nearest(vector, embedder.identity, where, _ASKED)
        if hit.score >= _NEAR
    ]
    apart = {item.proposal.record_id, *(one.id for one in (*item.contradicts, *item.near))}
    rules = {
        record.id: record
        for record in view.load_records([name for name, _ in near], where).values()
        if record.status is Status.ACTIVE and record.kind in DIRECTING and record.id not in apart
    }
    pairs = [(rules[name], text) for name, text in near if name in rules]
    related = deps.reader().relate([(record.text, text) for record, text in pairs]) if pairs else ()
    found = [(one.share(Relation.SAME), record) for one, (record, _) in zip(related, pairs, strict=True)]
    share, best = max(found, key=lambda one: one[0], default=(0.0, None))
    return best if share >= _SAME else None
