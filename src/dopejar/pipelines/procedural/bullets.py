"""Bullets: the typed view of records that hold know-how.

Takes: records of kind bullet. Gives: a typed view, scores, and which changes are due. Never: reads, writes or decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from dopejar.errors import InputError
from dopejar.memory.derivation import CONFLICT_TAG, MERGED_INTO, PROVEN_HELPFUL, SUGGESTED_SIDE
from dopejar.pipelines.procedural.procedural_options import AUTO_ASSIGN, Thresholds
from dopejar.values.ids import ConversationId, EpisodeId, RecordId
from dopejar.values.record import Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Scope, Side

HELPFUL: Final = "helpful"
HARMFUL: Final = "harmful"
OUTCOMES: Final = (HELPFUL, HARMFUL)
HEMISPHERES: Final = (Side.LEFT, Side.RIGHT)

TYPE_ATTRIBUTE: Final = "bullet_type"
SOURCE_HEMISPHERE: Final = "source_hemisphere"
SUGGESTED_CONFIDENCE: Final = "suggested_confidence"
SUGGESTED_BECAUSE: Final = "suggested_because"
FLAGGED: Final = "flagged"
SOURCE_TRACE_ID: Final = "source_trace_id"
"""Names of the attributes that a bullet's record carries, beside `suggested_side`."""

PER_HELPFUL: Final = 0.05
PER_HARMFUL: Final = 0.1
PROVEN_CONVERSATIONS: Final = 2
SHARED_HELPFUL: Final = 3


class BulletType(StrEnum):
    """What a bullet is."""

    TOOL_RULE = "tool_rule"
    HEURISTIC = "heuristic"
    CHECKLIST = "checklist"
    PITFALL = "pitfall"
    TEMPLATE = "template"
    EXAMPLE = "example"
    PATTERN = "pattern"
    CONCEPT = "concept"
    QUESTION = "question"


