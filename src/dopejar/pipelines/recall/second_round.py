"""A second look-up, for a question that describes whom or what another statement is about by its name.

Takes: the first ranking of a question, a snapshot, and a function that ranks another text. Gives: the items, what
answers by the name first and then the statement that tells it. Never: looks again where the first ranking answers, or
adds what was not read and found to answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.text.words import query_terms
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from dopejar.pipelines.recall.ranking import Ranking
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import SearchFilter
    from dopejar.values.record import Record

_LONGEST: Final = 200  # characters of a question that describes one thing by another
_MOST_READ: Final = 20
_ANSWERED: Final = 3.0  # log odds, from which the first ranking answers
_ANSWERS: Final = 1.0  # log odds, from which an item of the second does, where none of the first is surer


def with_second_round(
    ranking: Ranking, where: SearchFilter, view: ReadView, rank_again: Callable[[str], Ranking]
) -> Sequence[RankedItem]:
    """The items, behind what answers the question with the names that other statements tell, and these."""
    items, question = ranking.items, ranking.question
    best = max((item.odds for item in items if item.odds is not None), default=None)
    is_unread = best is None and bool(items)
    if not question.is_asking or len(question.text) > _LONGEST or is_unread or (best or 0.0) >= _ANSWERED:
        return items
    from dopejar.pipelines.recall.resolved_question import resolved  # its expressions cost a short process much

    def look(text: str) -> Iterable[Record]:
        hits = [hit.id for hit in view.lexical(tuple(query_terms(text)), where, _MOST_READ)]
        return view.load_records(hits, where).values()

    found = resolved(question.text, look)
    if found is None:
        return items
    named = frozenset(query_terms(found.names[-1]))
    least = max(_ANSWERS, best if best is not None else _ANSWERS)
    answering = [
        item
        for item in rank_again(found.text).items
        if (item.answer or 0.0) >= least and named <= text_terms(item.text) and item.record not in found.records
    ]
    if not answering:
        return items
    score = answering[0].score
    telling = [
        RankedItem(source=Source.RECORD, score=score, record=record, reasons=("tells whom the question describes",))
        for record in found.records
    ]
    known = {item.id for item in (*answering, *telling)}
    rest = [item for item in items if item.id not in known and not _only_tells(item, known)]
    return [*answering, *telling, *rest]


def _only_tells(item: RankedItem, known: Set[str]) -> bool:
    """Whether a turn has no other statements than those of known records."""
    told = {one.current.id if one.current else "" for one in item.statements}
    return item.episode is not None and bool(told) and told <= known
