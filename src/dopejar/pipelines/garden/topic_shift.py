"""Whether a turn leaves the topic of a block: what is compared, and how likely the shift is.

Takes: what was read from a turn, the turns before it, and the habits of the stream. Gives: named features and their
log odds. Never: a weight that is not in the data file, or a turn that comes later.

How many words a turn shares with those before it differs from stream to stream: an assistant's long answers repeat the
question, friends who chat hardly repeat a word. So each stream's own habit, by role, is what a turn is held against.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from math import fsum, log, log2
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.garden.topic_cues import TopicCues, topic_cues
from dopejar.pipelines.logistic_model import LogisticModel, load_model
from dopejar.text.lexicons import guess_language, lexicon
from dopejar.text.words import index_terms, stem
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from dopejar.pipelines.garden.blocks import IncomingTurn, Vector

_READ: Final = 800  # characters of a turn whose terms are compared; what follows elaborates
_STRANGE: Final = 0.05  # the share of terms that two unrelated turns have in common
_MOST_TERMS: Final = 12  # further terms depend on these
_MOST_EVIDENCE: Final = 6.0
_PRIOR: Final = (0.3, 10.0)  # the habit of a new stream, and the turns that it weighs
_FADING: Final = 0.98
_ENOUGH: Final = 6  # terms from which a turn says fully what the habit is
_LONGEST_GAP: Final = 24 * 14  # hours


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ReadTurn:
    """A turn as it was read: its terms without stop words, its cues, its vector."""

    terms: frozenset[str]
    cues: TopicCues
    origin: Origin
    turn: IncomingTurn

    @property
    def vector(self) -> Vector | None:
        """The vector that came with the turn."""
        return self.turn.vector


@dataclass(frozen=True, kw_only=True, slots=True)
class Habit:
    """What turns of one role use to share with those before them: sums of shares and of cosines, with their weights."""

    shared: float = 0.0
    weight: float = 0.0
    cosine: float = 0.0
    cosine_weight: float = 0.0

    @property
    def share(self) -> float:
        """The usual share of terms, from .1 to .8."""
        prior, turns = _PRIOR
        return min(0.8, max(0.1, (self.shared + prior * turns) / (self.weight + turns)))

    @property
    def usual_cosine(self) -> float:
        """The usual greatest cosine."""
        prior, turns = _PRIOR
        return (self.cosine + prior * turns) / (self.cosine_weight + turns)

    def after(self, terms: int, share: float, cosine: float | None) -> Habit:
        """The habit after a turn that went on with its topic."""
        weight = min(1.0, terms / _ENOUGH)
        return Habit(
            shared=self.shared * _FADING + share * weight,
            weight=self.weight * _FADING + weight,
            cosine=self.cosine * _FADING + (cosine or 0.0),
            cosine_weight=self.cosine_weight * _FADING + (cosine is not None),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Likeness:
    """How like a turn is to those before it: the weighted share of its terms, and the greatest cosine."""

    share: float
    cosine: float | None


def read_turn(turn: IncomingTurn) -> ReadTurn:
    """Read a turn once: terms of its beginning, and cues."""
    return ReadTurn(terms=read_terms(turn.text), cues=topic_cues(turn.text), origin=turn.origin, turn=turn)


def read_terms(text: str) -> frozenset[str]:
    """The terms of the beginning of a text, without stop words."""
    head = text[:_READ]
    stops = _stops(guess_language(head))
    return frozenset(term for term in index_terms(head) if len(term) > 1 and term not in stops)


def joined_turn(opening: ReadTurn, answer: ReadTurn) -> ReadTurn:
    """Two turns as one: the terms of both, the cues of the first, the vector between theirs."""
    vector = opening.vector
    if vector is not None and answer.vector is not None:
        total = vector + answer.vector
        vector = total / (float(total @ total) ** 0.5 or 1.0)
    turn = replace(opening.turn, vector=vector)
    return replace(opening, terms=opening.terms | answer.terms, turn=turn)


@lru_cache(maxsize=8)
def _stops(language: str) -> frozenset[str]:
    book = lexicon(language)
    empty = book.dropped_in_queries | book.light
    return frozenset(stem(word) for word in empty) | empty


def compare(turn: ReadTurn, before: Sequence[ReadTurn], spread: Mapping[str, int], blocks: int) -> Likeness:
    """Compare a turn with those before it. A term counts less, the more of the stream's `blocks` hold it (`spread`)."""
    near = frozenset().union(*(one.terms for one in before))
    return Likeness(share=weighted_share(turn.terms, near, spread, blocks), cosine=_greatest_cosine(turn, before))


