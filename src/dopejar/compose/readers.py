"""The embedder, and the readers over MiniLM: of statements, of what lasts in a conversation, of a bullet's side.

Takes: settings, and the embedder in use. Gives: adapters behind the ports of both. Never: loads weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.errors import EmbedderError, WeightsMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.statement_reader import AnswerReader, ChangeReader, SideReader, StatementMarker, StatementReader
    from dopejar.ports.turn_reader import TurnReader
    from dopejar.settings import Settings


MODELS: Final = "models"  # a folder of the data directory


def make_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; None where no embedder is wanted or no weights are installed.

    Raises WeightsMissingError for weights that were asked for, and EmbedderError where numpy is not installed.
    """
    kind = settings.text("embedder.kind")
    if kind == "none":
        return None
    if kind == "hashed":
        require_numpy()
        from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder

        return HashedEmbedder()
    from dopejar.adapters.embedders.weights import MINILM, MPNET, find_weights

    weights, models = MPNET if kind == "mpnet" else MINILM, settings.home / MODELS
    for needed in dict.fromkeys((MINILM, weights)):
        if find_weights(models, needed) is None:
            if kind == "auto":
                return None
            beside = ", which reads what mpnet searches," if needed is not weights else ""
            raise WeightsMissingError(
                f"embedder.kind is {kind}, and {needed.name}{beside} is not installed. "
                f"Run `dopejar models install {needed.name}`."
            )
    require_numpy()
    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    return SentenceEmbedder(models / weights.name, weights)


def vectors_at_hand(embedder: Embedder | None, texts: Sequence[str]) -> "Mapping[str, npt.NDArray[np.float32]]":
    """The vectors of those of the texts that a pass of the model made lately."""
    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder

    return embedder.at_hand(texts) if isinstance(embedder, SentenceEmbedder) else {}


def require_numpy() -> None:
    """Raise EmbedderError where numpy is not installed: a base install has no vectors."""
    from importlib.util import find_spec

    if find_spec("numpy") is None:
        raise EmbedderError(
            "Models need numpy, which is not installed. Install the `models` extra: "
            "`pip install 'dopejar[models]'`. To go without vectors, set embedder.kind to none."
        )


def make_reader(embedder: Embedder | None) -> StatementReader:
    """The fitted reader over the embedder's model, for English; the grammar for the rest, and where there is none."""
    model = _installed(embedder)
    if model is not None:
        from dopejar.adapters.readers.fitted_reader import FittedReader
        from dopejar.pipelines.ingest.reader_by_language import ReaderByLanguage

        return ReaderByLanguage(FittedReader(model, model.identity.name))
    from dopejar.pipelines.ingest.grammar_reader import GrammarReader

    return GrammarReader()


def make_marker(embedder: Embedder | None) -> StatementMarker | None:
    """The marker of lasting statements over the embedder's model; None where no model is installed."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.statement_marker import FittedMarker

    return FittedMarker(model, model.identity.name)


def make_change_reader(embedder: Embedder | None) -> ChangeReader | None:
    """The reader of changes over the embedder's model; None where there is none for an installed one."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.change_reader import FittedChangeReader
    from dopejar.adapters.readers.weights_file import weights_file

    name = model.identity.name
    return FittedChangeReader(model, name) if weights_file("changes", name).exists() else None


def make_side_reader(embedder: Embedder | None) -> SideReader | None:
    """The reader of sides over the embedder's model; None where no model is installed."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.side_reader import FittedSideReader

    return FittedSideReader(model, model.identity.name)


def make_answer_reader(embedder: Embedder | None) -> AnswerReader | None:
    """The reader of answers over the embedder's model; None where no model, or one without it, is installed."""
    model = _installed(embedder)
    if model is None:
        return None
    from dopejar.adapters.readers.answer_reader import FittedAnswerReader
    from dopejar.adapters.readers.weights_file import weights_file

    name = model.identity.name
    return FittedAnswerReader(model, name) if weights_file("answers", name).is_file() else None


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

    return embedder.for_reading if isinstance(embedder, SentenceEmbedder) else None
