"""The readers of statements against what their port promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.fitted_reader import FittedReader
from dopejar.errors import ModelReplyError
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.model_reader import ModelReader
from dopejar.pipelines.ingest.reader_by_language import ReaderByLanguage
from dopejar.ports.language_model import Ask, Reply, Writing, Written
from dopejar.testing.fake_language_model import ScriptedLanguageModel, fails, says
from dopejar.testing.statement_reader_contract import StatementReaderContract


class TestGrammar(StatementReaderContract):
    """Rules over words."""

    def reader(self) -> GrammarReader:
        """One without weights."""
        return GrammarReader()


RELATED = {"pair": 0, "relation": "addition", "earlier_words": "ferry", "later_words": "ferry"}
READ = {"sentence": 0, "subject": "The ferry", "attribute": "departure", "value": "nine"}
INVENTED = {"sentence": 1, "subject": "The ferry", "attribute": "departure", "value": "noon"}


class OneAnswer:
    """A language model that answers the first question of each purpose, and fails from then on."""

    name = "scripted"

    def __init__(self) -> None:
        self._answers = {
            "ingest.reading": {"sentences": [READ, INVENTED]},
            "ingest.second_opinion": {"pairs": [RELATED]},
        }

    def ask(self, ask: Ask) -> Reply:
        """The answer, once."""
        reply = self._answers.pop(ask.purpose, None)
        return ScriptedLanguageModel(script=[fails() if reply is None else says(reply)]).ask(ask)

    def write(self, writing: Writing, hear: Callable[[str], None]) -> Written:
        """Nothing is written."""
        raise ModelReplyError("This model writes nothing. Give it a question.")


class TestModel(StatementReaderContract):
    """A language model behind the grammar, which answers once and fails from then on."""

    def reader(self) -> ModelReader:
        """One whose first answers the words bear out of the ferry, and not of the second sentence."""
        return ModelReader(GrammarReader(), OneAnswer())


@pytest.mark.weights
class TestFitted(StatementReaderContract):
    """The packaged weights, where the model is installed."""

    @pytest.fixture(autouse=True)
    def _weights(self, installed_weights) -> None:
        self.embedder = SentenceEmbedder(installed_weights())

    def reader(self) -> FittedReader:
        """One over the installed model."""
        return FittedReader(self.embedder, "minilm-l6-v2")


class TestByLanguage(TestFitted):
    """The two of them, as the program reads."""

    def reader(self) -> ReaderByLanguage:
        """One that asks either."""
        return ReaderByLanguage(super().reader())


class TestModelBehindWeights(TestByLanguage):
    """A language model behind the reader of the program."""

    def reader(self) -> ModelReader:
        """One that answers of the first pair that is unsure."""
        return ModelReader(super().reader(), OneAnswer())
