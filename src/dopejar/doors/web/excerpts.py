"""Excerpts: the words that a memory rests on with two lines around them, instead of whole turns.

Takes: passages of evidence. Gives: short lines, in pieces of which some are the evidence. Never: more lines or longer
ones than a page can show at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from dopejar.engine.queries.evidence_passages import EvidencePassage
    from dopejar.values.episode import Episode
    from dopejar.values.record import Evidence

_AROUND: Final = 2  # lines before and after
_LONGEST_LINE: Final = 160  # characters of a line around the evidence, and of a line on each side of it
_LONGEST_QUOTE: Final = 600
_MOST: Final = 2  # excerpts of one passage
_CUT: Final = "…"

Piece = tuple[str, bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExcerptLine:
    """A line of a turn; `pieces` are its words, each with whether they are evidence."""

    speaker: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Excerpt:
    """What one turn says, with the lines around it."""

    speaker: str
    at: datetime
    lines: tuple[ExcerptLine, ...]


def excerpts(passage: EvidencePassage) -> tuple[Excerpt, ...]:
    """The evidence of a passage, at most two turns, each with two lines before and after."""
    places = [place for place, turn in enumerate(passage.turns) if turn.id in passage.spans][:_MOST]
    return tuple(_excerpt(passage, place) for place in places)


def _excerpt(passage: EvidencePassage, place: int) -> Excerpt:
    turn = passage.turns[place]
    spans = sorted(passage.spans[turn.id], key=lambda span: span.start)
    start, end = max(0, spans[0].start), min(len(turn.text), spans[-1].end)
    head, tail = turn.text[:start], turn.text[end:]
    first, last = head.rfind("\n") + 1, end + (tail.find("\n") if "\n" in tail else len(tail))
    before = [_line(turn, text) for text in _lines(turn.text[: max(0, first - 1)])[-_AROUND:]]
    if not before and place:
        earlier = passage.turns[place - 1]
        before = [_line(earlier, text) for text in _lines(earlier.text)[-_AROUND:]]
    after = [_line(turn, text) for text in _lines(turn.text[last:])[:_AROUND]]
    said = ExcerptLine(speaker=_speaker(turn), pieces=tuple(_said(turn.text, first, last, spans)))
    return Excerpt(speaker=_speaker(turn), at=turn.at, lines=(*before, said, *after))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _line(turn: Episode, text: str) -> ExcerptLine:
    return ExcerptLine(speaker=_speaker(turn), pieces=((_shortened(text, _LONGEST_LINE), False),))


def _speaker(turn: Episode) -> str:
    return turn.speaker or turn.origin.value


def _said(text: str, first: int, last: int, spans: Sequence[Evidence]) -> Iterator[Piece]:
    """The line of the evidence: its words in full up to a limit, what stands before and after it cut."""
    place, room = first, _LONGEST_QUOTE
    for span in spans:
        start, end = max(place, span.start), min(len(text), span.end)
        if end <= start:
            continue
        between = text[place:start]
        yield (_shortened(between, _LONGEST_LINE, at_end=place == first), False)
        words = _shortened(text[start:end], room)
        room = max(0, room - len(words))
        yield (words, True)
        place = end
    yield (_shortened(text[place:last], _LONGEST_LINE), False)


def _shortened(text: str, most: int, *, at_end: bool = False) -> str:
    """At most so many characters, cut at a space: the beginning, or the end."""
    if len(text) <= most:
        return text
    if at_end:
        return f"{_CUT} {text[-most:].partition(' ')[2] or text[-most:]}"
    return f"{text[:most].rpartition(' ')[0] or text[:most]} {_CUT}"
