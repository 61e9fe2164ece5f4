"""The embedders under their contract."""

from __future__ import annotations

import pytest
from tiny_bert import write_turns

from dopejar.adapters.embedders.hashed import HashedEmbedder
from dopejar.adapters.embedders.model_installation import LocalSource, install
from dopejar.adapters.embedders.sayings import Sayings
from dopejar.adapters.embedders.sentences import SentenceEmbedder
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


class TestSayingsOnTinyWeights(EmbedderContract):
    """The turned MiniLM over small random weights and changes."""

    @pytest.fixture(autouse=True)
    def installed(self, tiny_model, tmp_path):
        """Weights and changes in fresh directories."""
        self.weights = tiny_model.weights
        self.folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
        self.turns = write_turns(tmp_path / "turns.npz", tiny_model.tensors)

    def embedder(self):
        """A new instance over the same files."""
        return Sayings(self.folder, self.weights, self.turns)


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
