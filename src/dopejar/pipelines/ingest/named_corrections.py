"""Memories that a later statement takes back by name, or a value of them: "the Lunds pay 520, not 500".

Takes: a draft, its words, what is stored. Gives: the memory with the new value, and its move on its chain. Never: one
of two memories that may be meant, a rule, or a value that no longer holds.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from dopejar.pipelines.ingest.chain_decision import Known, Resolved, resolve_as_corrected
from dopejar.pipelines.ingest.extraction.named_values import named_value, stated_instead, with_value
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.values.record import DIRECTING, Draft, Kind, Record, Status

_RULES = frozenset({Kind.RULE, Kind.CORRECTION, Kind.DECISION})


def resolve_as_named(
    draft: Draft, at: datetime, words: str, known: Known, related: RelatedSearch, *, is_of_now: bool = True
) -> Resolved | None:
    """The only memory near the draft that its words take back, or a value of it, said anew; None without such a one.

    What else a memory says beside that value stays in force, and so does the day from which it holds.
    """
    is_whole = bool(stated_instead(draft.text, draft.text))
    correction = None if is_whole or draft.kind in DIRECTING else named_value(words)
    if not is_of_now and not (correction and correction.is_all):  # what somebody said is past, what it is, is not
        return None
    if correction is None and not is_whole:
        return None
    fixed = _RULES if is_whole else DIRECTING
    sought = replace(draft, text=correction.old.text) if correction and correction.is_all else draft
    near = related.near(sought, known.pending(draft.namespace, draft.scope, draft.side))
    changed = [
        (one, text)
        for one in map(known.current_version, near)
        if one.kind not in fixed
        and _lasts(one)
        and (text := with_value(one.text, correction) if correction else stated_instead(one.text, draft.text))
    ]
    if len(changed) != 1:
        return None
    ((record, text),) = changed
    at = max(at, record.valid_from + timedelta(microseconds=1))  # it may hold only from a day to come
    said = replace(draft, text=text, kind=record.kind, layer=record.layer, sublayer=record.sublayer, tags=record.tags)
    return resolve_as_corrected(replace(said, valid_from=at), at, record.text, known)


def _lasts(record: Record) -> bool:
    return record.status is Status.ACTIVE and record.valid_to is None and not record.temporary
