"""The embedders under their contract."""

from __future__ import annotations

import pytest

from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder
from dopejar.adapters.embedders.model_installation import LocalSource, install
from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.testing.embedder_contract import EmbedderContract


class TestHashed(EmbedderContract):
    """Hashed n-grams."""

    def embedder(self):
        """As it is."""
        return HashedEmbedder()


class TestMiniLmOnTinyWeights(EmbedderContract):
    """The MiniLM embedder over small random weights."""

    @pytest.fixture(autouse=True)
    def installed(self, tiny_model, tmp_path):
        """Weights in a fresh models directory."""
        self.weights = tiny_model.weights
        self.folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)

    def embedder(self):
        """A new instance over the same files."""
        return SentenceEmbedder(self.folder, self.weights)


@pytest.mark.weights
class TestMiniLm(EmbedderContract):
    """The MiniLM embedder over the real weights."""

    @pytest.fixture(autouse=True)
    def installed(self, installed_weights):
        """The installed weights, where they are."""
        self.folder = installed_weights()

    def embedder(self):
        """A new instance over the same files."""
        return SentenceEmbedder(self.folder)
