"""Which turns are worth quoting: those near the best hit, and beside memories that answer, only what matches as well.

Takes: the ranked items of a question, and the statements of their turns. Gives: the same without quotations that are
far behind. Never: leaves out a record, or the best item.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.item_weights import only_asks
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.weights import weights
from dopejar.values.episode import EpisodeKind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dopejar.pipelines.recall.answer_floor import Floor, Nearness
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.pipelines.recall.turn_statements import TurnStatement
    from dopejar.values.episode import Episode
    from dopejar.values.ids import EpisodeId

    Statements = Mapping[EpisodeId, Sequence[TurnStatement]]

_TOLD: Final = 1.1  # coverage and cosine together, from which records answer
_TOLD_BY_WORDS: Final = 0.75  # the same without vectors
_ANSWERED: Final = 2.0  # log odds that a record answers, from which it does
_SPEAKERS: Final = frozenset({Origin.USER, Origin.OTHER, Origin.ASSISTANT})


def is_speech(turn: Episode) -> bool:
    """Whether somebody says something to somebody: no call of a tool, no output, no line of a program."""
    return turn.kind is EpisodeKind.TURN and turn.origin in _SPEAKERS


def is_found(floor: Floor, signals: Nearness) -> bool:
    """Whether a search of records alone finds something, by their signals; never where no floor was calibrated."""
    return 0 < floor.floor <= floor.relevance(signals)


def record_first(items: Sequence[RankedItem]) -> list[RankedItem]:
    """The items with the best record before all others, with at least their score."""
    first = next((item for item in items if item.record is not None), None)
    if first is None:
        return list(items)
    return [replace(first, score=items[0].score), *(item for item in items if item is not first)]


def worth_quoting(
    items: Sequence[RankedItem],
    statements: Statements,
    *,
    terms: frozenset[str],
    compared: frozenset[str],
    told: Nearness,
    files: frozenset[str] = frozenset(),
) -> list[RankedItem]:
    """The items without the quotations that are far behind the best one.

    What somebody said counts with what its neighbours add to it, unless the question is about `files` and it has none
    of the terms that name them: then it has to match by itself. Where records answer, whose signals are `told`, a
    quotation has to match by itself, or to have all `terms` of the question; and to lead to more than records that
    were `compared` and left out. Nothing is far behind a question asked before, which tells nothing.
    """
    if not items:
        return []
    first = max(items, key=lambda item: item.fused)
    is_told = told.answer > _ANSWERED or told.coverage + told.cosine >= (_TOLD if told.cosine else _TOLD_BY_WORDS)
    telling = [item.score for item in items if item.episode is None or not only_asks(item.text)]
    best, own = max(telling, default=0.0), weights().tail * first.fused
    left_out = compared.difference(str(item.id) for item in items)

    def is_worth(item: RankedItem) -> bool:
        if item.episode is None or item is first:
            return True
        if not is_told and is_speech(item.episode) and (not files or files & text_terms(item.text)):
            return item.score >= weights().near * best and item.fused >= _own_share(item.episode) * first.fused
        if not is_told:
            return item.fused >= own
        is_alike = item.fused >= own or terms <= text_terms(item.text)
        return is_alike and not _leads_to(left_out, _holding(item, statements))

    return [item for item in items if is_worth(item)]


def _own_share(turn: Episode) -> float:
    """A user's words may answer by what stands before them; an assistant's are then small talk."""
    return weights().of_assistant if turn.origin is Origin.ASSISTANT else 0.0


def _holding(item: RankedItem, statements: Statements) -> Iterator[str]:
    """The records that hold, of what a turn states."""
    stated = statements.get(item.episode.id, ()) if item.episode is not None else ()
    return (one.current.id for one in stated if one.current is not None)


def _leads_to(left_out: frozenset[str], holding: Iterator[str]) -> bool:
    found = frozenset(holding)
    return bool(found) and found <= left_out
