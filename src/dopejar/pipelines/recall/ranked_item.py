"""Ranked items: candidates with their scores, as ranking hands them on.

Takes: nothing. Gives: a frozen value. Never: reads the store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.pipelines.recall.turn_statements import TurnStatement
    from dopejar.values.episode import Episode
    from dopejar.values.ids import EpisodeId, RecordId
    from dopejar.values.recall import Source
    from dopejar.values.record import Record


class LaterStatement(NamedTuple):
    """What was said after a record, and may end or replace it; `waits` where a person has to decide.

    Not `is_dated`: nothing tells whether it was said after the record.
    """

    at: datetime
    words: str
    waits: bool
    is_dated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedItem:
    """One candidate with its score and the parts of it.

    `fused` is the score of words and vectors before neighbours and weight; `lexical` is BM25; `cosine` is None where
    there is no vector; `from_neighbours` is what the neighbouring turns add; `answer` are the log odds that it answers,
    None where they do not count, and `odds` the same as read, None where it was not; `statements` are a turn's own;
    `led_by` are the words of a turn that led to a record; `later_statement` is what may end or replace the record;
    `replaced` is what the record took the place of, where changes are asked for.
    """

    source: Source
    score: float
    fused: float = 0.0
    lexical: float = 0.0
    cosine: float | None = None
    from_neighbours: float = 0.0
    answer: float | None = None
    odds: float | None = None
    weight: float = 1.0
    reasons: tuple[str, ...] = ()
    record: Record | None = None
    episode: Episode | None = None
    statements: tuple[TurnStatement, ...] = ()
    led_by: str = ""
    later_statement: LaterStatement | None = None
    replaced: str = ""

    @property
    def id(self) -> RecordId | EpisodeId:
        """The id of the record or episode."""
        if self.record is not None:
            return self.record.id
        if self.episode is not None:
            return self.episode.id
        raise AssertionError("a ranked item is a record or an episode")

    @property
    def text(self) -> str:
        """The whole text of the record or episode."""
        return self.record.text if self.record is not None else self.episode.text if self.episode is not None else ""
