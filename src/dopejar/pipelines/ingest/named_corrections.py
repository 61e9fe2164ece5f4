"""Memories whose value a later statement takes back by name: "the Lunds pay 520, not 500".

Takes: a draft, its words, what is stored. Gives: the memory with the new value, and its move on its chain. Never: one
of two memories that may be meant, a rule, or a value that no longer holds.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from dopejar.pipelines.ingest.chain_decision import Known, Resolved, resolve_as_corrected
from dopejar.pipelines.ingest.extraction.named_values import named_value, with_value
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.values.record import DIRECTING, Draft, Record, Status


def resolve_as_named(draft: Draft, at: datetime, words: str, known: Known, related: RelatedSearch) -> Resolved | None:
    """The only memory near the draft with the value that its words take back, said anew; None without such a one.

    What else that memory says stays in force, and so does the day from which it holds.
    """
    correction = named_value(words) if draft.kind not in DIRECTING else None
    if correction is None:
        return None
    near = related.near(draft, known.pending(draft.namespace, draft.scope, draft.side))
    changed = [
        (one, text)
        for one in map(known.current_version, near)
        if _may_change(one) and (text := with_value(one.text, correction))
    ]
    if len(changed) != 1:
        return None
    ((record, text),) = changed
    at = max(at, record.valid_from + timedelta(microseconds=1))  # it may hold only from a day to come
    said = replace(draft, text=text, kind=record.kind, layer=record.layer, sublayer=record.sublayer, tags=record.tags)
    return resolve_as_corrected(replace(said, valid_from=at), at, record.text, known)


def _may_change(record: Record) -> bool:
    lasts = record.status is Status.ACTIVE and record.valid_to is None and not record.temporary
    return lasts and record.kind not in DIRECTING
