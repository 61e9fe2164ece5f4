"""What a record's evidence makes of it.

Takes: a record and its evidence. Gives: the record as the evidence supports it. Never: reads or writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalise import content_hash
from dopejar.values.ids import RecordId
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Side

EDITED_BY = "edited_by"  # attribute: a reviewer chose the words, so evidence no longer changes them
MERGED_INTO = "merged_into"  # attribute: the record lives on in another one
PROVEN_HELPFUL = 2  # outcomes that prove a bullet, where none tells of harm
SHARED_CONFIDENCE = 0.8  # the least of a copy on the shared side: it was proven before it was shared
SUGGESTED_SIDE = "suggested_side"  # attribute: the side that suits a staged bullet, by the classifier
CONFLICT_TAG = "conflict"  # tag: a bullet that another one contradicts
_TAKEN_BACK = {
    EvidenceRole.ASSERTS: EvidenceRole.WITHDRAWN,
    EvidenceRole.OUTCOME: EvidenceRole.OUTCOME_WITHDRAWN,
}
_GIVEN_AGAIN = {after: before for before, after in _TAKEN_BACK.items()}
_CLASS = {EvidenceRole.CONTEXT: 1, EvidenceRole.OUTCOME: 2, EvidenceRole.OUTCOME_WITHDRAWN: 2}


def evidence_order(evidence: Evidence) -> tuple[datetime, str, int]:
    """The one order of evidence: by time, then by place, so that import order never matters."""
    return (evidence.at, evidence.episode_id, evidence.start)


def withdraw(evidence: Evidence) -> Evidence:
    """The evidence as an undo leaves it: it counts for nothing, and history shows it."""
    return replace(evidence, role=_TAKEN_BACK.get(evidence.role, evidence.role))


def reinstate(evidence: Evidence) -> Evidence:
    """The evidence as it was before an undo took it back."""
    return replace(evidence, role=_GIVEN_AGAIN.get(evidence.role, evidence.role))


def assertions(evidence: Iterable[Evidence]) -> list[Evidence]:
    """What asserts, oldest first, weak and strong."""
    return sorted((one for one in evidence if one.role is EvidenceRole.ASSERTS), key=evidence_order)


def strongest_assertions(evidence: Iterable[Evidence]) -> list[Evidence]:
    """What asserts with the strongest trust, oldest first. Weaker repeats only accompany it."""
    rows = assertions(evidence)
    best = max((one.trust for one in rows), default=0.0)
    return [one for one in rows if one.trust == best]


def last_repeated_at(evidence: Iterable[Evidence]) -> datetime | None:
    """When it was last said again, None where one episode alone says it; uses are counted beside it."""
    rows = assertions(evidence)
    return rows[-1].at if any(one.episode_id != rows[0].episode_id for one in rows) else None


def count_outcomes(evidence: Iterable[Evidence]) -> tuple[int, int]:
    """How many episodes tell that using the record helped, and how many that it did harm."""
    told = {(one.wording, one.episode_id) for one in evidence if one.role is EvidenceRole.OUTCOME}
    return sum(word == "helpful" for word, _ in told), sum(word == "harmful" for word, _ in told)


def with_outcome_counts(record: Record, evidence: Iterable[Evidence]) -> Record:
    """The record with its counters as its outcomes support them."""
    helpful, harmful = count_outcomes(evidence)
    if (helpful, harmful) == (record.helpful_count, record.harmful_count):
        return record
    return replace(record, helpful_count=helpful, harmful_count=harmful)


def demote_if_harmful(record: Record) -> Record:
    """The record; an active bullet that did more harm than good, or that another one contradicts, is on trial again."""
    is_bad = record.harmful_count > record.helpful_count or CONFLICT_TAG in record.tags
    if record.kind is Kind.BULLET and record.status is Status.ACTIVE and is_bad:
        return replace(record, status=step(record.status, Event.DEMOTE))
    return record


def restore_to_trial(record: Record) -> Record:
    """The record as it may come back: a bullet that was not proven is on trial again, one without a side waits."""
    if record.kind is not Kind.BULLET or record.status is not Status.ACTIVE or record.side is Side.SHARED:
        return record
    if record.side not in (Side.LEFT, Side.RIGHT):
        return replace(record, status=step(record.status, Event.RECONSIDER), approved_by="")
    is_proven = record.helpful_count >= PROVEN_HELPFUL and not record.harmful_count
    return record if is_proven else replace(record, status=step(record.status, Event.DEMOTE))


def derive(record: Record, evidence: Sequence[Evidence]) -> Record:
    """The record with text, trust, confidence, certainty, beginning and counts as its evidence supports them.

    Words are those of the earliest statement of the strongest origin, unless a reviewer chose them. A record whose
    evidence is all withdrawn stays as it is: it is about to be retracted, and history shows it.
    """
    record = with_outcome_counts(record, evidence)
    rows = strongest_assertions(evidence)
    if not rows:
        return record
    floor = SHARED_CONFIDENCE if record.side is Side.SHARED else 0.0
    text = record.text if EDITED_BY in record.attributes else rows[0].wording
    return replace(
        record,
        text=text,
        content_hash=record.content_hash if text == record.text and record.content_hash else content_hash(text),
        trust=rows[0].trust,
        confidence=max(floor, *(one.confidence for one in rows)),
        certainty=max(one.certainty for one in rows),
        valid_from=rows[0].at,
        access_count=len({one.episode_id for one in assertions(evidence)}),
        last_accessed_at=last_repeated_at(evidence),
    )


def create_record(
    record_id: RecordId, draft: Draft, evidence: Sequence[Evidence], *, status: Status, now: datetime, made_by: str
) -> Record:
    """The first version of a record. Raises ValueError where nothing asserts it."""
    rows = assertions(evidence)
    if not rows:
        raise ValueError("A record without evidence is a defect: give at least one span that asserts it.")
    record = Record(
        id=record_id,
        kind=draft.kind,
        text=draft.text,
        key=draft.key,
        slot=draft.slot,
        value=draft.value,
        layer=draft.layer,
        sublayer=draft.sublayer,
        namespace=draft.namespace,
        scope=draft.scope,
        side=draft.side,
        status=status,
        confidence=draft.confidence,
        certainty=draft.certainty,
        trust=rows[0].trust,
        tags=draft.tags,
        pinned=draft.pinned,
        created_at=now,
        valid_from=draft.valid_from or rows[0].at,
        valid_to=draft.valid_to,
        temporary=draft.temporary,
        content_hash="",
        version=0,
        made_by=made_by,
        attributes=draft.attributes,
    )
    return derive(record, evidence)


def merge_evidence(old: Sequence[Evidence], new: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Old evidence and those new spans of it that are not there yet, also not as withdrawn ones.

    One episode counts once as what asserts, once as context and once as an outcome: the same episode read again,
    whatever the span, changes nothing. Where one reading finds a thing asserted at several places, it rests on each.
    """
    seen: dict[tuple[str, int], list[Evidence]] = {}
    for one in old:
        seen.setdefault((one.episode_id, _CLASS.get(one.role, 0)), []).append(one)
    fresh = [one for one in new if _is_another_place(one, seen.get((one.episode_id, _CLASS.get(one.role, 0)), ()))]
    return tuple(sorted([*old, *fresh], key=evidence_order)) if fresh else tuple(old)


def _is_another_place(one: Evidence, known: Sequence[Evidence]) -> bool:
    """Whether nothing of the episode is known, or the same act asserts it there as well in words of their own."""
    return not known or (
        one.role is EvidenceRole.ASSERTS
        and all(
            row.act_id == one.act_id and row.role is one.role and not row.start <= one.start < one.end <= row.end
            for row in known
        )
    )
