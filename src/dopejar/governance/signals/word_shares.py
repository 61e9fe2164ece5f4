"""What the words of an utterance say of its labels: logistic regressions over hashed pieces of its spelling.

Takes: an utterance, and a model's shares where there is one. Gives: the shares that governance decides with. Never: a
share from what is quoted or pasted. `training/signal_weights.py` fits the weights.
"""

from __future__ import annotations

import struct
from array import array
from functools import lru_cache
from importlib.resources import files
from math import exp, log, sqrt
from typing import Final, NamedTuple

from dopejar.governance.signals.folded_clauses import spoken_sentences
from dopejar.text.hashed_pieces import features, plain_text
from dopejar.values.turn_decisions import TURN_LABELS, Shares, TurnShares

WIDTH: Final = sum(map(len, TURN_LABELS.values()))
"""Labels of all fields: the weights of each bucket."""

HEADER: Final = struct.Struct(f"<{2 * WIDTH}d")
"""Of the file of weights: the scale of each label, then its bias; 8-bit weights follow, bucket by bucket."""

_OF_MODEL: Final = 0.8  # how much the log odds of a model count
_OF_WORDS: Final = 0.4  # and those of the words beside it; both chosen on authors held out
_LEAN: Final = {"emergency": 0.9, "high_stakes": 1.8, "urgency": 0.3}
"""What the log odds of signals that are worst to overlook gain where a model reads them, so that most are found."""

_DOUBT: Final = dict.fromkeys(TURN_LABELS["signals"], -0.5) | {"emergency": -1.2, "urgency": -0.2, "high_stakes": 0.2}
"""What signals gain without a model: words alone, where no phrase speaks for them, are taken for one too often, but
high stakes had better be asked about once too often than overlooked."""

_RARE: Final = {"L4": 1.2, "L3": 0.75, "L1": 0.13}
"""What the log odds of levels gain over those of L2: half of what their rarity in the fitted utterances took."""
_FEW: Final = 150


class _Weights(NamedTuple):
    scales: tuple[float, ...]
    biases: tuple[float, ...]
    rows: "array[int]"


def pieces_of(text: str) -> list[int]:
    """The buckets of what is said in an utterance, each once."""
    said = " ".join(one.text for one in spoken_sentences(text))
    return sorted({bucket for _, part in features(plain_text(said or text)) for bucket in part})


def root_of(pieces: list[int]) -> float:
    """What the sum of the weights is divided by: a short text, with few pieces, says little."""
    return sqrt(len(pieces) + _FEW)


def word_shares(text: str) -> TurnShares:
    """How likely each label is by the words alone."""
    weights, pieces = _weights(), pieces_of(text)
    rows = (weights.rows[one * WIDTH : (one + 1) * WIDTH] for one in pieces)
    sums = map(sum, zip(*rows, strict=True)) if pieces else [0] * WIDTH
    root = root_of(pieces)
    return shares_of([a * one / root + b for a, b, one in zip(weights.scales, weights.biases, sums, strict=True)])


def weighed_together(model: TurnShares | None, words: TurnShares) -> TurnShares:
    """The shares of a model and those of the words as one; those of the words where there is no model."""
    of_words, gains = (1.0, _DOUBT) if model is None else (_OF_WORDS, _LEAN)
    logits = [
        (_OF_MODEL * _log_odds(model, field, name) if model else 0.0)
        + of_words * _log_odds(words, field, name)
        + (gains if field == "signals" else _RARE).get(name, 0.0)
        for field, names in TURN_LABELS.items()
        for name in names
    ]
    return shares_of(logits)


def shares_of(logits: list[float]) -> TurnShares:
    """Shares from one number for each label: signals stand for themselves, those of any other field add up to 1."""
    found: dict[str, Shares] = {}
    rest = iter(logits)
    for field, names in TURN_LABELS.items():
        row = [next(rest) for _ in names]
        if field == "signals":
            found[field] = {name: 1 / (1 + exp(-max(-30.0, one))) for name, one in zip(names, row, strict=True)}
        else:
            powers = [exp(one - max(row)) for one in row]
            found[field] = {name: power / sum(powers) for name, power in zip(names, powers, strict=True)}
    return TurnShares(**found)


def _log_odds(shares: TurnShares, field: str, name: str) -> float:
    held = min(max(getattr(shares, field)[name], 1e-9), 1 - 1e-9)
    return log(held / (1 - held)) if field == "signals" else log(held)


@lru_cache(maxsize=1)
def _weights() -> _Weights:
    """The weights, read at their first use."""
    kept = files("dopejar.governance.signals").joinpath("data/word_weights.bin").read_bytes()
    numbers = HEADER.unpack_from(kept)
    return _Weights(numbers[:WIDTH], numbers[WIDTH:], array("b", kept[HEADER.size :]))
