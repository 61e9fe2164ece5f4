"""An overlay: a snapshot with pending changes on top.

Takes: a view and the planned changes of a batch. Gives: what ingest would read after them. Never: writes.

A batch is planned on it, so that the second turn knows what the first one taught, and is then committed in one
transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dopejar.memory.change_set import Change
from dopejar.memory.derivation import assertions
from dopejar.ports.store import ReadView
from dopejar.values.episode import Episode
from dopejar.values.ids import EpisodeId, ProposalId, RecordId
from dopejar.values.proposal import Proposal, ProposalState
from dopejar.values.record import Evidence, Record
from dopejar.values.scope import Namespace, Scope, Side

if TYPE_CHECKING:
    from datetime import datetime

_ChainKey = tuple[Namespace, Scope, Side, str]


class Overlay:
    """What will be believed once the pending changes are committed."""

    def __init__(self, view: ReadView, turns: Iterable[Episode] = ()) -> None:
        """`turns` are appended together with the changes."""
        self._view = view
        self._turns = {turn.id: turn for turn in turns}
        self.seen_at = view.meta("change_seq")  # identifies the snapshot: shows whether anything changed since
        self._records: dict[RecordId, Record] = {}
        self._evidence: dict[RecordId, tuple[Evidence, ...]] = {}
        self._proposals: dict[ProposalId, Proposal] = {}
        self._chains: dict[_ChainKey, dict[RecordId, Record]] = {}
        self._keys: dict[_ChainKey, dict[RecordId, Record]] = {}
        self._contents: dict[tuple[Namespace, str], dict[RecordId, Record]] = {}

    def apply(self, change: Change) -> None:
        """Put a change on top."""
        for revision in change.revisions:
            record = revision.after
            self._drop_from_indexes(self._records.get(record.id) or revision.before)
            self._records[record.id] = record
            place = (record.namespace, record.scope, record.side)
            for index, name in ((self._chains, record.chain), (self._keys, record.key)):
                if (*place, name) in index:
                    index[*place, name][record.id] = record
            if (record.namespace, record.content_hash) in self._contents:
                self._contents[record.namespace, record.content_hash][record.id] = record
            if revision.evidence is not None:
                self._evidence[record.id] = revision.evidence
        for proposal in (change.proposal, *change.others):
            if proposal is not None:
                self._proposals[proposal.id] = proposal

    def _drop_from_indexes(self, old: Record | None) -> None:
        """Take a record out of what was looked up before, also one of the snapshot that is altered first now."""
        if old is None:
            return
        place = (old.namespace, old.scope, old.side)
        self._chains.get((*place, old.chain), {}).pop(old.id, None)
        self._keys.get((*place, old.key), {}).pop(old.id, None)
        self._contents.get((old.namespace, old.content_hash), {}).pop(old.id, None)

    def _with_pending(self, stored: tuple[Record, ...]) -> dict[RecordId, Record]:
        return {record.id: self._records.get(record.id, record) for record in stored}

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        return self._records.get(record_id) or self._view.record(record_id)

    def current_version(self, record: Record) -> Record:
        """The record of the same snapshot with the pending changes."""
        return self._records.get(record.id, record)

    def pending(self, namespace: Namespace, scope: Scope, side: Side) -> tuple[Record, ...]:
        """The records that the pending changes add or alter: no index of the store finds them yet."""
        place = (namespace, scope, side)
        return tuple(one for one in self._records.values() if (one.namespace, one.scope, one.side) == place)

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """The evidence of a record, oldest first."""
        pending = self._evidence.get(record_id)
        return self._view.evidence(record_id) if pending is None else pending

    def episodes(self, ids: Sequence[EpisodeId]) -> dict[EpisodeId, Episode]:
        """The turns with these ids, those that are appended with the changes included."""
        return {**self._view.episodes(ids), **{name: self._turns[name] for name in ids if name in self._turns}}

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record of a chain, by `valid_from`."""
        place = (namespace, scope, side, chain)
        if place not in self._chains:
            members = self._with_pending(self._view.chain(namespace, scope, side, chain))
            members.update(
                (record.id, record)
                for record in self._records.values()
                if (record.namespace, record.scope, record.side, record.chain) == place
            )
            self._chains[place] = {i: record for i, record in members.items() if record.chain == chain}
        return tuple(sorted(self._chains[place].values(), key=lambda record: record.valid_from))

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Every record with this key, by `valid_from`."""
        place = (namespace, scope, side, key)
        if place not in self._keys:
            members = self._with_pending(self._view.with_key(namespace, scope, side, key))
            members.update(
                (record.id, record)
                for record in self._records.values()
                if (record.namespace, record.scope, record.side, record.key) == place
            )
            self._keys[place] = {i: record for i, record in members.items() if record.key == key}
        return tuple(sorted(self._keys[place].values(), key=lambda record: record.valid_from))

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Every record with this content hash, in any scope."""
        place = (namespace, content_hash)
        if place not in self._contents:
            members = self._with_pending(self._view.with_content(namespace, content_hash))
            members.update(
                (record.id, record)
                for record in self._records.values()
                if (record.namespace, record.content_hash) == place
            )
            self._contents[place] = {i: record for i, record in members.items() if record.content_hash == content_hash}
        return tuple(self._contents[place].values())

    def has_tombstone(self, kind: str, digests: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the digests that a tombstone holds."""
        return self._view.has_tombstone(kind, digests)

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal kept under this id."""
        return self._proposals.get(proposal_id) or self._view.proposal(proposal_id)

    def proposals(self, states: Sequence[ProposalState], limit: int) -> tuple[Proposal, ...]:
        """Proposals in these states."""
        found = {one.id: one for one in self._view.proposals(states, limit)} | self._proposals
        return tuple(one for one in found.values() if one.state in states)

    def meta(self, key: str) -> str | None:
        """A value about the store itself."""
        return self._view.meta(key)

    def has_injected(self) -> bool:
        """Whether recall ever returned anything."""
        return self._view.has_injected()

    def injected(self, digests: tuple[str, ...], before: datetime | None = None) -> tuple[str, ...]:
        """Those of the digests that recall returned before; with a time, before that."""
        return self._view.injected(digests, before) if digests else ()


def asserting_turns(view: ReadView | Overlay, record_id: RecordId) -> tuple[Episode, ...]:
    """The turns that state what a record says."""
    rows = assertions(view.evidence(record_id))
    return tuple(view.episodes(tuple(row.episode_id for row in rows)).values())
