"""Evidence in context: the turns around each span that a record or a proposal rests on.

Takes: a view, and evidence with its episodes. Gives: passages. Never: reads a whole conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.ports.store import ReadView
    from dopejar.values.episode import Conversation, Episode
    from dopejar.values.record import Evidence

_CONTEXT_TURNS: Final = 2  # before and after
_MOST_PASSAGES: Final = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidencePassage:
    """Consecutive turns of one conversation, with the evidence in them by episode id."""

    conversation: Conversation | None
    turns: tuple[Episode, ...]
    spans: dict[str, list[Evidence]]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Outcomes of the turns that hold evidence."""
        return tuple(dict.fromkeys(turn.outcome for turn in self.turns if turn.outcome and turn.id in self.spans))


def evidence_passages(
    view: ReadView, evidence: Sequence[tuple[Evidence, Episode | None]]
) -> tuple[EvidencePassage, ...]:
    """The turns around the evidence, one passage for each stretch of a conversation; at most six."""
    passages: list[EvidencePassage] = []
    for span, turn in evidence:
        if turn is None:
            continue
        place = next((place for place, passage in enumerate(passages) if _is_adjacent(passage, turn)), None)
        if place is None:
            if len(passages) == _MOST_PASSAGES:
                break
            passages.append(EvidencePassage(conversation=view.conversation(turn.conversation), turns=(), spans={}))
            place = len(passages) - 1
        context = view.turns(turn.conversation, max(0, turn.index - _CONTEXT_TURNS), turn.index + _CONTEXT_TURNS)
        passages[place] = _extended(passages[place], context or (turn,))
        passages[place].spans.setdefault(turn.id, []).append(span)
    return tuple(passages)


def _is_adjacent(passage: EvidencePassage, turn: Episode) -> bool:
    """Whether the context of this turn meets the turns of a passage."""
    first, last = passage.turns[0], passage.turns[-1]
    is_close = first.index - _CONTEXT_TURNS - 1 <= turn.index <= last.index + _CONTEXT_TURNS + 1
    return turn.conversation == first.conversation and is_close


def _extended(passage: EvidencePassage, context: Sequence[Episode]) -> EvidencePassage:
    turns = {turn.id: turn for turn in (*passage.turns, *context)}
    return replace(passage, turns=tuple(sorted(turns.values(), key=lambda turn: turn.index)))
