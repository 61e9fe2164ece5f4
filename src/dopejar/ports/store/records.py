"""Records, their evidence, their states and the tombstones of what was erased.

Takes: values that `memory` computed. Gives: values. Never: derives a record, a state or a digest by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dopejar.ports.protocol import Protocol
from dopejar.values.ids import ActId, EpisodeId, RecordId
from dopejar.values.recall import Citation, RecordFilter
from dopejar.values.record import Evidence, Record, RecordState, StatedSpan
from dopejar.values.scope import Namespace, Scope, Side


@dataclass(frozen=True, kw_only=True, slots=True)
class Tombstone:
    """What must not come back: the HMAC of a normalised text, a key or a source id. `kind` names which."""

    kind: str
    digest: str
    at: datetime


class RecordReader(Protocol):
    """Reads records and what they rest on."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""

    def records(self, ids: Sequence[RecordId]) -> dict[RecordId, Record]:
        """Those of the ids that exist, in the order asked for."""

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record with this slot (or, having no slot, this key), erased ones left out, by `valid_from`."""

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Every record with this key, erased ones left out, by `valid_from`."""

    def with_key_anywhere(self, key: str) -> tuple[Record, ...]:
        """Records with this key in any namespace and scope, erased ones left out: active ones first, newest first."""

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Every record with this content hash in any scope, erased ones left out."""

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What the record rests on, oldest first."""

    def evidence_of(self, ids: Sequence[RecordId]) -> dict[RecordId, tuple[Evidence, ...]]:
        """Evidence of several records; a record without any has no entry."""

    def stated_in(self, episodes: Sequence[EpisodeId]) -> tuple[StatedSpan, ...]:
        """Where these episodes state, or stated until it was withdrawn, what records say; by record, oldest first."""

    def evidence_in(self, episodes: Sequence[EpisodeId]) -> dict[RecordId, tuple[Evidence, ...]]:
        """What records rest on in these episodes; a record without any there has no entry."""

    def citations_of(self, ids: Sequence[RecordId], most: int) -> dict[RecordId, tuple[Citation, ...]]:
        """The newest `most` turns that several records rest on, oldest first; nothing that was withdrawn."""

    def resting_on(self, episodes: Sequence[EpisodeId]) -> tuple[RecordId, ...]:
        """Records with evidence in these episodes."""

    def states(self, record_id: RecordId) -> tuple[RecordState, ...]:
        """How the record stood over the ledger's time, oldest first."""

    def states_of_act(self, act_id: ActId) -> tuple[RecordState, ...]:
        """The states that an act brought about."""

    def list_records(self, where: RecordFilter, limit: int, after: RecordId | None = None) -> tuple[Record, ...]:
        """A page of records, newest first, after the given one. Raises NotFoundError where that one does not exist."""

    def find_record_id(self, prefix: str) -> tuple[RecordId, ...]:
        """At most ten whole ids that begin with the prefix."""

    def has_tombstones(self) -> bool:
        """Whether anything was erased."""

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every tombstone."""

    def has_tombstone(self, kind: str, digests: Sequence[str]) -> tuple[str, ...]:
        """Those of the digests that have a tombstone of this kind."""


class RecordWriter(Protocol):
    """Writes beliefs. `memory.commit` alone calls it, and keeps states, full-text terms and edges in step."""

    def put_record(self, record: Record) -> None:
        """Insert or replace the row of a record.

        A changed text loses its vectors and waits in the outbox for new ones; an empty one waits for none. Raises
        StaleProposalError where another active record holds the present of the same key.
        """

    def put_state(self, state: RecordState) -> None:
        """Insert or replace the state that begins at `from_seq`; an earlier state that is still open ends there."""

    def put_evidence(self, record_id: RecordId, evidence: Sequence[Evidence]) -> None:
        """Replace what the record rests on."""

    def put_tombstones(self, stones: Iterable[Tombstone]) -> None:
        """Add tombstones; one that exists keeps its time."""
