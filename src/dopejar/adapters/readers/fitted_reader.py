"""The fitted reader: small heads over the hidden states of an installed encoder, in plain numpy.

Takes: sentences, and the embedder whose weights are installed. Gives: statements and relations with probabilities.
Never: loads anything before the first sentence; runs the encoder twice over a sentence that it read lately.

A sentence is read from the mean, the maximum and the first token of its states by one hidden layer. A pair is aligned
token by token with attention (Parikh et al. 2016, arXiv 1606.01933; Chen et al. 2017, arXiv 1609.06038). The weights
are made by `training/reader_weights.py`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from dopejar.adapters.readers.weights_file import LAYERS, read_weights, weights_file
from dopejar.values.statement import Related, Relation, SpeechAct, Statement, Tense

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

LONGEST: Final = 56  # tokens, as in fitting; what a sentence states stands near its beginning
_CAPACITY: Final = 512  # sentences that are kept as read: about 10 MB
_ACTS: Final = tuple(SpeechAct)
_TENSES: Final = tuple(Tense)
_RELATIONS: Final = tuple(Relation)


class TokenStates(Protocol):
    """What the reader asks of an embedder."""

    def token_states(
        self, texts: Sequence[str], layers: Sequence[int], longest: int
    ) -> "list[tuple[list[int], Array]]":
        """Per text its token ids and their hidden states after these layers."""
        ...

    def digit_tokens(self) -> "npt.NDArray[np.bool_]":
        """By token id, whether the token has a digit."""
        ...


class _Read(NamedTuple):
    """A sentence as the heads see it: what is compared with other sentences, and its own labels."""

    ids: "npt.NDArray[np.intp]"
    values: "Array"  # (tokens, width)
    queries: "Array"
    whole: "Array"
    meaning: "Array"  # the sentence's embedding, of length 1
    labels: "Array"  # probabilities of all labels side by side


class FittedReader:
    """`ports.statement_reader.StatementReader` over one installed model. Safe to use from several threads."""

    knows_dates = False

    def __init__(self, embedder: TokenStates, model: str, weights: Path | None = None) -> None:
        self.name = f"fitted-{model}"
        self._embedder = embedder
        self._layers = LAYERS[model]
        self._file = weights or weights_file("reader", model)
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, _Read] = OrderedDict()

    def read(self, sentences: Sequence[str]) -> tuple[Statement, ...]:
        """What each sentence states. Raises WeightsMissingError, WeightsDamagedError."""
        return tuple(
            _statement(text, read.labels) for text, read in zip(sentences, self._reads(sentences), strict=True)
        )

    def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
        """What the later sentence of each pair does to the earlier one. Raises as `read` does."""
        reads = self._reads([text for pair in pairs for text in pair])
        return tuple(self._relate(reads[at], reads[at + 1]) for at in range(0, len(reads), 2))

    def _relate(self, earlier: _Read, later: _Read) -> Related:
        import numpy as np

        w = self._weights
        equal = earlier.ids[:, None] == later.ids[None, :]
        scores = earlier.queries @ later.queries.T * w["pair.scale"] + w["pair.equal"] * equal
        first = self._compared(earlier, softmax(scores) @ later.values, equal.any(1))
        second = self._compared(later, softmax(scores.T) @ earlier.values, equal.any(0))
        u, v = earlier.whole, later.whole
        parts = [*_pooled(first), *_pooled(second), u, v, np.abs(u - v), u * v, earlier.labels, later.labels]
        logits = self._dense("pair.out", np.maximum(self._dense("pair.hidden", np.concatenate(parts)), 0))
        shares = softmax(logits)
        return Related(
            relation=_RELATIONS[int(shares.argmax())],
            shares=tuple(shares.tolist()),
            cosine=float(earlier.meaning @ later.meaning),
        )

    def _compared(self, own: _Read, other: "Array", seen: "npt.NDArray[np.bool_]") -> "Array":
        import numpy as np

        number = self._digits[own.ids]
        flags = np.stack([seen, number, number & ~seen], -1).astype(np.float32)
        parts = [own.values, other, own.values - other, own.values * other, flags]
        return np.maximum(self._dense("pair.compare", np.concatenate(parts, -1)), 0)

    def _reads(self, texts: Sequence[str]) -> list[_Read]:
        """The sentences as read, each new one encoded once, all in one pass."""
        with self._lock:
            known = {text: self._recent[text] for text in texts if text in self._recent}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            found = self._embedder.token_states(missing, self._layers, LONGEST)
            fresh = {text: self._project(ids, states) for text, (ids, states) in zip(missing, found, strict=True)}
            known |= fresh
            with self._lock:
                self._recent.update(fresh)
                while len(self._recent) > _CAPACITY:
                    self._recent.popitem(last=False)
        return [known[text] for text in texts]

    def _project(self, ids: Sequence[int], states: "Array") -> _Read:
        import numpy as np

        mean = states.mean(0)
        pooled = np.concatenate([mean, states.max(0), states[0]])
        logits = self._dense("sentence.out", np.maximum(self._dense("sentence.hidden", pooled), 0))
        last = mean[-len(mean) // len(self._layers) :]
        heads = np.split(logits, np.cumsum([len(_ACTS), len(_TENSES), 2]))
        return _Read(
            ids=np.asarray(ids, dtype=np.intp),
            values=np.maximum(self._dense("pair.value", states), 0),
            queries=states @ self._weights["pair.query.weight"].T,
            whole=np.maximum(self._dense("pair.whole", mean), 0),
            meaning=last / max(float(np.linalg.norm(last)), 1e-9),
            labels=np.concatenate([softmax(head) for head in heads]),
        )

    def _dense(self, name: str, rows: "Array") -> "Array":
        product: Array = rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    @cached_property
    def _digits(self) -> "npt.NDArray[np.bool_]":
        return self._embedder.digit_tokens()

    @cached_property
    def _weights(self) -> "Mapping[str, Array]":
        return read_weights(self._file)


def _statement(text: str, labels: "Array") -> Statement:
    acts, tenses = labels[: len(_ACTS)], labels[len(_ACTS) : len(_ACTS) + len(_TENSES)]
    act, tense = int(acts.argmax()), int(tenses.argmax())
    return Statement(
        text=text,
        act=_ACTS[act],
        act_certainty=float(acts[act]),
        tense=_TENSES[tense],
        tense_certainty=float(tenses[tense]),
        denied=float(labels[-3]),
        durable=float(labels[-1]),
    )


def softmax(rows: "Array") -> "Array":
    """The shares of each row of logits."""
    import numpy as np

    shares: Array = np.exp(rows - rows.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def _pooled(rows: "Array") -> "tuple[Array, Array]":
    return rows.mean(0), rows.max(0)
