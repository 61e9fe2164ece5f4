"""Micro-anchors: one line that ties a request to what the user works for, without holding it up.

Takes: a level, the level that it rests on, the user's north stars. Gives: a line. Never: words that are not the user's
own, where there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dopejar.values.turn_enums import Altitude
from dopejar.values.turn_state import NorthStars

_LONGEST: Final = 80  # characters of a quotation
_QUESTIONS: Final[Mapping[Altitude, str]] = MappingProxyType(
    {
        Altitude.L4: "What should this serve in the end?",
        Altitude.L3: "Which of your priorities does this serve?",
        Altitude.L2: "Which task does this belong to?",
    }
)


def anchor_text(level: Altitude, missing: Altitude, stars: NorthStars) -> str:
    """The line for a request at `level` whose `missing` level was not established.

    It cites the first priority, else the first north star, in the user's own words; without either it asks.
    """
    if level in {Altitude.L2, Altitude.L1} and stars.priorities:
        return f"I take this to serve your priority {_quoted(stars.priorities[0])}; say so if it does not."
    if stars.north_stars:
        return f"I take this to serve {_quoted(stars.north_stars[0])}; say so if it does not."
    return _QUESTIONS[missing]


def _quoted(words: str) -> str:
    line = " ".join(words.split())
    return f"\u201c{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + chr(0x2026)}\u201d"
