"""Queries to memory and their results.

Takes: a query and a budget. Gives: hits and a cited, packed context. Never: more tokens than the budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Self

from dopejar.values.episode import Origin
from dopejar.values.ids import ConversationId, EpisodeId, RecordId, TraceId
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace, ReadScope, Scope, Side


class Source(StrEnum):
    """The kinds of things that a search returns."""

    RECORD = "record"
    EPISODE = "episode"


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """A question. `budget` limits the tokens of the whole text; `as_of`: true then; `believed_at`: believed then."""

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
    without: tuple[ConversationId, ...] = ()  # no quotation of these conversations
    known: frozenset[str] = frozenset()  # ids that the asker has at hand: they take their place, and are not shown
    unasked: bool = False  # nobody asks: the text is a prompt, told what bears on it and little else
    explain: bool = False
    why_not: str = ""  # the id of a memory or turn: the explanation says why it is not in the answer


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordFilter:
    """Which records a listing shows; an empty tuple or string means any."""

    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    kinds: tuple[Kind, ...] = ()
    scopes: tuple[Scope, ...] = ()
    namespace: Namespace | None = Namespace.PROD
    side: Side | None = None
    key_prefix: str = ""
    tag: str = ""
    conversation: ConversationId | None = None
    ids: tuple[RecordId, ...] = ()
    # leaves out what had ended by then; among active ones, superseded ones that hold until later are; None: any time
    holds_at: datetime | None = None

    @classmethod
    def readable(cls, read_scope: ReadScope, statuses: tuple[Status, ...] = (Status.ACTIVE,)) -> Self:
        """The records in these states that may be read in a scope."""
        scopes = () if read_scope.all_projects else read_scope.scopes
        return cls(statuses=statuses, namespace=read_scope.namespace, scopes=scopes)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilter:
    """The filter of an index search. The store applies it before ranking."""

    read_scope: ReadScope
    source: Source
    kinds: tuple[Kind, ...] = ()
    conversation: ConversationId | None = None
    without: tuple[ConversationId, ...] = ()  # no episode of these conversations
    origins: tuple[Origin, ...] = ()
    valid_at: datetime | None = None  # records true then (superseded ones included); None: believed and true now
    believed_seq: int | None = None  # records in force at this ledger entry
    announced: bool = False  # beside what holds now, what holds only from a later day on


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One candidate of one index: the id of a record or an episode, as the filter's source says."""

    id: str
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """The source of an item: the turn, its time and speaker, and the words that the item rests on."""

    episode_id: EpisodeId
    conversation: ConversationId
    at: datetime
    speaker: str
    quote: str
    origin: Origin = Origin.USER


@dataclass(frozen=True, kw_only=True, slots=True)
class PackItem:
    """One item of a pack, with its citations and the reasons for taking it."""

    source: Source
    id: RecordId | EpisodeId
    text: str
    score: float
    tokens: int
    citations: tuple[Citation, ...]
    kind: str = ""
    key: str = ""
    status: str = ""  # a record's status; of a quotation, what became of its statement, "" where it holds
    trust: float = 1.0
    at: datetime | None = None
    marks: tuple[str, ...] = ()  # "low trust", "unproven", "superseded", "temporary", 'now: "..."', ...
    why: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPack:
    """The result of recall: the text, its items, and how many did not fit. `tokens` never exceeds the budget."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget: int
    left_out: int
    trace_id: TraceId = TraceId("")
    explanation: tuple[str, ...] = ()
