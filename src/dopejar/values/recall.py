"""Questions to memory and what comes back.

Takes: a query and a budget. Gives: hits and a cited, packed context. Never: more tokens than the budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from dopejar.values.episode import Origin
from dopejar.values.ids import ConversationId, EpisodeId, RecordId, TraceId
from dopejar.values.record import Kind
from dopejar.values.scope import ReadScope


class Source(StrEnum):
    """What a hit is."""

    RECORD = "record"
    EPISODE = "episode"


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """A question. `budget` counts the tokens of the whole text; `as_of`: true then; `believed_at`: believed then."""

    text: str
    budget: int = 1024
    limit: int = 50
    read_scope: ReadScope = field(default_factory=ReadScope)
    as_of: datetime | None = None
    believed_at: datetime | None = None
    asked_at: datetime | None = None
    sources: tuple[Source, ...] = (Source.RECORD, Source.EPISODE)
    kinds: tuple[Kind, ...] = ()
    conversation: ConversationId | None = None  # only this conversation
    explain: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilter:
    """What an index may return. The store applies it before ranking."""

    read_scope: ReadScope
    source: Source
    kinds: tuple[Kind, ...] = ()
    conversation: ConversationId | None = None
    origins: tuple[Origin, ...] = ()
    valid_at: datetime | None = None  # records true then (superseded ones included); None: believed and true now
    believed_seq: int | None = None  # records in force at this ledger entry


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One candidate of one index: the id of a record or an episode, as the filter's source says."""

    id: str
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """Where an item comes from: the turn, when and by whom it was said, and the words the item rests on."""

    episode_id: EpisodeId
    conversation: ConversationId
    at: datetime
    speaker: str
    quote: str
    origin: Origin = Origin.USER


@dataclass(frozen=True, kw_only=True, slots=True)
class PackItem:
    """One thing that was taken, with its sources and the reasons."""

    source: Source
    id: RecordId | EpisodeId
    text: str
    score: float
    tokens: int
    citations: tuple[Citation, ...]
    kind: str = ""
    key: str = ""
    status: str = ""
    trust: float = 1.0
    at: datetime | None = None
    marks: tuple[str, ...] = ()  # "low trust", "unproven", "superseded", "temporary", "instruction-like"
    why: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPack:
    """What recall gives: the text to hand on, its items, and what did not fit. `tokens` never exceeds the budget."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget: int
    left_out: int
    trace_id: TraceId = TraceId("")
    explanation: tuple[str, ...] = ()
