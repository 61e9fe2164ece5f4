"""The transparent model of corrections: what tells that a turn corrects, and whether for good.

Takes: its data file. Gives: the weights, fitted or as they were set by hand. Never: a weight that is not in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dopejar.pipelines.corrections.cues import table
from dopejar.pipelines.weights import Weights, read_weights


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """What decides whether a turn corrects, and whether for good."""

    detection: Weights
    standing: Weights


@lru_cache(maxsize=1)
def shipped() -> Model:
    """The model of the data file."""
    return _model("weight")


@lru_cache(maxsize=1)
def priors() -> Model:
    """The weights as they were set by hand, before any fitting."""
    return _model("prior")


def _model(column: str) -> Model:
    tables = table("model")
    return Model(
        detection=read_weights(tables.get("detection"), "model.toml", column),
        standing=read_weights(tables.get("standing"), "model.toml", column),
    )
