"""Relations that the words of two statements tell, whatever a reader finds.

Takes: a statement and a memory with what a reader found of the two. Gives: the relation that holds. Never: reads
vectors, or retires a memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dopejar.language.relations import may_change
from dopejar.pipelines.ingest.extraction.momentary_words import is_bare_phrase
from dopejar.pipelines.ingest.extraction.named_values import gives_up
from dopejar.pipelines.ingest.integrity.choices import chooses_again, refuses_choice, refuses_value
from dopejar.pipelines.ingest.integrity.exceptions import forbid_apart, is_exception
from dopejar.pipelines.ingest.integrity.rule_endings import ENDED, ends_rule, tells_rule_ended
from dopejar.pipelines.ingest.keys.value_families import values_named
from dopejar.pipelines.ingest.related_records import RelatedRecord, RelatedSearch
from dopejar.pipelines.ingest.rests import part_left
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
    record = about.record
    earlier, later = (draft.text, record.text) if about.first else (record.text, draft.text)
    rule = draft.kind if about.first else record.kind
    told = _told_of_rule(earlier, later, about) if rule in DIRECTING else None
    if told is None:
        told = _told(earlier, later, about, related)
    if told is None and rule not in DIRECTING and _changes_words(earlier, later, about, related):
        told = Relation.UPDATE, "changes words of it"
    if told is None or told[0] is about.related.relation:
        return about
    return replace(about, related=replace(about.related, relation=told[0], reason=told[1]))


def _told_of_rule(earlier: str, later: str, about: RelatedRecord) -> tuple[Relation, str] | None:
    relation = about.related.relation
    if ends_rule(earlier, later):
        return Relation.END, ENDED
    if relation in _DISAGREE and forbid_apart(earlier, later):
        return Relation.ADDITION, "forbids something else"
    if is_exception(earlier, later):
        return (Relation.APART, "an exception stands beside its rule") if relation in _DISAGREE else (relation, "")
    return None


def _told(earlier: str, later: str, about: RelatedRecord, related: RelatedSearch) -> tuple[Relation, str] | None:
    relation, found = about.related.relation, None
    if relation in _ACTING and tells_rule_ended(later) and relation is not Relation.END:
        found = Relation.APART, "another rule is over"
    elif relation in _ENDS and _changes_a_part(earlier, later, related):
        found = Relation.ADDITION, "changes a part of it"
    elif relation in _ACTING and chooses_again(earlier, later):
        found = Relation.ADDITION, "chooses the same, instead of something else"
    elif relation in _DISAGREE and is_bare_phrase(later):
        found = Relation.APART, "says of nothing what it is"
    elif relation is not Relation.UPDATE and refuses_choice(earlier, later) and related.read(later).believed:
        found = Relation.UPDATE, "refuses what was chosen"
    elif gives_up(earlier, later):
        found = Relation.UPDATE, "gives the plan up"
    elif _may_disagree(about) and refuses_value(earlier, later) and related.read(later).believed:
        found = Relation.UPDATE, "names the value that it replaces"
    return found


def _may_disagree(about: RelatedRecord) -> bool:
    """Whether a reader finds the two rather about one matter, and no sure update or end."""
    return about.related.relation not in _ENDS and about.related.share(*_ACTING) >= _ONE_MATTER


def _changes_a_part(earlier: str, later: str, related: RelatedSearch) -> bool:
    """Whether the earlier one names several tools, and the later one few of these: "Node 22 now" of a whole stack.

    What it says of the others would be lost with it, unless it is sure which words of it are left.
    """
    named = {member.family for member in values_named(earlier)}
    is_part = len(named - {member.family for member in values_named(later)}) >= _SEVERAL
    return is_part and not part_left(earlier, later, related.reader)


def _changes_words(earlier: str, later: str, about: RelatedRecord, related: RelatedSearch) -> bool:
    """Whether words of the earlier one surely go, where a reader is not sure what becomes of the whole."""
    if not related.reader.is_graded or earlier == later:
        return False
    if about.related.relation is Relation.CONTRADICTION:
        return related.reader.rests([(earlier, later)])[0] not in (None, earlier)
    return may_change(related.read(earlier), related.read(later), about.related) and bool(
        part_left(earlier, later, related.reader)
    )
