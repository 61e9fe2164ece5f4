"""The store: one place for records, episodes, ledger, indexes and what is held.

Takes: values. Gives: values. Never: decides; `memory` computes every change and the store writes it.

A handle is for one tenant. `write()` commits when its block ends without a fault; acknowledged means durable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dopejar.ports.graph import GraphReader
from dopejar.values.embedding import EmbedderIdentity
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId
from dopejar.values.recall import Citation, Hit, SearchFilter, Source
from dopejar.values.record import Evidence, Kind, Record, RecordState, Status
from dopejar.values.scope import Namespace, Scope, Side

if TYPE_CHECKING:  # what is only handed on: a process that asks for none of it need not load it
    import numpy as np
    import numpy.typing as npt

    from dopejar.values.edge import Edge
    from dopejar.values.episode import Conversation, Episode
    from dopejar.values.ledger import LedgerEntry, LedgerHead
    from dopejar.values.proposal import Proposal, ProposalState
    from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Outbox:
    """Work that a commit left behind: `kind` is "embed"; `owner` says of what."""

    seq: int
    kind: str
    owner: Source
    owner_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Vector:
    """A vector of one text by one embedder, unit length, float32."""

    owner: Source
    owner_id: str
    content_hash: str
    values: "npt.NDArray[np.float32]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tombstone:
    """What must not come back: the HMAC of a normalised text, a key or a source id. `kind` names which."""

    kind: str
    digest: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreSizes:
    """Counts and bytes for `status` and `doctor`."""

    episodes: int
    records: Mapping[str, int]  # by status
    proposals: Mapping[str, int]  # by state
    ledger: int
    vectors: int
    outbox: int
    edges: int
    bytes: int


class RecordReader(Protocol):
    """Reading records and what they rest on."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def records(self, ids: Sequence[RecordId]) -> dict[RecordId, Record]:
        """Those of the ids that exist."""
        ...

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record with this slot (or, having no slot, this key), erased ones left out, by `valid_from`."""
        ...

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Every record with this key, erased ones left out, by `valid_from`."""
        ...

    def with_key_anywhere(self, key: str) -> tuple[Record, ...]:
        """Records with this key in any namespace and scope, erased ones left out: active ones first, newest first."""
        ...

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Every record with this content hash in any scope, erased ones left out."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What the record rests on, oldest first."""
        ...

    def evidence_of(self, ids: Sequence[RecordId]) -> dict[RecordId, tuple[Evidence, ...]]:
        """Evidence of several records at once."""
        ...

    def citations_of(self, ids: Sequence[RecordId], most: int) -> dict[RecordId, tuple[Citation, ...]]:
        """The newest `most` turns that several records rest on, oldest first; nothing that was withdrawn."""
        ...

    def resting_on(self, episodes: Sequence[EpisodeId]) -> tuple[RecordId, ...]:
        """Records with evidence in these episodes."""
        ...

    def states(self, record_id: RecordId) -> tuple[RecordState, ...]:
        """How the record stood over the ledger's time, oldest first."""
        ...

    def states_of_act(self, act_id: ActId) -> tuple[RecordState, ...]:
        """The states that an act brought about."""
        ...

    def list_records(self, where: RecordFilter, limit: int, after: RecordId | None = None) -> tuple[Record, ...]:
        """A page of records, newest first, after the given one."""
        ...

    def find_record_id(self, prefix: str) -> tuple[RecordId, ...]:
        """At most ten whole ids that begin with the prefix."""
        ...

    def has_tombstones(self) -> bool:
        """Whether anything is buried."""
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Everything that is buried."""
        ...

    def has_tombstone(self, kind: str, digests: Sequence[str]) -> tuple[str, ...]:
        """Those of the digests that are buried."""
        ...


class EpisodeReader(Protocol):
    """Reading the trace."""

    def episode(self, episode_id: EpisodeId) -> Episode | None:
        """The episode with this whole id."""
        ...

    def episodes(self, ids: Sequence[EpisodeId]) -> dict[EpisodeId, Episode]:
        """Those of the ids that exist."""
        ...

    def conversation(self, conversation: ConversationId) -> Conversation | None:
        """The row of a conversation."""
        ...

    def conversations(self, limit: int, prefix: str = "") -> tuple[Conversation, ...]:
        """Conversations, the last started first; with a prefix, those whose id or name begins with it."""
        ...

    def turns(self, conversation: ConversationId, first: int = 0, last: int | None = None) -> tuple[Episode, ...]:
        """Episodes of a conversation by index, both ends inclusive."""
        ...


class ProposalReader(Protocol):
    """Reading what was wished for."""

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal with this whole id."""
        ...

    def proposals(self, states: Sequence[ProposalState], limit: int, offset: int = 0) -> tuple[Proposal, ...]:
        """Proposals in these states: most severe first, then oldest."""
        ...

    def count_proposals(self, state: ProposalState) -> int:
        """How many proposals are in this state; cheap enough to ask at every start."""
        ...

    def proposal_of(self, record_id: RecordId) -> Proposal | None:
        """The waiting proposal of a staged record."""
        ...

    def find_proposal_id(self, prefix: str) -> tuple[ProposalId, ...]:
        """At most ten whole ids that begin with the prefix."""
        ...


