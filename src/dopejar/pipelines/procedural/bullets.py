"""Bullets: what an agent learned about how to work, seen as such.

Takes: records of kind bullet. Gives: a typed view, scores, and what is due. Never: reads, writes or decides.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from dopejar.errors import InputError
from dopejar.memory.derivation import CONFLICT_TAG, MERGED_INTO, PROVEN_HELPFUL, SUGGESTED_SIDE
from dopejar.pipelines.procedural.options import AUTO_ASSIGN, Thresholds
from dopejar.text.similar import similar
from dopejar.values.ids import ConversationId, EpisodeId, RecordId
from dopejar.values.record import Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Scope, Side

HELPFUL: Final = "helpful"
HARMFUL: Final = "harmful"
OUTCOMES: Final = (HELPFUL, HARMFUL)
HEMISPHERES: Final = (Side.LEFT, Side.RIGHT)

TYPE: Final = "bullet_type"
HINT: Final = "source_hemisphere"
SURENESS: Final = "suggested_confidence"
REASONING: Final = "suggested_because"
FLAGGED: Final = "flagged"
TRACE: Final = "source_trace_id"
"""Names of the attributes that a bullet's record carries, beside `suggested_side`."""

PER_HELPFUL: Final = 0.05
PER_HARMFUL: Final = 0.1
PROVEN_CONVERSATIONS: Final = 2
SHARED_HELPFUL: Final = 3
OPPOSED: Final = 0.88
"""How alike two bullets are, from which one can contradict the other."""
NARROW: Final = 0.15
"""Below this diversity the two hemispheres have grown alike."""


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
        raise InputError(f"{name!r} is no type of bullet. They are: {', '.join(BulletType)}.") from None


