"""Relations that the words of two statements tell, whatever a reader finds.

Takes: a statement and a memory with what a reader found of the two. Gives: the relation that holds. Never: reads
vectors, or retires a memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.extraction.momentary_words import is_bare_phrase
from dopejar.pipelines.ingest.integrity.choices import chooses_again, refuses_choice, refuses_value
from dopejar.pipelines.ingest.integrity.exceptions import forbid_apart, is_exception
from dopejar.pipelines.ingest.integrity.rule_endings import ENDED, ends_rule, tells_rule_ended
from dopejar.pipelines.ingest.keys.value_families import values_named
from dopejar.pipelines.ingest.related_records import RelatedRecord, RelatedSearch
from dopejar.values.record import DIRECTING, Draft
from dopejar.values.statement import Relation

_ENDS: Final = (Relation.UPDATE, Relation.END)
_DISAGREE: Final = (*_ENDS, Relation.CONTRADICTION)
_ACTING: Final = (Relation.SAME, *_DISAGREE)
_ONE_MATTER: Final = 0.7  # probability of acting on a memory from which words that name its value are about that
_SEVERAL: Final = 2  # tools of which a statement would be lost


def as_worded(draft: Draft, about: RelatedRecord, related: RelatedSearch) -> RelatedRecord:
    """What the later of the two does to the earlier one, where their words tell it whatever a reader finds.

    An exception stands beside its rule; a choice takes the place of the one that it refuses, and of no other.
    """
    relation, record = about.related.relation, about.record
    earlier, later = (draft.text, record.text) if about.first else (record.text, draft.text)
    rule = draft.kind if about.first else record.kind
    if rule in DIRECTING and ends_rule(earlier, later):
        relation, reason = Relation.END, ENDED
    elif relation in _ACTING and tells_rule_ended(later) and relation is not Relation.END:
        relation, reason = Relation.APART, "another rule is over"
    elif rule in DIRECTING and relation in _DISAGREE and forbid_apart(earlier, later):
        relation, reason = Relation.ADDITION, "forbids something else"
    elif rule in DIRECTING and is_exception(earlier, later):
        if relation not in _DISAGREE:
            return about
        relation, reason = Relation.APART, "an exception stands beside its rule"
    elif relation in _ENDS and _changes_a_part(earlier, later):
        relation, reason = Relation.ADDITION, "changes a part of it"
    elif relation in _ACTING and chooses_again(earlier, later):
        relation, reason = Relation.ADDITION, "chooses the same, instead of something else"
    elif relation in _DISAGREE and is_bare_phrase(later):
        relation, reason = Relation.APART, "says of nothing what it is"
    elif relation is not Relation.UPDATE and refuses_choice(earlier, later) and related.read(later).believed:
        relation, reason = Relation.UPDATE, "refuses what was chosen"
    elif _may_disagree(about) and refuses_value(earlier, later) and related.read(later).believed:
        relation, reason = Relation.UPDATE, "names the value that it replaces"
    else:
        return about
    return replace(about, related=replace(about.related, relation=relation, reason=reason))


def _may_disagree(about: RelatedRecord) -> bool:
    """Whether a reader finds the two rather about one matter, and no sure update or end."""
    return about.related.relation not in _ENDS and about.related.share(*_ACTING) >= _ONE_MATTER


def _changes_a_part(earlier: str, later: str) -> bool:
    """Whether the earlier one names several tools, and the later one few of these: "Node 22 now" of a whole stack.

    What it says of the others would be lost with it.
    """
    named = {member.family for member in values_named(earlier)}
    return len(named - {member.family for member in values_named(later)}) >= _SEVERAL