class LedgerReader(Protocol):
    """Reading the chain."""

    def head(self) -> LedgerHead:
        """The newest entry's number and hash."""
        ...

    def entries(self, first: int = 1, limit: int = 1000) -> tuple[LedgerEntry, ...]:
        """Entries from a number on, in order."""
        ...

    def entries_of_act(self, act_id: ActId) -> tuple[LedgerEntry, ...]:
        """Entries of one act, in order."""
        ...

    def entries_about(self, target: str) -> tuple[LedgerEntry, ...]:
        """Entries about one target, in order."""
        ...

    def recent_acts(self, limit: int, before: int | None = None) -> tuple[LedgerEntry, ...]:
        """The last entry of each of the newest acts, newest first."""
        ...

    def find_act_id(self, prefix: str) -> tuple[ActId, ...]:
        """At most ten whole ids that begin with the prefix."""
        ...

    def acts_of(self, conversation: ConversationId) -> tuple[ActId, ...]:
        """Acts whose evidence lies in the conversation, newest first."""
        ...

    def seq_at(self, at: datetime) -> int:
        """The number of the last entry not younger than the time; 0 where there is none."""
        ...


class IndexReader(Protocol):
    """Searching. Every hit is joined to the store, so a stale index may omit and never leak."""

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms (any may match), filtered before ranking; higher is better."""
        ...

    def nearest(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        """Cosine of the nearest vectors of the same embedder, filtered before ranking; higher is better."""
        ...

    def similarities(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> dict[str, float]:
        """Exact cosines of those of the records or episodes that have a vector."""
        ...

    def vectors_of(
        self, embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> "dict[str, npt.NDArray[np.float32]]":
        """The kept vectors of those of the owners that have one by this embedder."""
        ...

    def load_records(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Record]:
        """The records, checked once more against the filter; as believed then where it names a ledger entry."""
        ...

    def load_episodes(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Episode]:
        """The episodes, checked once more against the filter."""
        ...

    def turn_ids(self, conversation: ConversationId, first: int, last: int) -> dict[int, EpisodeId]:
        """Index in the conversation to episode, both ends inclusive."""
        ...

    def embedders(self) -> tuple[EmbedderIdentity, ...]:
        """Whose vectors the store holds."""
        ...

    def missing_vectors(self, embedder: EmbedderIdentity, limit: int) -> tuple[tuple[Source, str, str, str], ...]:
        """(owner, id, content hash, text) of what has no vector by this embedder yet."""
        ...

    def outbox(self, limit: int) -> tuple[Outbox, ...]:
        """The oldest work that commits left behind."""
        ...


class HeldReader(Protocol):
    """Reading what is held."""

    def working_set(self, problem_id: str, lane_id: str = "") -> WorkingSet | None:
        """The working set of this problem and lane alone."""
        ...

    def reference(self, key: str, version: int | None = None) -> SharedReference | None:
        """A shared reference, its newest version unless one is named."""
        ...

    def references(self, prefix: str = "") -> tuple[SharedReference, ...]:
        """Newest versions of the references whose key begins so."""
        ...

    def held(self, kind: str, key: str) -> KeyValueRow | None:
        """One held row."""
        ...

    def held_of(self, kind: str) -> tuple[KeyValueRow, ...]:
        """Every held row of a kind."""
        ...

    def has_injected(self) -> bool:
        """Whether recall ever returned anything."""
        ...

    def injected(self, digests: Sequence[str], before: datetime | None = None) -> tuple[str, ...]:
        """Those of the digests that recall returned before; with a time, before that."""
        ...

    def reviewer(self, name: str) -> str | None:
        """The scrypt hash of a reviewer's passphrase."""
        ...

    def reviewers(self) -> tuple[str, ...]:
        """Names of the reviewers."""
        ...

    def meta(self, key: str) -> str | None:
        """A value about the store itself: `secret` (hex), `change_seq`, ..."""
        ...

    def sizes(self) -> StoreSizes:
        """Counts and bytes."""
        ...


class ReadView(
    RecordReader, GraphReader, EpisodeReader, ProposalReader, LedgerReader, IndexReader, HeldReader, Protocol
):
    """A snapshot: every read within it sees the same state."""


