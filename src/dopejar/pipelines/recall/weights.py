"""The weights of fusion and ranking, which `data/weights.toml` describes one by one.

Takes: the packaged file, or other weights to try. Gives: one frozen value. Never: chooses them
(`training/ranking_weights.py` does), or holds a limit of size or time, which changes no order.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingWeights:
    """All weights by their names in the file: one that is missing there, or unknown, is a fault of the package."""

    vector_least: float
    vector_more: float
    vector_terms: float
    hashed: float
    linked: float
    own: float
    beside: float
    beyond: float
    brief: float
    by_named: float
    in_window: float
    standing: float
    measured: float
    asking: float
    of_program: float
    of_system: float
    distilled: float
    of_asker: float
    pinned: float
    strength: float
    recent: float
    half_life: float
    trusted: float
    unproven: float
    answer: float
    named_thing: float
    tail: float
    of_assistant: float
    near: float


_TRIED: ContextVar[RankingWeights | None] = ContextVar("weights", default=None)


def weights() -> RankingWeights:
    """The packaged weights, or those that are being tried."""
    return _TRIED.get() or _packaged()


@contextmanager
def trying(others: RankingWeights) -> Iterator[None]:
    """Rank with other weights inside the block."""
    token = _TRIED.set(others)
    try:
        yield
    finally:
        _TRIED.reset(token)


@lru_cache(maxsize=1)
def _packaged() -> RankingWeights:
    import tomllib

    return RankingWeights(**tomllib.loads((Path(__file__).with_name("data") / "weights.toml").read_text("utf-8")))
