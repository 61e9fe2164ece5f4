"""What a statement carries: the words that mean something of their own, and the names it holds on to.

Takes: the words of an English statement. Gives: how many of them carry a meaning, and whether one names something.
Never: which of them is right; see `standalone_statements` for what becomes of a statement that carries too little.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_MONTHS: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b"
_DAYS: Final = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
_CALENDAR: Final = re.compile(rf"\b(?:{_MONTHS}|{_DAYS})")
_NAME: Final = re.compile(
    rf"[`\"\u201c]|(?<=[\w,;’')] )[('\u2018]?(?!I\b|I'|AI\b|OK\b|AM\b|PM\b|{_MONTHS}|{_DAYS})[A-Z]\w|"
    r"\w\.[a-z]|\w_\w|\w/\w"
)


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    with files("dopejar.pipelines.ingest").joinpath("data", "carrying.toml").open("rb") as stream:
        rows = tomllib.load(stream)
    parts = rows["parts"].split()
    return frozenset([*rows["light"].split(), *parts, *(f"{word}s" for word in parts)])


def carried(text: str) -> int:
    """How many words carry a meaning of their own: no light ones, no parts and measures, no dates and numbers."""
    light = _light()
    return sum(word not in light for word in _WORD.findall(_CALENDAR.sub(" ", text).lower()))


def is_named(text: str) -> bool:
    """Whether the statement names something: a proper name, a title, a piece of code."""
    return _NAME.search(text) is not None
