"""The rules of a situation: of the work that a prompt asks for, and of the languages that it, its files or tools name.

Takes: the items that answer a prompt, and a snapshot. Gives: the same with the approved rules of the work and of these
languages, though they share no word with it. Never: a rule that nobody approved, or one in place of the best answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.pipelines.recall.work_rules import with_work_rules
from dopejar.text.lexicons import guess_language, question_words
from dopejar.text.normalisation import fold
from dopejar.text.words import words
from dopejar.values.recall import RecordFilter, Source
from dopejar.values.record import DIRECTING
from dopejar.values.scope import EVERY_LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dopejar.pipelines.recall.question import Question
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import Query

_MOST_READ: Final = 200
_MOST_ADDED: Final = 10


def with_situation_rules(
    items: Sequence[RankedItem], query: Query, question: Question, view: ReadView, now: datetime
) -> Sequence[RankedItem]:
    """The items, the rules of the work, and those of the languages that the prompt is about, newest first.

    The first rule stands behind the best answer, so that it has room; the others behind all answers, in what is left.
    """
    if not query.limit:
        return items
    items = with_work_rules(items, query, question, view, now)
    if _asks_when(question):
        return items
    where = RecordFilter(kinds=DIRECTING, scopes=(EVERY_LANGUAGE,), namespace=query.read_scope.namespace, holds_at=now)
    approved = [record for record in view.list_records(where, _MOST_READ) if record.approved_by]
    if not approved:
        return items
    from dopejar.pipelines.corrections.proposals.scope_inference import languages_of  # most memories have no such rule

    named, known = languages_of(query.text), {item.id for item in items}
    rules = [
        RankedItem(source=Source.RECORD, score=0.0, record=record, reasons=(f"a rule of {record.scope.name}",))
        for record in approved
        if record.scope.name in named and record.id not in known
    ][: min(_MOST_ADDED, max(1, query.limit - len(items)))]
    return [*items[:1], *rules[:1], *items[1:], *rules[1:]]


def _asks_when(question: Question) -> bool:
    """Whether a question asks memory for a time or a number: it is no work to which rules apply."""
    first = words(fold(question.text))[:1]
    return question.wants_measure and not question_words(guess_language(question.text)).isdisjoint(first)
