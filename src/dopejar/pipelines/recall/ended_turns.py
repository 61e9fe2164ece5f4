"""What quoted turns said for a time that is over ("until friday", "this week"), though no memory rests on it.

Takes: turns with what became of their statements, and the time asked about. Gives: the same, with those sentences as
ended. Never: ends words of others than the user, a sentence that a memory rests on, a question, or one without an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.turn_statements import ENDED, TurnStatement
from dopejar.text.regex_prefilter.required_literals import PrefilteredPattern
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.values.episode import Episode
    from dopejar.values.ids import EpisodeId

_NAMES_AN_END: Final = PrefilteredPattern(
    r"\b(?:until|till|this (?:week(?:end)?|sprint|month)|for (?:the next )?(?:[\w-]+ ){1,2}(?:day|week|month)s?)\b",
    ("til", " sprint", " day", " week", " month"),
)


def with_ended(
    statements: Mapping[EpisodeId, tuple[TurnStatement, ...]], turns: Iterable[Episode], at: datetime
) -> dict[EpisodeId, tuple[TurnStatement, ...]]:
    """The statements of each turn, and its sentences whose own end had passed `at` that time."""
    found = dict(statements)
    for turn in turns:
        if turn.origin is Origin.USER and turn.at < at and _names_an_end(turn.text):
            known = found.get(turn.id, ())
            ended = [one for one in _ended(turn, at) if not any(_overlap(one, other) for other in known)]
            if ended:
                found[turn.id] = tuple(sorted((*known, *ended), key=lambda one: (one.start, one.end)))
    return found


def _names_an_end(text: str) -> bool:
    return _NAMES_AN_END.search(text, text.lower()) is not None


def _overlap(one: TurnStatement, other: TurnStatement) -> bool:
    return one.start < other.end and other.start < one.end


def _ended(turn: Episode, at: datetime) -> Iterable[TurnStatement]:
    # loaded only where a turn names an end
    from dopejar.pipelines.ingest.cues import cues
    from dopejar.pipelines.ingest.extraction.temporal_expressions import read_time
    from dopejar.text.lexicons import guess_language
    from dopejar.text.sentences import sentences

    for piece in sentences(turn.text):
        if piece.text.rstrip().endswith("?") or not _names_an_end(piece.text):
            continue
        time = read_time(piece.text, turn.at, cues(guess_language(piece.text)))
        if time.temporary and time.valid_to is not None and time.valid_to <= at:
            yield TurnStatement(start=piece.start, end=piece.end, fate=ENDED, current=None)
