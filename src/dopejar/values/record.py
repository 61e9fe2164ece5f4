"""Records: what is believed, with its evidence.

Takes: atoms that pipelines propose. Gives: frozen records, drafts and evidence. Never: text without evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from dopejar.values.ids import ActId, EpisodeId, RecordId
from dopejar.values.scope import UNIVERSAL, Namespace, Scope, Side


class Kind(StrEnum):
    """The kinds of long-term memory."""

    FACT = "fact"
    PREFERENCE = "preference"
    RULE = "rule"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    CORRECTION = "correction"
    ALIAS = "alias"
    BULLET = "bullet"
    PATTERN = "pattern"


DIRECTING: Final = (Kind.RULE, Kind.PREFERENCE, Kind.CORRECTION, Kind.CONSTRAINT, Kind.DECISION)
"""The kinds that direct an assistant's work once a person has approved them."""


def check_clause(*, is_checked: bool) -> str:
    """In a clause: whether a rule is checked."""
    return "checked on tool calls" if is_checked else "advice: not checked on tool calls"


class Layer(StrEnum):
    """First coordinate of a memory."""

    SELF = "self"
    WORLD = "world"
    INTENT = "intent"


class Sublayer(StrEnum):
    """Second coordinate of a memory."""

    IDENTITY = "identity"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    FACT = "fact"
    FAILURE = "failure"
    METHOD = "method"
    RULE = "rule"
    GOAL = "goal"
    ANTI_PATTERN = "anti-pattern"


SUBLAYERS: Mapping[Layer, tuple[Sublayer, ...]] = MappingProxyType(
    {
        Layer.SELF: (Sublayer.IDENTITY, Sublayer.PREFERENCE, Sublayer.CONSTRAINT),
        Layer.WORLD: (Sublayer.FACT, Sublayer.FAILURE, Sublayer.METHOD),
        Layer.INTENT: (Sublayer.RULE, Sublayer.GOAL, Sublayer.ANTI_PATTERN),
    }
)

KIND_OF_SUBLAYER: Mapping[Sublayer, Kind] = MappingProxyType(
    {
        Sublayer.IDENTITY: Kind.FACT,
        Sublayer.FACT: Kind.FACT,
        Sublayer.FAILURE: Kind.FACT,
        Sublayer.METHOD: Kind.FACT,
        Sublayer.GOAL: Kind.FACT,
        Sublayer.PREFERENCE: Kind.PREFERENCE,
        Sublayer.CONSTRAINT: Kind.CONSTRAINT,
        Sublayer.RULE: Kind.RULE,
        Sublayer.ANTI_PATTERN: Kind.CORRECTION,
    }
)


class Status(StrEnum):
    """The states of a record."""

    STAGED = "staged"
    QUARANTINED = "quarantined"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    REJECTED = "rejected"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    ERASED = "erased"


