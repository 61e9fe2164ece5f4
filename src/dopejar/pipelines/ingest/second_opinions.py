"""What two readers of statements agree on, where a second one is asked.

Takes: a statement, the memories near it with what the first reader found of each. Gives: the same, held back where the
second finds otherwise. Never: acts upon what the second finds alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from dopejar.language.relations import held_back
from dopejar.pipelines.ingest.related_records import RelatedRecord, RelatedSearch
from dopejar.values.record import Draft
from dopejar.values.statement import Relation

_ACTS: Final = (Relation.SAME, Relation.UPDATE, Relation.END)


def as_both_read(
    draft: Draft, at: datetime, about: list[RelatedRecord], read: Sequence[RelatedRecord], related: RelatedSearch
) -> list[RelatedRecord]:
    """The records, held back where a second reader finds otherwise than the first; what words alone tell stands.

    Where the surest relation is acted upon, that one is asked about: it stands with all that goes with it, or nothing
    is acted upon in its place.
    """
    acting = [one for one in about if one.related.relation in (*_ACTS, Relation.CONTRADICTION)][:1]
    is_act = bool(acting) and acting[0].related.relation is not Relation.CONTRADICTION
    asked = [one.record for one in (acting if is_act else about) if one in read]
    opinions = related.second_opinions(draft.text, at, asked)
    held = [
        replace(one, related=held_back(one.related, opinions[one.record.id])) if one.record.id in opinions else one
        for one in about
    ]
    if held == about:
        return about
    related.log.extend(one for one in held if one not in about)
    return [_only_waiting(one) for one in held]


def _only_waiting(about: RelatedRecord) -> RelatedRecord:
    is_act = about.related.relation in _ACTS
    return replace(about, related=replace(about.related, relation=Relation.CONTRADICTION)) if is_act else about