def weighted_share(
    terms: Set[str], among: Mapping[str, int] | frozenset[str], spread: Mapping[str, int], blocks: int
) -> float:
    """The share of the terms that are among others, from 0 to 1; terms of few blocks count more."""
    weights = {term: log((blocks + 2) / (spread.get(term, 0) + 1)) + 0.1 for term in terms}
    whole = fsum(weights.values())  # exact: the order of a set, which differs between processes, changes nothing
    shared = fsum(weight for term, weight in weights.items() if term in among)
    return shared / whole if whole else 0.0


def _greatest_cosine(turn: ReadTurn, before: Sequence[ReadTurn]) -> float | None:
    vector = turn.vector
    if vector is None:
        return None
    return max((float(vector @ one.vector) for one in before if one.vector is not None), default=None)


def shift_features(
    turn: ReadTurn, before: Sequence[ReadTurn], length: int, like: Likeness, habit: Habit
) -> dict[str, float]:
    """The features of a possible shift before a turn, in a block of `length` turns. `before` is not empty."""
    last = before[-1]
    cues = turn.cues
    features = {
        "strange": _strangeness(len(turn.terms), like.share, habit.share),
        "young": 1 / length,
        "greeting": float(cues.greets),
        "farewell": float(last.cues.leaves),
        "shift": float(cues.shifts or cues.returns),
        "continuing": float(cues.continues and not cues.shifts),
        "reference": float(cues.refers),
        "request": float(cues.requests),
        "answer": float(turn.origin is Origin.ASSISTANT and last.origin is not Origin.ASSISTANT),
        "gap": _gap(turn, last),
    }
    if like.cosine is not None:
        features["distance"] = habit.usual_cosine - like.cosine
    return features


def _strangeness(terms: int, share: float, usual: float) -> float:
    """The log odds, capped, that terms of which only this share is known come from another topic."""
    shared_odds, new_odds = log(_STRANGE / usual), log((1 - _STRANGE) / (1 - usual))
    odds = min(_MOST_TERMS, terms) * (share * shared_odds + (1 - share) * new_odds)
    return max(-_MOST_EVIDENCE, min(_MOST_EVIDENCE, odds))


def _gap(turn: ReadTurn, last: ReadTurn) -> float:
    """The time between two turns, 0 to 1 on a logarithmic scale up to two weeks; 0 where a time is unknown."""
    if turn.turn.at is None or last.turn.at is None:
        return 0.0
    hours = max(0.0, (turn.turn.at - last.turn.at).total_seconds() / 3600)
    return min(1.0, log2(1 + hours) / log2(1 + _LONGEST_GAP))


@lru_cache(maxsize=1)
def _models() -> Mapping[str, LogisticModel]:
    with files("dopejar.pipelines.garden").joinpath("data", "routing.toml").open("rb") as stream:
        tables = tomllib.load(stream)
    return {name: load_model(tables.get(name), "routing.toml") for name in ("words", "vectors")}


def shift_odds(features: Mapping[str, float]) -> float:
    """The log odds that the turn leaves the topic, less those that the bias to continue asks for."""
    model = _models()["vectors" if "distance" in features else "words"]
    return model.score(features) - model.threshold
