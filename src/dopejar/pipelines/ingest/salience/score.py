"""How likely a person would keep a statement, and what that rests on.

Takes: the words of an English statement. Gives: a probability, whether it is enough, and the features that weigh most.
Never: looks at the talk around it; what needs that is not worth keeping alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from dopejar.pipelines.ingest.salience.features import features
from dopejar.pipelines.logistic_model import LogisticModel, load_model

_SHOWN: Final = 4  # features
_AWAY: Final = frozenset(["points outside", "this", "of the talk"])
_LEANS: Final = _AWAY | {"pronoun", "one of many", "of it, bare", "carries nothing", "carries one word"}
_HANGS: Final = _AWAY | {"of it, bare", "a choice", "in the form would", "verb of working"}
_REMEMBERED: Final = 512  # statements; one is asked for more than once where it is short of worth


@lru_cache(maxsize=1)
def weights() -> LogisticModel:
    """The weights of the data file, fitted by `training/salience_weights.py`."""
    with files("dopejar.pipelines.ingest").joinpath("data", "worth.toml").open("rb") as stream:
        return load_model(tomllib.load(stream).get("worth"), "worth.toml")


@lru_cache(maxsize=_REMEMBERED)
def _shown(text: str) -> Mapping[str, float]:
    return MappingProxyType(features(text))


def worth(text: str) -> float:
    """How likely a person would keep the statement, standing alone, months later: 0 to 1."""
    return weights().probability(_shown(text))


def is_worth_keeping(text: str) -> bool:
    """Whether a conversation may teach the statement."""
    return worth(text) >= weights().threshold


def points_away(text: str) -> bool:
    """Whether the statement points at what was said around it, and not in it."""
    return not _AWAY.isdisjoint(_shown(text))


def hangs(text: str) -> bool:
    """Whether the statement leaves open what it is about, or tells a wish or a step: its form is not enough."""
    return not _HANGS.isdisjoint(_shown(text))


def leans(text: str) -> bool:
    """Whether the statement may be short of what the words before it say."""
    return not _LEANS.isdisjoint(_shown(text))


def rests_on(text: str) -> str:
    """The score in words: "0.34, learned from a conversation at 0.65 or more: points outside -1.8, names +1.1"."""
    main = ", ".join(f"{name} {added:+.1f}" for name, added in weights().main(_shown(text), _SHOWN))
    return f"{worth(text):.2f}, learned from a conversation at {weights().threshold:.2f} or more: {main}"
