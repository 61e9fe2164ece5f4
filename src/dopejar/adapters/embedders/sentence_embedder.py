"""Sentence embeddings in plain numpy: MiniLM-L6-v2, or the larger mpnet-base-v2.

Takes: a folder with installed weights, and texts. Gives: unit vectors. Never: downloads; without weights, the error
names the command that installs them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.bert import BertEncoder, Branch

    Array = npt.NDArray[np.float32]
    Factors = Callable[[], Mapping[str, Array]]

from dopejar.adapters.embedders.blas_threads import single_blas_thread
from dopejar.adapters.embedders.vector_cache import VectorCache
from dopejar.adapters.embedders.weights import MINILM, MPNET, ModelWeights, is_complete
from dopejar.adapters.embedders.wordpiece import MAX_TOKENS, Unit, WordPiece
from dopejar.errors import WeightsDamagedError, WeightsMissingError
from dopejar.ports.embedder import EmbedderIdentity

_TOKENIZER_BATCH = 256  # texts tokenized at a time


class TextStates(NamedTuple):
    """A text's token ids, its units with the tokens of each, and the hidden state of each token."""

    ids: list[int]
    units: list[Unit]
    states: "Array"


class UnitStates(NamedTuple):
    """The units of a text by their offsets, the mean state of each one's tokens, and the mean state of the text."""

    units: list[tuple[int, int]]
    states: "Array"
    mean: "Array"


