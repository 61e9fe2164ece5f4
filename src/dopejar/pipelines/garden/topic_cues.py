"""Cues of a turn: whether its words go on with a topic, leave it, or come back to an earlier one.

Takes: the text of a turn. Gives: which cues it has. Never: a decision, nor a cue that is not in the data file.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from dopejar.errors import InputError
from dopejar.text.lexicons import joined
from dopejar.text.normalisation import fold

_HEAD: Final = 200  # characters, within which a turn says what it is about
_TAIL: Final = 120  # characters, in which it says goodbye
_OPENING: Final = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicCues:
    """The cues of one turn."""

    greets: bool = False
    leaves: bool = False
    shifts: bool = False
    returns: bool = False
    continues: bool = False
    refers: bool = False
    requests: bool = False


class _Patterns(NamedTuple):
    opening_greeting: re.Pattern[str]
    reunion: re.Pattern[str]
    farewell: re.Pattern[str]
    shift: re.Pattern[str]
    comeback: re.Pattern[str]
    continuing: re.Pattern[str]
    reference: re.Pattern[str]
    request: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    with files("dopejar.pipelines.garden").joinpath("data", "topic_cues.toml").open("rb") as stream:
        lists = tomllib.load(stream)
    names = ("greeting", "reunion", "farewell", "shift", "return", "continuing", "reference", "request")
    if missing := [name for name in names if not isinstance(lists.get(name), list)]:
        raise InputError(f"The data file `topic_cues.toml` has no list {missing[0]!r}. Reinstall the program.")
    opening = {"greeting", "continuing"}
    return _Patterns(*(_pattern(lists[name], at_opening=name in opening) for name in names))


def _pattern(entries: list[str], *, at_opening: bool) -> re.Pattern[str]:
    """Any entry as whole words; entries of scripts without spaces need no boundary."""
    folded = [fold(entry) for entry in entries]
    spaced = [entry for entry in folded if not "\u2e80" <= entry[0] <= "\u9fff"]
    unspaced = [entry for entry in folded if "\u2e80" <= entry[0] <= "\u9fff"]
    start = r"\A\W*" if at_opening else r"(?<![\w'])"
    return re.compile(rf"{start}(?:(?:{joined(spaced)})(?![\w'])|{joined(unspaced)})")


def topic_cues(text: str) -> TopicCues:
    """The cues at the opening and at the end of a turn; the words between are not looked at."""
    known = _patterns()
    head, tail = fold(text[:_HEAD]), fold(text[-_TAIL:])
    opening = head[:_OPENING]
    return TopicCues(
        greets=known.opening_greeting.search(head) is not None or known.reunion.search(head) is not None,
        leaves=known.farewell.search(tail) is not None,
        shifts=known.shift.search(opening) is not None,
        returns=known.comeback.search(opening) is not None,
        continues=known.continuing.search(head) is not None,
        refers=known.reference.search(opening) is not None,
        requests=known.request.search(head) is not None,
    )
