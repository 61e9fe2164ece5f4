"""The rules of the work that a prompt asks for: those on writing where something is to be written, on code, on commits.

Takes: the items that answer a prompt, and a snapshot. Gives: the same with the approved rules on that kind of work,
though they share no word with the prompt. Never: a rule that nobody approved, or one in place of the best answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.kinds_of_work import names_text, work_of_rule, work_of_task
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.text.code_languages import code_languages
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.tokens import count_tokens
from dopejar.text.words import is_frequent, stem
from dopejar.values.dates import MONTH_NAMES
from dopejar.values.recall import RecordFilter, Source
from dopejar.values.record import DIRECTING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dopejar.pipelines.recall.question import Question
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import Query

_MOST_READ: Final = 200
_MOST_ADDED: Final = 10
_SHARE: Final = 4  # this part of the budget, and of the places, is for them before further answers
_CITED: Final = 20  # tokens that tell who said a rule, and when
_WHOSE: Final = lazy_pattern(
    r"\b(?:[Tt]o|[Ff]or|[Ff]rom) (?:the )?(?P<to>[A-Z][a-z][\w&-]*)"
    r"|^(?P<who>[A-Z][a-z][\w&-]*)(?:['’]s| (?:wants?|likes?|prefers?|gets?|needs?|expects?|hates?))\b"
)

# written with a capital, and nobody's name
_NO_NAMES: Final = lazy_pattern(
    rf"(?:{MONTH_NAMES}|\w+day|english|german|french|spanish|british|american|code)", re.IGNORECASE
)


def with_work_rules(
    items: Sequence[RankedItem], query: Query, question: Question, view: ReadView, now: datetime
) -> Sequence[RankedItem]:
    """The items and the rules of the work: in their share of the budget behind the best answer, the others at the end.

    Those that share most words with the prompt come first, then those for every text, the newest first; those for
    somebody whom the prompt does not name come last.
    """
    kind = work_of_task(question)
    if not kind:
        return items
    rules = _rules(kind, items, query, question, view, now)
    found = {item.id for item in items}
    added = sum(rule.id not in found for rule in rules)
    first = _fitting(rules, query.budget // _SHARE)
    ahead = {item.id for item in (*items[:1], *rules[:first])}
    rest = [item for item in items[1:] if item.id not in ahead]
    rest = rest[: max(0, len(rest) - max(0, len(items) + added - query.limit))]
    known = {*ahead, *(item.id for item in rest)}
    before = [rule for rule in rules[:first] if items[:1] != [rule]]
    told = [*items[:1], *before, *rest, *(rule for rule in rules[first:] if rule.id not in known)]
    return sorted(told, key=lambda item: _is_for_another(item, question))


def _rules(
    kind: str, items: Sequence[RankedItem], query: Query, question: Question, view: ReadView, now: datetime
) -> list[RankedItem]:
    """The best rules on this kind of work; those that name a language where that is the prompt's or the project's."""
    spoken = {scope.name for scope in query.read_scope.scopes if scope.kind == "language"}.union(
        code_languages(query.text)
    )
    scopes = () if query.read_scope.all_projects else query.read_scope.scopes
    where = RecordFilter(kinds=DIRECTING, scopes=scopes, namespace=query.read_scope.namespace, holds_at=now)
    ranked = {item.id: item for item in items}
    rules = [
        ranked.get(record.id)
        or RankedItem(source=Source.RECORD, score=0.0, record=record, reasons=(f"a rule on {kind}",))
        for record in view.list_records(where, _MOST_READ)
        if record.approved_by and record.scope.kind != "language" and work_of_rule(record.text) == kind
        if not (own := code_languages(record.text)) or not spoken.isdisjoint(own)
    ]
    terms = frozenset(question.terms)
    rules.sort(
        key=lambda rule: (
            _is_for_another(rule, question),
            -len(text_terms(rule.text) & terms),
            names_text(rule.text),
        )
    )
    return rules[: min(_MOST_ADDED, max(1, query.limit // _SHARE))]


def _is_for_another(item: RankedItem, question: Question) -> bool:
    """Whether it is a rule for somebody whom the prompt does not name: "Emails to Novatek are formal"."""
    if item.record is None or item.record.kind not in DIRECTING:
        return False
    names = (found["to"] or found["who"] for found in _WHOSE.finditer(item.text))
    whose = {fold(one) for one in names if not (is_frequent(stem(fold(one))) or _NO_NAMES.fullmatch(one))}
    return bool(whose) and whose.isdisjoint(question.words)


def _fitting(rules: Sequence[RankedItem], budget: int) -> int:
    """How many of the rules fit the budget; the first one is tried in any case."""
    used = 0
    for count, rule in enumerate(rules):
        used += count_tokens(rule.text) + _CITED
        if used > budget:
            return max(1, count)
    return len(rules)
