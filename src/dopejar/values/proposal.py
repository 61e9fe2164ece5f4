"""Proposals to change memory.

Takes: what pipelines and people propose. Gives: frozen proposals, one payload type per action. Never: a decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dopejar.values.edge import Edge
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, TraceId
from dopejar.values.proposal_enums import Action, Level, ProposalState, Via
from dopejar.values.record import Draft, Evidence
from dopejar.values.scope import UNIVERSAL, Scope, Side
from dopejar.values.target import RecordTarget, Target

__all__ = [
    "Action",
    "Activate",
    "Add",
    "Assign",
    "Deprecate",
    "Erase",
    "Level",
    "Link",
    "Merge",
    "Payload",
    "Proposal",
    "ProposalState",
    "Reinforce",
    "Rekey",
    "Rest",
    "Restore",
    "Share",
    "Signals",
    "Supersede",
    "Tag",
    "Undo",
    "Via",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """The signals that the gate compares. It computes `source_quality` and `blast_radius` itself."""

    conflict: Level = Level.NONE
    conflicts_with: tuple[RecordId, ...] = ()
    own_update: bool = False  # the speaker changes an own earlier statement
    alignment: float = 1.0
    progress_delta: float = 0.0
    instruction_like: bool = False
    directs_work: bool = False  # it tells the assistant how to work, whatever kind it is filed under
    recall_loop: bool = False
    boot_file: bool = False
    curated_away: str = ""  # "rejected", "retracted" or "tombstone" where a person removed the same thing before
    quotes_user: bool = False  # an assistant's words that repeat a user turn of the conversation word for word


@dataclass(frozen=True, kw_only=True, slots=True)
class Add:
    """A new record, and edges stated in addition to those in its words; they are removed with it."""

    draft: Draft
    edges: tuple[Edge, ...] = ()
    action: Action = field(default=Action.ADD, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reinforce:
    """More evidence for the one target; an older statement may move its beginning back."""

    action: Action = field(default=Action.REINFORCE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rest:
    """What still holds of a statement that goes out of use: of the record `of`, or of the new one itself (None)."""

    of: RecordId | None
    draft: Draft


@dataclass(frozen=True, kw_only=True, slots=True)
class Supersede:
    """A new version of a concept. Targets are the chain's records next to it.

    `predecessor` is the version before the new statement's time (None: the new one is the oldest). `resume_from` is set
    where the predecessor was stated again after the new statement's time: its later evidence becomes a version of its
    own. With `into`, the successor is no new version but that record: one statement stated both. `joins` are targets of
    other chains that the statement outdates as well: they stand for one thing, and their chains become its chain.
    `rests` stay as memories of their own, on the same evidence, where what they are of goes out of use.
    """

    draft: Draft
    predecessor: RecordId | None = None
    resume_from: datetime | None = None
    edges: tuple[Edge, ...] = ()
    into: RecordId | None = None
    joins: tuple[RecordId, ...] = ()
    rests: tuple[Rest, ...] = ()
    action: Action = field(default=Action.SUPERSEDE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Assign:
    """A staged bullet goes to a hemisphere and is quarantined there."""

    side: Side
    action: Action = field(default=Action.ASSIGN, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Activate:
    """The targets become active."""

    action: Action = field(default=Action.ACTIVATE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A proven bullet gets a copy on the shared side, in these words."""

    text: str
    action: Action = field(default=Action.SHARE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deprecate:
    """The targets are taken out of use, but stay readable."""

    action: Action = field(default=Action.DEPRECATE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Merge:
    """Every target but `into` is merged into it."""

    into: RecordId
    action: Action = field(default=Action.MERGE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tag:
    """Tags are added to and removed from the targets; `pinned` is set where given.

    With `outcome`, which is `helpful` or `harmful`, the evidence reports how using the targets turned out: it counts
    once for each target and episode.
    """

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    pinned: bool | None = None
    outcome: str = ""
    action: Action = field(default=Action.TAG, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """Edges between records or entities."""

    edges: tuple[Edge, ...]
    action: Action = field(default=Action.LINK, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Erase:
    """The right to be forgotten: the target records, whole episodes or a conversation, and the words of proposals."""

    episodes: tuple[EpisodeId, ...] = ()
    proposals: tuple[ProposalId, ...] = ()
    conversation: ConversationId | None = None
    action: Action = field(default=Action.ERASE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Restore:
    """Deprecated, expired, rejected or retracted targets come back."""

    action: Action = field(default=Action.RESTORE, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Undo:
    """One act, or every act that learned from one conversation, is undone."""

    act_id: ActId | None = None
    conversation: ConversationId | None = None
    action: Action = field(default=Action.UNDO, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rekey:
    """The targets get other keys, one each in their order; what they say, and which of them form a chain, stays."""

    keys: tuple[str, ...]
    action: Action = field(default=Action.REKEY, init=False)


Payload = (
    Add
    | Reinforce
    | Supersede
    | Assign
    | Activate
    | Share
    | Deprecate
    | Merge
    | Tag
    | Link
    | Erase
    | Restore
    | Undo
    | Rekey
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A proposal to change memory. `priority` is severity: 1 critical, 2 high, 3 medium."""

    id: ProposalId
    act_id: ActId
    payload: Payload
    at: datetime
    origin: Origin
    via: Via
    made_by: str  # pipeline@version, or "person"
    trace_id: TraceId
    targets: tuple[Target, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    scope: Scope = UNIVERSAL
    confidence: float = 1.0
    signals: Signals = field(default_factory=Signals)
    rationale: str = ""
    priority: int = 3
    proposer: str = ""  # who proposes it: "user", an agent's name, a reviewer's name
    state: ProposalState = ProposalState.NEW
    reviewer: str = ""
    reason: str = ""
    record_id: RecordId | None = None  # the record that this proposal made, or would make
    version: int = 1

    @property
    def action(self) -> Action:
        """The action of the payload."""
        return self.payload.action

    @property
    def record_targets(self) -> tuple[RecordTarget, ...]:
        """The targets that are records."""
        return tuple(target for target in self.targets if isinstance(target, RecordTarget))
