"""The readers of statements against what their port promises."""

from __future__ import annotations

import pytest

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.fitted_reader import FittedReader
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.model_reader import ModelReader
from dopejar.pipelines.ingest.reader_by_language import ReaderByLanguage
from dopejar.testing.fake_language_model import ScriptedLanguageModel, says
from dopejar.testing.statement_reader_contract import StatementReaderContract


class TestGrammar(StatementReaderContract):
    """Rules over words."""

    def reader(self) -> GrammarReader:
        """One without weights."""
        return GrammarReader()


ANSWER = {"pair": 0, "relation": "addition", "earlier_words": "ferry", "later_words": "ferry"}


class TestModel(StatementReaderContract):
    """A language model behind the grammar, which answers once and fails from then on."""

    def reader(self) -> ModelReader:
        """One whose first answer the words bear out where it is asked of two ferries."""
        return ModelReader(GrammarReader(), ScriptedLanguageModel(script=[says({"pairs": [ANSWER]})]))


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
        return ModelReader(super().reader(), ScriptedLanguageModel(script=[says({"pairs": [ANSWER]})]))
