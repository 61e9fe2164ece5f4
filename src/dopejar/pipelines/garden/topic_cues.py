"""Cues of a turn: whether its words go on with a topic, leave it, or come back to an earlier one.

Takes: the text of a turn. Gives: which cues it has. Never: a decision, nor a cue that is not in the data file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.pipelines.garden.cue_lists import cue_pattern, plain, read_cue_lists

_HEAD: Final = 200  # characters, within which a turn says what it is about
_TAIL: Final = 120  # characters, in which it says goodbye
_OPENING: Final = 80
_MOST_FILLERS: Final = 5
_LISTS: Final = (
    *("greeting", "reunion", "farewell", "shift", "announcement", "return", "filler"),
    *("continuing", "reference", "request"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicCues:
    """The cues of one turn. `announces`: it opens with the word that another topic comes, a `shift` may stand later.

    `returns_to` are the words of the earlier topic that it opens with: "the fence" of "Okay, back to the fence".
    """

    greets: bool = False
    leaves: bool = False
    shifts: bool = False
    announces: bool = False
    returns: bool = False
    returns_to: str = ""
    continues: bool = False
    refers: bool = False
    requests: bool = False


class _Patterns(NamedTuple):
    opening_greeting: re.Pattern[str]
    reunion: re.Pattern[str]
    farewell: re.Pattern[str]
    shift: re.Pattern[str]
    announcement: re.Pattern[str]
    comeback: re.Pattern[str]
    named_comeback: re.Pattern[str]
    continuing: re.Pattern[str]
    reference: re.Pattern[str]
    request: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    lists = read_cue_lists("topic_cues.toml", _LISTS)
    fillers = cue_pattern(lists["filler"], "", r"(?![\w'])").pattern
    opened = rf"\A\W*(?:{fillers}\W*){{0,{_MOST_FILLERS}}}"

    def pattern(name: str, start: str = r"(?<![\w'])") -> re.Pattern[str]:
        return cue_pattern(lists[name], start, r"(?![\w'])")

    return _Patterns(
        opening_greeting=pattern("greeting", r"\A\W*"),
        reunion=pattern("reunion"),
        farewell=pattern("farewell"),
        shift=pattern("shift"),
        announcement=pattern("announcement", opened),
        comeback=pattern("return"),
        named_comeback=re.compile(rf"{pattern('return', opened).pattern}\W+(?P<topic>[^.,:;!?]+)"),
        continuing=pattern("continuing", r"\A\W*"),
        reference=pattern("reference"),
        request=pattern("request"),
    )


def topic_cues(text: str) -> TopicCues:
    """The cues at the opening and at the end of a turn; the words between are not looked at."""
    known = _patterns()
    head, tail = plain(text[:_HEAD]), plain(text[-_TAIL:])
    opening = head[:_OPENING]
    announces = known.announcement.search(head) is not None
    named = known.named_comeback.search(head)
    return TopicCues(
        greets=known.opening_greeting.search(head) is not None or known.reunion.search(head) is not None,
        leaves=known.farewell.search(tail) is not None,
        shifts=announces or known.shift.search(opening) is not None,
        announces=announces,
        returns=known.comeback.search(opening) is not None,
        returns_to=named["topic"] if named else "",
        continues=known.continuing.search(head) is not None,
        refers=known.reference.search(opening) is not None,
        requests=known.request.search(head) is not None,
    )
