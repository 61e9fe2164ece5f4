"""Recall: what memory has to say about a question.

Takes: a question. Gives: a context pack with citations. Never: changes what is believed, or strengthens what
it merely showed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.garden.block_contexts import BlockContexts
from dopejar.engine.garden.dossier_sections import DossierSections
from dopejar.engine.maintenance.vector_backlog import embed_pending
from dopejar.governance.policy.loop_guard import digests
from dopejar.memory.note_use import note_use
from dopejar.values.ids import TraceId
from dopejar.values.recall import ContextPack, Query


def recall(deps: Dependencies, query: Query, trace_id: TraceId, *, note: bool = True) -> ContextPack:
    """What memory has to say about the question, packed under its token budget, with citations."""
    from dopejar.pipelines.recall.recall import recall as recall_from  # digests need none of it

    now = deps.clock.now()
    dated_query = query if query.asked_at else replace(query, asked_at=now)
    embed_pending(deps)
    with deps.store.read() as view:
        embedder = deps.search_embedder(view)
        answers = deps.answers() if embedder and not query.unasked else None  # before a prompt there is no time
        pack = recall_from(
            dated_query,
            view,
            embed=(lambda text: embedder.embed([text])[0]) if embedder else None,
            embedder=embedder.identity if embedder else None,
            answers=answers.answers if answers else None,
            now=now,
            trace_id=trace_id,
            context_of=BlockContexts(view),
            dossier_of=DossierSections(view, query.read_scope, query.as_of or now),
            pasted=deps.pasted,
        )
    if note and deps.note_use:
        note_use(deps.store, (), digests_of([item.text for item in pack.items]), now)
    return pack


def digests_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The digests by which texts handed to an assistant are recognised when they come back."""
    return tuple(digest for text in texts for digest in digests(text))