def hemisphere(name: str) -> Side:
    """`left` or `right`; raises InputError for anything else."""
    if name not in HEMISPHERES:
        raise InputError(f"{name!r} is no hemisphere to assign to; write left or right.")
    return Side(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bullet:
    """A bullet's record under the names of procedural memory."""

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
        """Whether it was flagged as contradicting another one."""
        return CONFLICT_TAG in self.tags

    @classmethod
    def of(cls, record: Record, *, thresholds: Thresholds | None = None) -> Self:
        """The view of a record. Raises InputError where it is of another kind."""
        if record.kind is not Kind.BULLET:
            raise InputError(f"{record.id} is a {record.kind}, no bullet. `dopejar bullets list` lists bullets.")
        told = record.attributes
        sureness = _number(told.get(SURENESS, ""))
        return cls(
            id=record.id,
            text=record.text,
            side=record.side,
            bullet_type=_known_type(told.get(TYPE, "")),
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
            source_hemisphere=_known_side(told.get(HINT, "")),
            source_trace_id=told.get(TRACE, ""),
            suggested_hemisphere=_known_side(told.get(SUGGESTED_SIDE, "")),
            classification_confidence=sureness,
            reasoning=told.get(REASONING, ""),
            is_flagged=bool(told.get(FLAGGED, "")),
            review_priority=review_priority(sureness, thresholds or Thresholds()),
            assigned_by=record.approved_by,
            metadata=told,
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
    """High below the threshold of manual review, medium up to that of automatic assignment, low from there on."""
    if confidence >= thresholds.auto_assign:
        return Priority.LOW
    return Priority.MEDIUM if confidence >= thresholds.manual_review else Priority.HIGH


def score(record: Record) -> float:
    """Confidence + .05 for each time it helped - .1 for each time it did harm."""
    raw = record.confidence + PER_HELPFUL * record.helpful_count - PER_HARMFUL * record.harmful_count
    return round(raw, 6)


def is_alive(record: Record) -> bool:
    """Whether a bullet is in use or waits, and was not merged into another one."""
    return record.status in (Status.STAGED, Status.QUARANTINED, Status.ACTIVE) and MERGED_INTO not in record.attributes


def is_proven(
    record: Record, evidence: Iterable[Evidence], conversations: Mapping[EpisodeId, ConversationId]
) -> bool:
    """Whether a bullet on trial is due to become active: it helped twice, in two conversations, and did no harm."""
    helped = {
        conversations[one.episode_id]
        for one in evidence
        if one.role is EvidenceRole.OUTCOME and one.wording == HELPFUL and one.episode_id in conversations
    }
    return (
        record.status is Status.QUARANTINED
        and CONFLICT_TAG not in record.tags
        and record.helpful_count >= PROVEN_HELPFUL
        and record.harmful_count == 0
        and len(helped) >= PROVEN_CONVERSATIONS
    )


def lacks_for_sharing(record: Record, *, is_cross_confirmed: bool) -> tuple[str, ...]:
    """What a bullet still lacks to be shared by both hemispheres; nothing where it may be."""
    lacks = []
    if record.side not in HEMISPHERES:
        lacks.append("it is on neither hemisphere")
    if record.status is not Status.ACTIVE:
        lacks.append(f"it is {record.status}, not active")
    if record.helpful_count < SHARED_HELPFUL:
        lacks.append(f"it helped {record.helpful_count} times of {SHARED_HELPFUL}")
    if record.harmful_count:
        lacks.append(f"it did harm {record.harmful_count} times")
    if CONFLICT_TAG in record.tags:
        lacks.append("another bullet contradicts it")
    if not is_cross_confirmed:
        lacks.append("nothing confirms it on the other hemisphere")
    return tuple(lacks)


def confirms_across(record: Record, other: Record) -> bool:
    """Whether a bullet of the other hemisphere says the same and was proven there."""
    return (
        {record.side, other.side} == set(HEMISPHERES)
        and other.status is Status.ACTIVE
        and other.helpful_count >= PROVEN_HELPFUL
        and other.harmful_count == 0
        and similar(record.text, other.text).same_meaning
    )


def is_opposed(one: str, other: str, cosine: float | None = None) -> bool:
    """Whether two bullets contradict each other: near-same words about the same values, opposite polarity."""
    likeness = similar(one, other, cosine)
    return not likeness.same_polarity and likeness.same_values and likeness.score >= OPPOSED


def is_duplicate(one: str, other: str, least: float, cosine: float | None = None) -> bool:
    """Whether two bullets say the same: the same meaning, or so alike in words with the same values and polarity."""
    likeness = similar(one, other, cosine)
    agree = likeness.same_polarity and likeness.same_values
    return agree and (likeness.same_meaning or likeness.score >= least)


def diversity(left: Iterable[Record], right: Iterable[Record]) -> float:
    """How differently the two hemispheres are tagged: 1 - the cosine of their tag counts, from 0 to 1.

    1 where one of them has no tags at all: nothing tells then that they have grown alike.
    """
    mine = Counter(tag for one in left for tag in one.tags)
    theirs = Counter(tag for one in right for tag in one.tags)
    length = math.sqrt(sum(n * n for n in mine.values())) * math.sqrt(sum(n * n for n in theirs.values()))
    if not length:
        return 1.0
    return min(1.0, max(0.0, 1.0 - sum(n * theirs[tag] for tag, n in mine.items()) / length))


@dataclass(frozen=True, kw_only=True, slots=True)
class Overturned:
    """How many automatic assignments a person later took back, and the threshold that would have avoided it."""

    assigned: int
    overturned: int
    suggested_threshold: float

    @property
    def share(self) -> float:
        """The part that was overturned, from 0 to 1."""
        return self.overturned / self.assigned if self.assigned else 0.0


def overturned(chosen: Iterable[tuple[float, bool]], threshold: float = AUTO_ASSIGN) -> Overturned:
    """From (confidence, was overturned) of each automatic assignment.

    The suggestion is the least confidence, in steps of .01 from the threshold on, from which on at least as many were
    right as the confidence says; the threshold itself where it kept that promise, or nothing was assigned yet.
    """
    rows = sorted(chosen)
    suggested = threshold
    for step in range(round(threshold * 100), 101):
        suggested = step / 100
        above = [wrong for sureness, wrong in rows if sureness >= suggested]
        if not above or 1 - sum(above) / len(above) >= suggested:
            break
    return Overturned(
        assigned=len(rows), overturned=sum(wrong for _, wrong in rows), suggested_threshold=max(suggested, threshold)
    )
