"""The search for records that a statement may be about, where a model is installed.

Takes: the embedder and the reader of a memory. Gives: a search over a snapshot, and vectors for what has none. Never:
embeds within a transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.ports.store import ReadView

if TYPE_CHECKING:
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.statement_reader import StatementReader


def semantic_embedder(deps: Dependencies) -> Embedder | None:
    """The embedder, if there is one that compares meanings."""
    embedder = deps.embedder()
    return None if embedder is None or embedder.identity.lexical else embedder


def configured_second_reader(deps: Dependencies) -> StatementReader | None:
    """The reader that asks the configured language model, where a person switched that on; None by default."""
    model = deps.language_model() if deps.ingest.second_opinion else None
    if model is None:
        return None
    from dopejar.pipelines.ingest.model_reader import ModelReader

    return ModelReader(deps.reader(), model)


def configured_namer(deps: Dependencies) -> StatementReader | None:
    """The reader that asks the configured language model what a statement is about; None by default."""
    model = deps.language_model() if deps.ingest.model_names else None
    if model is None:
        return None
    from dopejar.pipelines.ingest.grammar_reader import GrammarReader
    from dopejar.pipelines.ingest.model_reader import ModelReader

    return ModelReader(GrammarReader(), model)


def search_of_conversations(
    deps: Dependencies, view: ReadView, second: StatementReader | None = None
) -> RelatedSearch | None:
    """What compares the statements of conversations with the records near them; None without a model.

    Without one, slots decide alone: rules find too much that only looks alike in what people say to each other.
    """
    embedder = semantic_embedder(deps)
    if embedder is None:
        return None
    return RelatedSearch(index=view, reader=deps.reader(), embedder=embedder, second=second)


def embed_known(deps: Dependencies, deadline: float | None = None, *, records_only: bool = False) -> None:
    """Give vectors to what has none, records first, until the deadline (monotonic seconds), so that it is found."""
    embedder = semantic_embedder(deps)
    if embedder is not None and not deps.store.is_read_only:
        from dopejar.engine.maintenance.vector_backlog import embed_missing  # few have a model at hand

        embed_missing(deps, embedder, deadline=deadline, records_only=records_only)