class Priority(StrEnum):
    """How much a staged bullet needs a person."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


def bullet_type(name: str) -> BulletType:
    """The type with this name; raises InputError for any other."""
    try:
        return BulletType(name)
    except ValueError:
        raise InputError(f"{name!r} is no bullet type. The types are: {', '.join(BulletType)}.") from None


def hemisphere(name: str) -> Side:
    """`left` or `right`; raises InputError for anything else."""
    if name not in HEMISPHERES:
        raise InputError(f"{name!r} is no hemisphere; write left or right.")
    return Side(name)


def hemisphere_or_none(name: str) -> Side:
    """A side by its name, also an empty one; raises InputError for any other name."""
    try:
        return Side(name)
    except ValueError:
        raise InputError(f"{name!r} is no hemisphere; write left or right, or leave it out.") from None


def priority(name: str) -> Priority:
    """The review priority with this name; raises InputError for any other."""
    try:
        return Priority(name)
    except ValueError:
        raise InputError(f"{name!r} is no priority; write {', '.join(Priority)}.") from None


@dataclass(frozen=True, kw_only=True, slots=True)
class Bullet:
    """A record of kind bullet, under the names of procedural memory."""

    id: RecordId
    text: str
    side: Side
    bullet_type: BulletType
    tags: tuple[str, ...]
    status: Status
    scope: Scope
    confidence: float
    helpful_count: int
    harmful_count: int
    created_at: datetime
    last_used_at: datetime | None
    score: float
    trust: float = 1.0
    version: int = 1
    source_hemisphere: Side = Side.NONE
    source_trace_id: str = ""
    suggested_hemisphere: Side = Side.NONE
    classification_confidence: float = 0.0
    reasoning: str = ""
    is_flagged: bool = False
    review_priority: Priority = Priority.HIGH
    assigned_by: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_unproven(self) -> bool:
        """Whether it is still on trial."""
        return self.status is Status.QUARANTINED

    @property
    def has_conflict(self) -> bool:
        """Whether it is flagged as contradicting another bullet."""
        return CONFLICT_TAG in self.tags

    @property
    def review_rank(self) -> tuple[bool, int, datetime]:
        """The order of review: contradictions first, then by priority, then the oldest."""
        return not self.has_conflict, -list(Priority).index(self.review_priority), self.created_at

    @classmethod
    def of(cls, record: Record, *, thresholds: Thresholds | None = None) -> Self:
        """The view of a record. Raises InputError where it is of another kind."""
        if record.kind is not Kind.BULLET:
            raise InputError(f"{record.id} is a {record.kind}, no bullet. `dopejar bullets list` lists bullets.")
        attributes = record.attributes
        suggested_confidence = _number(attributes.get(SUGGESTED_CONFIDENCE, ""))
        return cls(
            id=record.id,
            text=record.text,
            side=record.side,
            bullet_type=_known_type(attributes.get(TYPE_ATTRIBUTE, "")),
            tags=record.tags,
            status=record.status,
            scope=record.scope,
            confidence=record.confidence,
            helpful_count=record.helpful_count,
            harmful_count=record.harmful_count,
            created_at=record.created_at,
            last_used_at=record.last_accessed_at,
            score=score(record),
            trust=record.trust,
            version=record.version,
            source_hemisphere=_known_side(attributes.get(SOURCE_HEMISPHERE, "")),
            source_trace_id=attributes.get(SOURCE_TRACE_ID, ""),
            suggested_hemisphere=_known_side(attributes.get(SUGGESTED_SIDE, "")),
            classification_confidence=suggested_confidence,
            reasoning=attributes.get(SUGGESTED_BECAUSE, ""),
            is_flagged=bool(attributes.get(FLAGGED, "")),
            review_priority=review_priority(suggested_confidence, thresholds or Thresholds()),
            assigned_by=record.approved_by,
            metadata=attributes,
        )


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0


def _known_type(name: str) -> BulletType:
    return BulletType(name) if name in set(BulletType) else BulletType.HEURISTIC


def _known_side(name: str) -> Side:
    return Side(name) if name in set(Side) else Side.NONE


def review_priority(confidence: float, thresholds: Thresholds) -> Priority:
    """High below the threshold of manual review, medium below that of automatic assignment, low from there on."""
    if confidence >= thresholds.auto_assign:
        return Priority.LOW
    return Priority.MEDIUM if confidence >= thresholds.manual_review else Priority.HIGH


def score(record: Record) -> float:
    """Confidence + .05 for each helpful outcome - .1 for each harmful one."""
    raw = record.confidence + PER_HELPFUL * record.helpful_count - PER_HARMFUL * record.harmful_count
    return round(raw, 6)


def is_alive(record: Record) -> bool:
    """Whether a bullet is in use or staged, and was not merged into another one."""
    return record.status in (Status.STAGED, Status.QUARANTINED, Status.ACTIVE) and MERGED_INTO not in record.attributes


def is_proven(record: Record, evidence: Iterable[Evidence], conversations: Mapping[EpisodeId, ConversationId]) -> bool:
    """Whether a bullet on trial is due to become active: helpful twice, in two conversations, and never harmful."""
    helpful_in = {
        conversations[row.episode_id]
        for row in evidence
        if row.role is EvidenceRole.OUTCOME and row.wording == HELPFUL and row.episode_id in conversations
    }
    return (
        record.status is Status.QUARANTINED
        and CONFLICT_TAG not in record.tags
        and record.helpful_count >= PROVEN_HELPFUL
        and record.harmful_count == 0
        and len(helpful_in) >= PROVEN_CONVERSATIONS
    )


def lacks_for_sharing(record: Record, *, is_cross_confirmed: bool) -> tuple[str, ...]:
    """What a bullet still lacks to be shared by both hemispheres; empty where it may be shared."""
    lacks = []
    if record.side not in HEMISPHERES:
        lacks.append("it is on neither hemisphere")
    if record.status is not Status.ACTIVE:
        lacks.append(f"it is {record.status}, not active")
    if record.helpful_count < SHARED_HELPFUL:
        lacks.append(f"it helped {record.helpful_count} times, and must have helped {SHARED_HELPFUL} times")
    if record.harmful_count:
        lacks.append(f"it did harm {record.harmful_count} times")
    if CONFLICT_TAG in record.tags:
        lacks.append("another bullet contradicts it")
    if not is_cross_confirmed:
        lacks.append("nothing confirms it on the other hemisphere")
    return tuple(lacks)


@dataclass(frozen=True, kw_only=True, slots=True)
class AssignmentReport:
    """How many automatic assignments a person overturned later, and the threshold that would have avoided it."""

    assigned: int
    overturned: int
    suggested_threshold: float

    @property
    def share(self) -> float:
        """The fraction that was overturned, from 0 to 1."""
        return self.overturned / self.assigned if self.assigned else 0.0


def report_assignments(chosen: Iterable[tuple[float, bool]], threshold: float = AUTO_ASSIGN) -> AssignmentReport:
    """The report over (confidence, was overturned) of each automatic assignment.

    The suggested threshold is the least confidence, in steps of .01 from the present one on, above which the accuracy
    is at least that confidence; the present one where it was accurate enough, or nothing was assigned yet.
    """
    rows = sorted(chosen)
    suggested = threshold
    for step in range(round(threshold * 100), 101):
        suggested = step / 100
        above = [was_overturned for confidence, was_overturned in rows if confidence >= suggested]
        if not above or 1 - sum(above) / len(above) >= suggested:
            break
    return AssignmentReport(
        assigned=len(rows),
        overturned=sum(was_overturned for _, was_overturned in rows),
        suggested_threshold=max(suggested, threshold),
    )
