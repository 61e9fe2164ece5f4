"""Derives the fields of a record from its evidence.

Takes: a record and its evidence. Gives: the record as the evidence supports it. Never: reads or writes a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalisation import content_hash
from dopejar.values.ids import RecordId
from dopejar.values.record import MIN_ASSERTIONS, Draft, Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Side

EDITED_BY = "edited_by"  # attribute: a reviewer chose the words, so evidence no longer changes them
MERGED_INTO = "merged_into"  # attribute: the record lives on in another one
JOINED_BY = "joined_by"  # attribute: the records whose statements brought this one into their chains
KEPT_BESIDE = "kept_beside"  # attribute: the records that a reviewer let it stand beside
SUGGESTED_SIDE = "suggested_side"  # attribute: the side that the classifier suggests for a staged bullet
CONFLICT_TAG = "conflict"  # tag: a bullet that another one contradicts
PROVEN_HELPFUL = 2  # helpful outcomes that prove a bullet, where none is harmful
SHARED_CONFIDENCE = 0.8  # least confidence of a copy on the shared side: it was proven before it was shared

_WITHDRAWN_ROLE = {
    EvidenceRole.ASSERTS: EvidenceRole.WITHDRAWN,
    EvidenceRole.OUTCOME: EvidenceRole.OUTCOME_WITHDRAWN,
}
_REINSTATED_ROLE = {withdrawn: role for role, withdrawn in _WITHDRAWN_ROLE.items()}
_ROLE_GROUP = {EvidenceRole.CONTEXT: 1, EvidenceRole.OUTCOME: 2, EvidenceRole.OUTCOME_WITHDRAWN: 2}


def evidence_order(row: Evidence) -> tuple[datetime, str, int]:
    """The sort key of evidence: time, then place, so that the order of import never matters."""
    return (row.at, row.episode_id, row.start)


def withdraw(row: Evidence) -> Evidence:
    """The evidence as an undo leaves it: it counts for nothing, and stays for history."""
    return replace(row, role=_WITHDRAWN_ROLE.get(row.role, row.role))


def reinstate(row: Evidence) -> Evidence:
    """The evidence as it was before an undo withdrew it."""
    return replace(row, role=_REINSTATED_ROLE.get(row.role, row.role))


def assertions(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The rows that assert the memory, of any trust, oldest first."""
    return sorted((row for row in evidence if row.role is EvidenceRole.ASSERTS), key=evidence_order)


def strongest_assertions(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The assertions of the highest trust, oldest first. Weaker repeats only accompany them."""
    rows = assertions(evidence)
    best = max((row.trust for row in rows), default=0.0)
    return [row for row in rows if row.trust == best]


def last_repeated_at(evidence: Iterable[Evidence]) -> datetime | None:
    """The time of the last assertion; None where a single episode asserts it. Uses are counted apart from it."""
    rows = assertions(evidence)
    return rows[-1].at if any(row.episode_id != rows[0].episode_id for row in rows) else None


def count_outcomes(evidence: Iterable[Evidence]) -> tuple[int, int]:
    """How many episodes report that using the record helped, and how many that it did harm."""
    outcomes = {(row.wording, row.episode_id) for row in evidence if row.role is EvidenceRole.OUTCOME}
    return sum(word == "helpful" for word, _ in outcomes), sum(word == "harmful" for word, _ in outcomes)


def apply_outcome_counts(record: Record, evidence: Iterable[Evidence]) -> Record:
    """The record with the counters that its outcomes support."""
    helpful, harmful = count_outcomes(evidence)
    if (helpful, harmful) == (record.helpful_count, record.harmful_count):
        return record
    return replace(record, helpful_count=helpful, harmful_count=harmful)


def demote_if_harmful(record: Record) -> Record:
    """The record; an active bullet that did more harm than good, or that another one contradicts, is quarantined."""
    is_bad = record.harmful_count > record.helpful_count or CONFLICT_TAG in record.tags
    if record.kind is Kind.BULLET and record.status is Status.ACTIVE and is_bad:
        return replace(record, status=step(record.status, Event.DEMOTE))
    return record


def restore_to_trial(record: Record) -> Record:
    """The record as it may come back: an unproven active bullet is quarantined; one without a side is staged."""
    if record.kind is not Kind.BULLET or record.status is not Status.ACTIVE or record.side is Side.SHARED:
        return record
    if record.side not in (Side.LEFT, Side.RIGHT):
        return replace(record, status=step(record.status, Event.RECONSIDER), approved_by="")
    is_proven = record.helpful_count >= PROVEN_HELPFUL and not record.harmful_count
    return record if is_proven else replace(record, status=step(record.status, Event.DEMOTE))


def derive(record: Record, evidence: Sequence[Evidence]) -> Record:
    """The record with text, trust, confidence, certainty, beginning and counts as its evidence supports them.

    The text is the earliest of the surest wordings of the strongest origin, unless a reviewer chose the words. A record
    whose evidence is all withdrawn stays as it is: it is about to be retracted, and history shows it.
    """
    record = apply_outcome_counts(record, evidence)
    rows = strongest_assertions(evidence)
    if not rows:
        return record
    least_confidence = SHARED_CONFIDENCE if record.side is Side.SHARED else 0.0
    surest = max(rows, key=lambda row: row.certainty)  # the first of equals
    text = record.text if EDITED_BY in record.attributes else surest.wording
    return replace(
        record,
        text=text,
        content_hash=record.content_hash if text == record.text and record.content_hash else content_hash(text),
        trust=rows[0].trust,
        confidence=max(least_confidence, *(row.confidence for row in rows)),
        certainty=surest.certainty,
        valid_from=rows[0].at,
        access_count=len({row.episode_id for row in assertions(evidence)}),
        last_accessed_at=last_repeated_at(evidence),
    )


def is_supported(record: Record, rows: Sequence[Evidence]) -> bool:
    """Whether enough episodes assert it: a staged record that had to be said twice needs two."""
    episodes = len({row.episode_id for row in assertions(rows)})
    needed = record.attributes.get(MIN_ASSERTIONS, "") if record.status is Status.STAGED else ""
    return episodes >= (int(needed) if needed.isdecimal() else 1)


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
    """The old evidence, and those new spans that are not in it yet, withdrawn ones included.

    One episode counts once as an assertion, once as context and once as an outcome: reading the same episode again,
    whatever the span, changes nothing. Where one act finds a statement asserted at several places, all of them count.
    """
    known: dict[tuple[str, int], list[Evidence]] = {}
    for row in old:
        known.setdefault((row.episode_id, _ROLE_GROUP.get(row.role, 0)), []).append(row)
    fresh = [row for row in new if _is_new_place(row, known.get((row.episode_id, _ROLE_GROUP.get(row.role, 0)), ()))]
    return tuple(sorted([*old, *fresh], key=evidence_order)) if fresh else tuple(old)


def _is_new_place(row: Evidence, known: Sequence[Evidence]) -> bool:
    """Whether nothing of the episode is known, or the same act asserts the memory there outside the known spans."""
    return not known or (
        row.role is EvidenceRole.ASSERTS
        and all(
            other.act_id == row.act_id
            and other.role is row.role
            and not other.start <= row.start < row.end <= other.end
            for other in known
        )
    )
