"""The rules that a question asks for as such: "what are my rules?", "which conventions does this project have?".

Takes: a question, a filter and a snapshot. Gives: the ids of the rules in force. Never: judges which of them apply to
a task; those that do come by their words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.question import word_list
from dopejar.text.words import stem
from dopejar.values.recall import RecordFilter
from dopejar.values.record import DIRECTING, Kind

if TYPE_CHECKING:
    from dopejar.pipelines.recall.question import Question
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import SearchFilter

_KINDS: Final = (Kind.RULE, Kind.CORRECTION)
_MOST_READ: Final = 200  # preferences of the user's own life are among them
_MOST_FOUND: Final = 40
_MOST_TERMS: Final = 4  # a longer question asks for one of them
_OF_THIS_PLACE: Final = re.compile(
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
    """The ids of the rules in force that may be read, and of what else directs work and was approved, newest first."""
    kinds = tuple(kind for kind in DIRECTING if not where.kinds or kind in where.kinds)
    if not kinds:
        return ()
    readable = replace(RecordFilter.readable(where.read_scope), kinds=kinds)
    found = view.list_records(readable, _MOST_READ)
    return tuple(str(record.id) for record in found if record.kind in _KINDS or record.approved_by)[:_MOST_FOUND]