class SentenceEmbedder:
    """Sentence vectors from installed weights, memory-mapped at the first text. Safe to use from several threads.

    Recent vectors are cached: a statement is searched for and then stored, and the same few wordings are compared
    again.
    """

    longest = MAX_TOKENS

    def __init__(self, folder: Path, weights: ModelWeights = MINILM, factors: Factors | None = None) -> None:
        self._folder = folder
        self._weights = weights
        self._factors = factors
        self._searching: SentenceEmbedder | None = self  # for whose vectors the passes of this one can serve
        self._lock = threading.Lock()
        self._loaded: tuple[WordPiece, BertEncoder] | None = None
        self._recent = VectorCache()

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """The model's name with the SHA-256 of its weights; known without loading them."""
        return EmbedderIdentity(
            name=self._weights.name, dimensions=self._weights.dimensions, digest=self._weights.weights_sha256
        )

    @cached_property
    def for_reading(self) -> SentenceEmbedder:
        """The model that the readers are fitted over: this one, or for mpnet, which only searches, MiniLM beside it."""
        if self._weights is not MPNET:
            return self
        found = SentenceEmbedder(self._folder.parent / MINILM.name)
        found._searching = None
        return found

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One unit row per text, from its first `longest` tokens. Raises WeightsMissingError, WeightsDamagedError."""
        return self._recent.rows(texts, self._embedded)

    def at_hand(self, texts: Sequence[str]) -> "dict[str, npt.NDArray[np.float32]]":
        """The vectors of those of the texts that were embedded lately, or read as texts that are searched for."""
        return self._recent.known(texts)

    def _embedded(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        import numpy as np

        rows = np.empty((len(texts), self._weights.dimensions), dtype=np.float32)
        if len(texts):
            tokenizer, encoder = self._load()
            limit = min(self.longest, encoder.shape.positions)
            for start in range(0, len(texts), _TOKENIZER_BATCH):
                batch = [tokenizer.encode(text, limit) for text in texts[start : start + _TOKENIZER_BATCH]]
                with single_blas_thread():
                    rows[start : start + len(batch)] = encoder.encode(batch)
        return rows

    def token_states(
        self, texts: Sequence[str], layers: Sequence[int], longest: int, searched: Container[str] = ()
    ) -> list[TextStates]:
        """Per text its tokens, from its first `longest` ones, with their hidden states after these layers.

        The vectors of those that are `searched` for are made in the same pass, and cached until they are asked for.
        Raises WeightsMissingError, WeightsDamagedError.
        """
        tokenizer, encoder = self._load()
        encoded = [tokenizer.encode_units(text, longest) for text in texts]
        ids = [one for one, _ in encoded]
        asked = {place: text for place, text in enumerate(texts) if text in searched}
        branch = self._searching.branch(asked, ids, self._shared) if asked and self._searching is not None else None
        with single_blas_thread():
            states = encoder.states(ids, layers, branch)
        if branch is not None and self._searching is not None:
            self._searching.keep(branch.rows)
        return [TextStates(*one, rows) for one, rows in zip(encoded, states, strict=True)]

    def branch(self, asked: Mapping[int, str], ids: Sequence[Sequence[int]], layer: int) -> "Branch | None":
        """What makes vectors of those texts, by their places among `ids`, that are read whole; from this layer on."""
        from dopejar.adapters.embedders.bert import Branch

        tokenizer, encoder = self._load()
        limit = min(self.longest, encoder.shape.positions)
        texts = {place: text for place, text in asked.items() if tokenizer.encode(text, limit) == ids[place]}
        return Branch(encoder=encoder, layer=layer, texts=texts, rows={}) if texts and layer else None

    def keep(self, vectors: "dict[str, Array]") -> None:
        """Cache vectors of texts that a branch made."""
        self._recent.keep(vectors)

    @cached_property
    def _shared(self) -> int:
        """How many layers do the same as those of the model without factors."""
        from dopejar.adapters.embedders.bert import first_adapted

        return self._load()[1].shape.layers if self._factors is None else first_adapted(self._factors())

    def pair_states(
        self, pairs: Sequence[tuple[str, str]], layers: Sequence[int], longest: tuple[int, int]
    ) -> "list[Array]":
        """Per pair the hidden states of both texts, read in one pass, from the first `longest` tokens of each.

        Raises WeightsMissingError, WeightsDamagedError.
        """
        tokenizer, encoder = self._load()
        joined = [
            tokenizer.encode(first, longest[0]) + tokenizer.encode(second, longest[1])[1:] for first, second in pairs
        ]
        with single_blas_thread():
            return encoder.states(joined, layers)

    def second_states(self, pairs: Sequence[tuple[str, str]], layers: Sequence[int], longest: int) -> list[UnitStates]:
        """Per pair, read in one pass, the units of the second text with their states; the mean is that of the pass.

        Of each text the first `longest` tokens are read. Raises WeightsMissingError, WeightsDamagedError.
        """
        tokenizer, encoder = self._load()
        firsts = [tokenizer.encode(first, longest) for first, _ in pairs]
        seconds = [tokenizer.encode_units(second, longest) for _, second in pairs]
        with single_blas_thread():
            states = encoder.states([one + ids[1:] for one, (ids, _) in zip(firsts, seconds, strict=True)], layers)
        return [
            UnitStates([(unit.start, unit.end) for unit in units], _by_unit(units, rows[len(one) - 1 :]), rows.mean(0))
            for one, (_, units), rows in zip(firsts, seconds, states, strict=True)
        ]

    def unit_states(
        self, texts: Sequence[str], layers: Sequence[int], longest: int, searched: Container[str] = ()
    ) -> list[UnitStates]:
        """Per text its units, from its first `longest` tokens, and the hidden states after these layers.

        `searched` is as in `token_states`. Raises WeightsMissingError, WeightsDamagedError.
        """
        return [
            UnitStates([(unit.start, unit.end) for unit in units], _by_unit(units, rows), rows.mean(0))
            for _, units, rows in self.token_states(texts, layers, longest, searched)
        ]

    def adapted(self, factors: Factors) -> SentenceEmbedder:
        """The same model with low-rank factors, read at the first text: for its hidden states, not for vectors."""
        found = SentenceEmbedder(self._folder, self._weights, factors)
        found._searching = self._searching
        return found

    def digit_tokens(self) -> "npt.NDArray[np.bool_]":
        """By token id, whether the token has a digit."""
        return self._load()[0].digit_tokens()

    def _load(self) -> "tuple[WordPiece, BertEncoder]":
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> "tuple[WordPiece, BertEncoder]":
        from dopejar.adapters.embedders.bert import BertEncoder, adapted
        from dopejar.adapters.embedders.tensor_file import read_tensors

        folder, weights = self._folder, self._weights
        if not is_complete(folder, weights):
            raise WeightsMissingError(
                f"No complete weights of {weights.name} in {folder}. Run `dopejar models install {weights.name}`."
            )
        tensors = read_tensors(folder / weights.weights_file)
        if self._factors is not None:
            tensors = adapted(tensors, self._factors())
        encoder = BertEncoder(tensors, weights.heads)
        tokenizer = WordPiece.read(folder / weights.vocabulary_file, weights.marks)
        if (len(tokenizer), weights.dimensions) != (encoder.shape.vocabulary, encoder.shape.hidden):
            raise WeightsDamagedError(
                f"Vocabulary and weights in {folder} do not belong together. Run `dopejar models install` again."
            )
        return tokenizer, encoder


def _by_unit(units: Sequence[Unit], rows: "Array") -> "Array":
    """The mean state of the tokens of each unit."""
    import numpy as np

    if not units:
        return np.empty((0, rows.shape[1]), dtype=np.float32)
    counts = np.asarray([unit.last - unit.first for unit in units], dtype=np.float32)
    # they lie side by side
    found: Array = np.add.reduceat(rows[: units[-1].last], [unit.first for unit in units], axis=0)
    return found / counts[:, None]