class EvidenceRole(StrEnum):
    """Whether the span asserts the memory, gives context, or reports the outcome of using it.

    The wording of an outcome is `helpful` or `harmful`; the counters of a record are the counts of its outcomes.
    """

    ASSERTS = "asserts"
    CONTEXT = "context"
    WITHDRAWN = "withdrawn"  # by an undo: kept for history, counts for nothing, is not learned again
    OUTCOME = "outcome"
    OUTCOME_WITHDRAWN = "outcome-withdrawn"  # an outcome that an undo withdrew: not counted, and not counted again


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One span of one episode that a record rests on.

    `start` and `end` are character offsets into the episode's text. `wording` is the atom as it was read there.
    `at` is the time from which the statement holds (the turn's time unless the words say otherwise). `trust` is the
    least over the assertions of one act; across acts the strongest support counts.
    """

    episode_id: EpisodeId
    start: int
    end: int
    at: datetime
    wording: str
    role: EvidenceRole = EvidenceRole.ASSERTS
    trust: float = 1.0
    confidence: float = 1.0
    certainty: float = 1.0
    act_id: ActId = ActId("")


class StatedSpan(NamedTuple):
    """Where a turn states what a record says: only what finding the statements of a turn needs of evidence."""

    record_id: RecordId
    episode_id: EpisodeId
    start: int
    end: int


class RecordBrief(NamedTuple):
    """What comparing a record with words needs of it: hundreds of them are read for one question."""

    id: RecordId
    text: str
    key: str
    attributes: Mapping[str, str]


ENVIRONMENT_TAG: Final = "env:"  # the tag of a fact about the machine, the system or the paths of the work


def format_tags(tags: Sequence[str]) -> str:
    """The tags in one line, for a person."""
    return ", ".join("environment" if tag == ENVIRONMENT_TAG else tag for tag in tags)


RENAMED: Final = "renamed"  # attribute: an older name and the one in use, a line each
LASTS: Final = "lasts"  # attribute: how likely a correction is meant to hold beyond its moment, from 0 to 1
KEPT_FROM: Final = "kept_from"  # attribute: the record of which this is what still held when another replaced it
MIN_ASSERTIONS: Final = "said_at_least"  # attribute: episodes that must assert a staged record; 1 where it is missing

BLOCK_TAG: Final = "block_tag"
"""Attribute: the tag that a person gave a block. It speaks of that block alone and is no memory of its own, so whatever
reads a namespace passes it over."""

WITHIN_A_TEXT: Final = timedelta(seconds=1)  # later words of a text hold some microseconds later: nothing is announced

_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """The content of a record that does not exist yet.

    `slot` is the value-free concept; a many-valued slot has its member behind `#` (`self.uses.tool#vim`), so that only
    statements about the same member can replace each other. `value` is the normalised value with its polarity in front
    (`+dark`, `-tabs`), or "" where none could be read. `temporary` marks a statement that ends at `valid_to` by its own
    words; it stays outside the chain of its slot.
    """

    kind: Kind
    text: str
    key: str = ""
    slot: str = ""
    value: str = ""
    layer: Layer = Layer.WORLD
    sublayer: Sublayer = Sublayer.FACT
    namespace: Namespace = Namespace.PROD
    scope: Scope = UNIVERSAL
    side: Side = Side.NONE
    confidence: float = 1.0
    certainty: float = 1.0
    tags: tuple[str, ...] = ()
    pinned: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    temporary: bool = False
    attributes: Mapping[str, str] = field(default_factory=lambda: _NO_ATTRIBUTES)


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One long-term memory. Everything from `text` to `trust` is derived from its draft and its evidence."""

    id: RecordId
    kind: Kind
    text: str
    key: str
    slot: str
    value: str
    layer: Layer
    sublayer: Sublayer
    namespace: Namespace
    scope: Scope
    side: Side
    status: Status
    confidence: float
    certainty: float
    trust: float
    tags: tuple[str, ...]
    pinned: bool
    created_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    temporary: bool
    content_hash: str
    version: int
    made_by: str
    supersedes: RecordId | None = None
    superseded_by: RecordId | None = None
    approved_by: str = ""
    access_count: int = 1
    helpful_count: int = 0
    harmful_count: int = 0
    last_accessed_at: datetime | None = None
    attributes: Mapping[str, str] = field(default_factory=lambda: _NO_ATTRIBUTES)

    @property
    def chain(self) -> str:
        """The name of the record's chain: the slot, or the key where there is no slot."""
        return self.slot or self.key

    def holds_until_later(self, at: datetime) -> bool:
        """Whether it holds then although it is superseded: what replaced it was announced for a later day."""
        is_held = self.valid_to is not None and self.valid_from <= at < self.valid_to
        return is_held and self.status is Status.SUPERSEDED

    def begins_later(self, at: datetime) -> bool:
        """Whether it was announced for a day that had not come by then."""
        return self.valid_from > at + WITHIN_A_TEXT

    def is_over(self, at: datetime) -> bool:
        """Whether it was said for a time that had ended by then."""
        return self.temporary and self.valid_to is not None and self.valid_to <= at


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordState:
    """A record as it stood from one ledger entry until another. `to_seq` is None for the current state."""

    record: Record
    from_seq: int
    to_seq: int | None
    act_id: ActId
