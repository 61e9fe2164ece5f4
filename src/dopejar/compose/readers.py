"""The readers over the installed model: of statements, of what lasts in a conversation, of the side of a bullet.

Takes: the embedder in use. Gives: adapters behind the ports of reading. Never: loads weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.statement_reader import SideReader, StatementMarker, StatementReader
    from dopejar.ports.turn_reader import TurnReader


def make_reader(embedder: Embedder | None) -> StatementReader:
    """The fitted reader over the embedder's model; the grammar where no model is installed."""
    model = _installed(embedder)
    if model is not None:
        from dopejar.adapters.readers.fitted_reader import FittedReader

        return FittedReader(model, model.identity.name)
    from dopejar.pipelines.ingest.integrity.grammar_reader import GrammarReader

    return GrammarReader()


def make_marker(embedder: Embedder | None) -> StatementMarker | None:
    """The marker of lasting statements over the embedder's model; None where no model is installed."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.statement_marker import FittedMarker

    return FittedMarker(model, model.identity.name)


def make_side_reader(embedder: Embedder | None) -> SideReader | None:
    """The reader of sides over the embedder's model; None where no model is installed."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.side_reader import FittedSideReader

    return FittedSideReader(model, model.identity.name)


def make_turn_reader(embedder: Embedder | None) -> TurnReader | None:
    """The reader of turns over the embedder's model; None where no model, or one without such heads, is installed."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.turn_heads import TurnHeads
    from dopejar.adapters.readers.weights_file import weights_file

    name = model.identity.name
    return TurnHeads(model, name) if weights_file("turns", name).is_file() else None


def _installed(embedder: Embedder | None) -> SentenceEmbedder | None:
    if embedder is None or embedder.identity.lexical:
        return None
    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    return embedder if isinstance(embedder, SentenceEmbedder) else None
