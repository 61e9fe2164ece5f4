"""The items that are relevant to a question: the best are read, and the floors decide whether there is an answer.

Takes: ranked items of a question. Gives: those that are relevant, in their order, and by what they were judged. Never:
ranks, but by how surely what was read answers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dopejar.pipelines.recall.answer_floor import (
    Floor,
    Nearness,
    finds_unread,
    floor_of,
    is_acknowledgement,
    relevant,
    signals_of,
)
from dopejar.pipelines.recall.answer_odds import is_denied, is_read, with_answers
from dopejar.pipelines.recall.asked_things import answering
from dopejar.pipelines.recall.key_names import spelled_alike
from dopejar.pipelines.recall.prompt_terms import bearing_on, concerning, met_by_rare_terms, not_denied
from dopejar.pipelines.recall.question import as_of_now
from dopejar.pipelines.recall.standing_rules import asks_for_rules
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.language.identifiers import Thing
    from dopejar.pipelines.recall.answer_odds import Answers
    from dopejar.pipelines.recall.candidates import Candidates
    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.embedder import EmbedderIdentity
    from dopejar.values.recall import Query


class Relevant(NamedTuple):
    """The relevant items, the signals of all that were judged and of the records among them, the floor, and all ids."""

    items: list[RankedItem]
    signals: Nearness
    told: Nearness
    floor: Floor
    compared: frozenset[str]


def relevant_items(
    query: Query,
    question: Question,
    items: Sequence[RankedItem],
    candidates: Candidates,
    speakers: frozenset[str],
    asked: frozenset[Thing] = frozenset(),
    *,
    embedder: EmbedderIdentity | None,
    answers: Answers | None,
    floor: Floor | None,
) -> Relevant:
    """What is relevant of the ranked items. Without the `embedder` of the vectors that were compared nothing is read.

    `asked` are the things that the question tells from others; `floor` stands in for the packaged one.
    """
    asks, rules = not is_acknowledgement(query.text), _rules_asked_for(question, items, candidates)
    reads = asks and not rules and embedder is not None
    ranked = rules or with_answers(as_of_now(query.text), question, items, answers if reads else None)
    floor = floor or floor_of(embedder, is_read=is_read(ranked))
    cosines, linked, own = candidates.cosines, candidates.linked_ids, candidates.own
    signals = signals_of(question, ranked, speakers, cosines.values())
    compared = frozenset(str(item.id) for item in ranked)
    records = [item for item in ranked if item.record is not None]
    of_records = [cosine for (source, _), cosine in cosines.items() if source is Source.RECORD]
    is_all = len(records) == len(ranked) and len(of_records) == len(cosines) and not speakers
    told = signals if is_all else signals_of(question, records, frozenset(), of_records)
    in_project, met = query.read_scope.is_in_project, frozenset[str]()
    if query.unasked or question.is_task:
        bearing = bearing_on if query.unasked else concerning
        ranked = bearing(ranked, question, led=own | linked, in_project=in_project)
        met = met_by_rare_terms(question, ranked, in_project=in_project)
    unread = partial(finds_unread, question, ranked, floor_of(embedder), speakers, cosines.values())
    denied = is_denied(ranked)
    spelled = spelled_alike(question, ranked) if embedder is not None and embedder.lexical else frozenset()
    found = rules or relevant(
        question, ranked, floor, signals, linked=linked, own=own | spelled, met=met, otherwise=unread, denied=denied
    )
    found = answering(found, asked, own | linked | met) if asked and not rules else found
    found = found or not_denied(question, ranked)
    return Relevant(found if asks else [], signals, told, floor, compared)


def _rules_asked_for(question: Question, items: Sequence[RankedItem], candidates: Candidates) -> list[RankedItem]:
    """The rules themselves, where they are asked for as such: they are the whole answer."""
    if not (candidates.own and asks_for_rules(question)):
        return []
    return [item for item in items if item.record is not None and item.id in candidates.own]
