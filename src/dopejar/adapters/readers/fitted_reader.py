"""The fitted reader: small heads over the hidden states of an installed encoder, in plain numpy.

Takes: sentences, and the embedder whose weights are installed. Gives: statements and relations with probabilities.
Never: loads anything before the first sentence; runs the encoder twice over a sentence that it read lately.

A sentence is read from the mean, the maximum and the first token of its states by one hidden layer, and two
convolutions tell which of its tokens are its subject and its value. A pair is aligned token by token with attention
(Parikh et al. 2016, arXiv 1606.01933; Chen et al. 2017, arXiv 1609.06038) by two nets, and the mean of their log odds
counts: one finds values said in other words, the other keeps apart values of several things that sound alike. The
weights are made by `training/reader_weights.py`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.adapters.readers.rest_reader import FittedRestReader
from dopejar.adapters.readers.weights_file import LAYERS, FittedNet, convolved, weights_file
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame, Related, Relation, SpeechAct, Statement, Tense

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, TextStates

    Array = npt.NDArray[np.float32]

OPENING: Final = slice(1, 5)  # tokens; whether a statement stands alone shows where it begins
LONGEST: Final = 56  # tokens, as in fitting; what a sentence states stands near its beginning
_CAPACITY: Final = 512  # sentences that are kept as read: about 10 MB
_ACTS: Final = tuple(SpeechAct)
_TENSES: Final = tuple(Tense)
_RELATIONS: Final = tuple(Relation)
_CLASSES: Final = tuple(FactClass)
COORDINATES: Final = (
    (Layer.SELF, Sublayer.IDENTITY),
    (Layer.SELF, Sublayer.PREFERENCE),
    (Layer.SELF, Sublayer.CONSTRAINT),
    (Layer.WORLD, Sublayer.FACT),
    (Layer.WORLD, Sublayer.FAILURE),
    (Layer.WORLD, Sublayer.METHOD),
    (Layer.INTENT, Sublayer.RULE),
    (Layer.INTENT, Sublayer.GOAL),
    (Layer.INTENT, Sublayer.ANTI_PATTERN),
)
_NETS: Final = ("pair", "things")  # that read a pair
_HEADS: Final = (len(_ACTS), len(_TENSES), 2, 2, 2, len(_CLASSES), len(COORDINATES))
_SUBJECT, _VALUE = 1, 2
_SHARPNESS: Final = 10.0  # of the likeness of properties, as in fitting
_TAGGED: Final = 0.5  # probability from which a unit belongs to the subject or the value


class _Side(NamedTuple):
    """A sentence as one of the nets compares it with others."""

    values: "Array"  # (tokens, width)
    queries: "Array"
    whole: "Array"


class _Read(NamedTuple):
    """A sentence as the heads see it: what is compared with other sentences, and its own labels."""

    ids: "npt.NDArray[np.intp]"
    sides: tuple[_Side, ...]  # of each net
    meaning: "Array"  # the sentence's embedding, of length 1
    leans: float
    continues: float
    takes_back: float
    several: float
    stands: float
    labels: "Array"  # probabilities of all labels side by side
    attribute: "Array"  # the direction of its property, of length 1
    tags: "Array"  # (tokens, 2): how likely each belongs to the subject, and to the value
    subject: tuple[int, int]  # offsets into the text; empty where none was found
    value: tuple[int, int]


class FittedReader(FittedNet):
    """`ports.statement_reader.StatementReader` over one installed model. Safe to use from several threads."""

    knows_dates = False
    finds_frames = True
    is_graded = True

    def __init__(self, embedder: SentenceEmbedder, model: str, weights: Path | None = None) -> None:
        self.name = f"fitted-{model}"
        self._embedder = embedder
        self._layers = LAYERS[model]
        self._file = weights or weights_file("reader", model)
        self._rests = FittedRestReader(embedder, model)
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, _Read] = OrderedDict()

    def read(self, sentences: Sequence[str]) -> tuple[Statement, ...]:
        """What each sentence states. Raises WeightsMissingError, WeightsDamagedError."""
        return tuple(self._statement(text, read) for text, read in zip(sentences, self._reads(sentences), strict=True))

    def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
        """What the later sentence of each pair does to the earlier one. Raises as `read` does."""
        reads = self._reads([text for pair in pairs for text in pair])
        return tuple(self._relate(reads[at], reads[at + 1]) for at in range(0, len(reads), 2))

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """What is left of the earlier sentence of each pair. Raises as `read` does."""
        return self._rests.rests(pairs)

    def _relate(self, earlier: _Read, later: _Read) -> Related:
        import numpy as np

        equal = earlier.ids[:, None] == later.ids[None, :]
        odds = [self._log_shares(name, place, earlier, later, equal) for place, name in enumerate(_NETS)]
        shares = softmax(np.mean(odds, axis=0))
        return Related(
            relation=_RELATIONS[int(shares.argmax())],
            shares=tuple(shares.tolist()),
            cosine=float(earlier.meaning @ later.meaning),
        )

    def _log_shares(
        self, net: str, place: int, earlier: _Read, later: _Read, equal: "npt.NDArray[np.bool_]"
    ) -> "Array":
        import numpy as np

        first, second = earlier.sides[place], later.sides[place]
        scores = (
            first.queries @ second.queries.T * self._weights[f"{net}.scale"] + self._weights[f"{net}.equal"] * equal
        )
        one = self._compared(net, earlier, first.values, softmax(scores) @ second.values, np.any(equal, axis=1))
        two = self._compared(net, later, second.values, softmax(scores.T) @ first.values, np.any(equal, axis=0))
        u, v = first.whole, second.whole
        beside = [earlier.labels, later.labels, np.atleast_1d(earlier.attribute @ later.attribute)]
        parts = [*pooled(one), *pooled(two), u, v, np.abs(u - v), u * v, *beside]
        logits = self._dense(f"{net}.out", np.maximum(self._dense(f"{net}.hidden", np.concatenate(parts)), 0))
        return log_softmax(logits)

    def _compared(
        self, net: str, own: _Read, values: "Array", other: "Array", seen: "npt.NDArray[np.bool_]"
    ) -> "Array":
        import numpy as np

        number = self._digits[own.ids]
        flags = np.stack([seen, number, number & ~seen], -1).astype(np.float32)
        parts = [values, other, values - other, values * other, flags, own.tags]
        return np.maximum(self._dense(f"{net}.compare", np.concatenate(parts, -1)), 0)

    def _reads(self, texts: Sequence[str]) -> list[_Read]:
        """The sentences as read, each new one encoded once, all in one pass."""
        with self._lock:
            known = {text: self._recent[text] for text in texts if text in self._recent}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            found = self._embedder.token_states(missing, self._layers, LONGEST, set(missing))
            fresh = {text: self._project(states) for text, states in zip(missing, found, strict=True)}
            known |= fresh
            with self._lock:
                self._recent.update(fresh)
                while len(self._recent) > _CAPACITY:
                    self._recent.popitem(last=False)
        return [known[text] for text in texts]

    def _project(self, text: "TextStates") -> _Read:
        import numpy as np

        states = text.states
        mean = states.mean(0)
        first = states[OPENING] if len(states) > 1 else states
        opening = np.concatenate([mean, first.mean(0), first[0]])
        pooled = np.concatenate([mean, states.max(0), states[0]])
        hidden = np.maximum(self._dense("sentence.hidden", pooled), 0)
        heads = np.split(self._dense("sentence.out", hidden), np.cumsum(_HEADS)[:-1])
        last = mean[-len(mean) // len(self._layers) :]
        tags = self._tags(states, mean)
        return _Read(
            ids=np.asarray(text.ids, dtype=np.intp),
            sides=tuple(self._side(net, states, mean) for net in _NETS),
            meaning=_of_length_1(last),
            leans=self._share("leans", opening),
            continues=self._share("continues", opening),
            takes_back=self._share("takes_back", opening),
            several=self._share("several", opening),
            stands=self._share("stands", opening),
            labels=np.concatenate([softmax(head) for head in heads]),
            attribute=_of_length_1(self._dense("sentence.attribute", hidden)),
            tags=tags[:, 1:],
            subject=_words(text, tags[:, _SUBJECT]),
            value=_words(text, tags[:, _VALUE]),
        )

    def _side(self, net: str, states: "Array", mean: "Array") -> _Side:
        import numpy as np

        return _Side(
            values=np.maximum(self._dense(f"{net}.value", states), 0),
            queries=states @ self._weights[f"{net}.query.weight"].T,
            whole=np.maximum(self._dense(f"{net}.whole", mean), 0),
        )

    def _tags(self, states: "Array", mean: "Array") -> "Array":
        import numpy as np

        rows: Array = np.maximum(self._dense("tags.input", states) + self._dense("tags.context", mean), 0)
        for name in ("tags.near", "tags.far"):
            rows = rows + np.maximum(convolved(rows, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]), 0)
        return softmax(self._dense("tags.out", rows))

    def _statement(self, text: str, read: _Read) -> Statement:
        import numpy as np

        acts, tenses, denied, durable, guides, classes, places = np.split(read.labels, np.cumsum(_HEADS)[:-1])
        act, tense, fact_class, place = (int(head.argmax()) for head in (acts, tenses, classes, places))
        layer, sublayer = COORDINATES[place]
        properties = softmax(self._weights["attributes"] @ read.attribute * np.float32(_SHARPNESS))
        nearest = int(properties.argmax())
        frame = Frame(
            subject=text[slice(*read.subject)],
            attribute=str(self._weights["attribute_names"][nearest]),
            attribute_certainty=float(properties[nearest]),
            value=text[slice(*read.value)],
            guides=float(guides[1]),
            fact_class=_CLASSES[fact_class],
            class_certainty=float(classes[fact_class]),
            layer=layer,
            sublayer=sublayer,
            layer_certainty=float(places[place]),
            private=self._share("private", read.meaning),
            leans=read.leans,
            continues=read.continues,
            takes_back=read.takes_back,
            several=read.several,
            stands=read.stands,
        )
        return Statement(
            text=text,
            act=_ACTS[act],
            act_certainty=float(acts[act]),
            tense=_TENSES[tense],
            tense_certainty=float(tenses[tense]),
            denied=float(denied[1]),
            durable=float(durable[1]),
            frame=frame,
        )

    def _share(self, name: str, row: "Array") -> float:
        """The probability that a head of one logit gives."""
        return 1 / (1 + exp(-float(self._dense(name, row)[0])))

    @cached_property
    def _digits(self) -> "npt.NDArray[np.bool_]":
        return self._embedder.digit_tokens()


def softmax(rows: "Array") -> "Array":
    """The shares of each row of logits."""
    import numpy as np

    shares: Array = np.exp(rows - rows.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def log_softmax(row: "Array") -> "Array":
    """The logarithms of the shares of some logits."""
    import numpy as np

    shifted: Array = row - row.max()
    shifted -= np.log(np.exp(shifted).sum())
    return shifted


def pooled(rows: "Array") -> "tuple[Array, Array]":
    """The mean and the maximum of some rows."""
    return rows.mean(0), rows.max(0)


def _of_length_1(row: "Array") -> "Array":
    import numpy as np

    unit: Array = row / max(float(np.linalg.norm(row)), 1e-9)
    return unit


def _words(text: "TextStates", shares: "Array") -> tuple[int, int]:
    """The likeliest run of units with this tag, as offsets; empty where there is none."""
    best, weight = (0, 0), 0.0
    start, total = -1, 0.0
    for unit in text.units:
        share = float(shares[unit.first : unit.last].mean())
        if share < _TAGGED:
            start, total = -1, 0.0
            continue
        start, total = (unit.start, share) if start < 0 else (start, total + share)
        if total > weight:
            best, weight = (start, unit.end), total
    return best
