"""The rules that a question asks for as such: "what are my rules?", "which conventions does this project have?".

Takes: a question, a filter and a snapshot. Gives: the ids of the rules in force at the time asked about. Never: judges
which of them apply to a task; those that do come by their words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.question import word_list
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.words import stem
from dopejar.values.recall import RecordFilter
from dopejar.values.record import DIRECTING, Kind, Status

if TYPE_CHECKING:
    from dopejar.pipelines.recall.question import Question
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import SearchFilter

_KINDS: Final = (Kind.RULE, Kind.CORRECTION)
_MOST_READ: Final = 200  # preferences of the user's own life are among them
_MOST_FOUND: Final = 40
_MOST_LISTED: Final = 1000  # those that are no longer in force included
_MOST_TERMS: Final = 4  # a longer question asks for one of them
_OF_THIS_PLACE: Final = lazy_pattern(
    r"\b(?:this|the|our) (?:project|repo(?:sitory)?|code ?base|folder|directory|workspace)\b", re.IGNORECASE
)


def asks_for_rules(question: Question) -> bool:
    """Whether a question asks which rules there are: of the asker, of the project at hand, or of none in particular."""
    named = question.words & word_list("rules")
    if not named or len(question.terms) > _MOST_TERMS:
        return False
    if set(question.terms) <= set(map(stem, named | word_list("holding"))):
        return True  # "what rules hold here?", "show me the rules"
    return not question.is_request and (question.is_about_self or bool(_OF_THIS_PLACE.search(question.text)))


def standing_rules(where: SearchFilter, view: ReadView) -> tuple[str, ...]:
    """The ids of the rules that may be read and are in force, or were at the time asked about, newest first.

    What else directs work and was approved is among them.
    """
    kinds = tuple(kind for kind in DIRECTING if not where.kinds or kind in where.kinds)
    if not kinds:
        return ()
    is_of_now = where.valid_at is None and where.believed_seq is None
    statuses = (Status.ACTIVE,) if is_of_now else tuple(Status)
    readable = replace(RecordFilter.readable(where.read_scope, statuses), kinds=kinds)
    listed = view.list_records(readable, _MOST_READ if is_of_now else _MOST_LISTED)
    rules = [record.id for record in listed if record.kind in _KINDS or record.approved_by]
    return tuple(map(str, rules if is_of_now else view.load_records(rules, where)))[:_MOST_FOUND]