class WriteTransaction(ReadView, Protocol):
    """The one writer's transaction. It sees its own writes. Index rows, states and the change count follow."""

    # what is believed: called by memory.commit alone
    def put_record(self, record: Record, act_id: ActId, seq: int) -> None:
        """Insert or replace a record as of a ledger entry: its row, its state, its index rows, its outbox line."""
        ...

    def put_evidence(self, record_id: RecordId, evidence: Sequence[Evidence]) -> None:
        """Replace what the record rests on."""
        ...

    def put_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges; one that is there stays."""
        ...

    def drop_edges_of(self, record_id: RecordId) -> None:
        """Remove the edges that were read from a record."""
        ...

    def put_proposal(self, proposal: Proposal) -> None:
        """Insert or replace a proposal."""
        ...

    def append_ledger(self, entry: LedgerEntry) -> None:
        """Append one entry; its number and `previous` must follow the head."""
        ...

    def put_tombstones(self, stones: Iterable[Tombstone]) -> None:
        """Bury digests."""
        ...

    def blank_record(self, record: Record, act_id: ActId, seq: int) -> None:
        """Blank an erased record wherever it stands: row, states, evidence wordings, proposals, index, vectors."""
        ...

    def reword_states(self, record: Record) -> None:
        """Let every older state of the record show its present words, key and value: the old ones are erased."""
        ...

    def blank_span(self, episode_id: EpisodeId, start: int, end: int, mark: str) -> None:
        """Replace a span of an episode by the mark, in text, index and vectors."""
        ...

    # episodes: called by memory.append alone
    def put_conversation(self, conversation: Conversation) -> None:
        """Insert or replace the row of a conversation."""
        ...

    def append_episodes(self, episodes: Sequence[Episode]) -> int:
        """Append those that are not there yet, with their index rows and outbox lines; how many were new."""
        ...

    # held rows: called by memory.hold alone
    def put_working_set(self, working: WorkingSet) -> None:
        """Write the next version; StaleProposalError where another one was written since `version`."""
        ...

    def drop_working_set(self, problem_id: str, lane_id: str = "") -> None:
        """Remove a working set."""
        ...

    def put_reference(self, reference: SharedReference) -> None:
        """Write the next version of a shared reference; StaleProposalError where its version is taken."""
        ...

    def put_held(self, row: KeyValueRow) -> None:
        """Write the next version of a row; StaleProposalError where another one was written since `version`."""
        ...

    def drop_held(self, kind: str, key: str) -> None:
        """Remove a held row."""
        ...

    def drop_expired(self, now: datetime) -> int:
        """Remove working sets and held rows whose time is over; how many."""
        ...

    def put_reviewer(self, name: str, passphrase_hash: str) -> None:
        """Insert or replace a reviewer."""
        ...

    def drop_reviewer(self, name: str) -> None:
        """Remove a reviewer."""
        ...

    # use notes: called by memory.note_use alone
    def note_used(self, ids: Sequence[RecordId], at: datetime) -> None:
        """Count one use of each record."""
        ...

    def note_injected(self, digests: Sequence[str], at: datetime) -> None:
        """Remember digests of what recall returned, and when first."""
        ...

    # projections
    def put_vectors(self, embedder: EmbedderIdentity, vectors: Sequence[Vector]) -> None:
        """Store vectors with their sign codes; EmbedderMismatchError where the dimensions differ."""
        ...

    def drop_vectors(self, embedder: EmbedderIdentity) -> int:
        """Remove every vector of an embedder; how many."""
        ...

    def done(self, work: Sequence[Outbox]) -> None:
        """Remove finished lines from the outbox."""
        ...

    def rebuild_text_index(self) -> int:
        """Drop and rebuild the full-text rows of records and episodes; how many rows."""
        ...

    def set_meta(self, key: str, value: str) -> None:
        """Write a value about the store itself."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing that `doctor` found. `repairable`: a projection that can be rebuilt without loss."""

    what: str
    detail: str
    repairable: bool


class Store(Protocol):
    """A store handle, for one tenant. Safe to use from several threads; never across a fork."""

    @property
    def path(self) -> Path | None:
        """The data file, or None where there is none."""
        ...

    @property
    def is_read_only(self) -> bool:
        """Whether the store could be opened for reading alone."""
        ...

    def read(self) -> AbstractContextManager[ReadView]:
        """A snapshot to read from."""
        ...

    def write(self) -> AbstractContextManager[WriteTransaction]:
        """The writer's transaction; waits its turn. Raises StoreBusyError, StoreFullError, StoreReadOnlyError."""
        ...

    def check(self) -> tuple[Fault, ...]:
        """Integrity of the file, of the foreign keys and of every projection."""
        ...

    def repair(self) -> tuple[Fault, ...]:
        """Rebuild broken projections; what was mended."""
        ...

    def compact(self) -> None:
        """Give freed pages back and checkpoint, so that blanked bytes leave the file and its log."""
        ...

    def backup(self, to: Path) -> None:
        """A consistent copy, while others write."""
        ...

    def take_over(self, source: Path) -> None:
        """Hold what a backup holds, from one commit on; other open handles go on with that.

        Raises StoreDamagedError, StoreFullError, StoreReadOnlyError; then nothing has changed.
        """
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
