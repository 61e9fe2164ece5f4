"""Every table of one store, and how a transaction forks them.

Takes: nothing, or the tables of a snapshot. Gives: tables. Never: checks what a row says.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.adapters.in_memory.table import Table
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.ports.store import Outbox, ProposalLink, Tombstone, Vector
from dopejar.values.edge import Edge
from dopejar.values.episode import Conversation, Episode
from dopejar.values.ids import ConversationId, EpisodeId, ProposalId, RecordId
from dopejar.values.ledger import LedgerEntry
from dopejar.values.proposal import Proposal
from dopejar.values.recall import Source
from dopejar.values.record import Evidence, Record, RecordState
from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EmbedderKey = tuple[str, str]  # name and digest
VectorKey = tuple[EmbedderKey, Source, str]
Matrix = tuple[list[str], "npt.NDArray[np.float32]"]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The full-text terms of one text."""

    counts: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class Uses:
    """How often a record was used, and when last."""

    count: int
    last_at: datetime


def _links(proposal: Proposal) -> Iterable[Hashable]:
    yield from ((row.episode_id, ProposalLink.EPISODE) for row in proposal.evidence)
    yield from ((target.record_id, ProposalLink.TARGET) for target in proposal.record_targets)
    yield from ((record_id, ProposalLink.CONFLICT) for record_id in proposal.signals.conflicts_with)
    if proposal.record_id:
        yield proposal.record_id, ProposalLink.RECORD


def _evidence_table() -> Table[RecordId, tuple[Evidence, ...]]:
    return Table({"episode": lambda rows: {row.episode_id for row in rows}})


def _states_table() -> Table[RecordId, tuple[RecordState, ...]]:
    return Table({"act": lambda states: {state.act_id for state in states}})


def _terms_table() -> Table[str, TermCounts]:
    return Table({"term": lambda row: row.counts})


def _initial_values() -> Table[str, str]:
    table: Table[str, str] = Table()
    table.put("secret", secrets.token_hex(32))
    table.put("change_seq", "0")
    return table


@dataclass(kw_only=True, slots=True)
class Tables:
    """The tables of one snapshot, or of the writer's transaction."""

    meta: Table[str, str] = field(default_factory=_initial_values)
    records: Table[RecordId, Record] = field(
        default_factory=lambda: Table(
            {
                "chain": lambda record: (record.chain,),
                "key": lambda record: (record.key,),
                "content": lambda record: (record.content_hash,),
            }
        )
    )
    evidence: Table[RecordId, tuple[Evidence, ...]] = field(default_factory=_evidence_table)
    states: Table[RecordId, tuple[RecordState, ...]] = field(default_factory=_states_table)
    tombstones: Table[tuple[str, str], Tombstone] = field(default_factory=Table)
    uses: Table[RecordId, Uses] = field(default_factory=Table)
    edges: Table[Edge, Edge] = field(
        default_factory=lambda: Table(
            {
                "src": lambda edge: (edge.src,),
                "dst": lambda edge: (edge.dst,),
                "record": lambda edge: (edge.record_id,) if edge.record_id else (),
            }
        )
    )
    conversations: Table[ConversationId, Conversation] = field(default_factory=Table)
    episodes: Table[EpisodeId, Episode] = field(
        default_factory=lambda: Table({"conversation": lambda episode: (episode.conversation,)})
    )
    proposals: Table[ProposalId, Proposal] = field(
        default_factory=lambda: Table({"link": _links, "state": lambda proposal: (proposal.state,)})
    )
    reviewers: Table[str, str] = field(default_factory=Table)
    ledger: Table[int, LedgerEntry] = field(
        default_factory=lambda: Table({"act": lambda entry: (entry.act_id,), "target": lambda entry: (entry.target,)})
    )
    record_terms: Table[str, TermCounts] = field(default_factory=_terms_table)
    episode_terms: Table[str, TermCounts] = field(default_factory=_terms_table)
    embedders: Table[EmbedderKey, EmbedderIdentity] = field(default_factory=Table)
    vectors: Table[VectorKey, Vector] = field(
        default_factory=lambda: Table({"owner": lambda vector: ((vector.owner, vector.owner_id),)})
    )
    outbox: Table[int, Outbox] = field(
        default_factory=lambda: Table({"owner": lambda line: ((line.owner, line.owner_id),)})
    )
    last_outbox: int = 0
    working_sets: Table[tuple[str, str], WorkingSet] = field(default_factory=Table)
    references: Table[tuple[str, int], SharedReference] = field(
        default_factory=lambda: Table({"key": lambda reference: (reference.key,)})
    )
    held: Table[tuple[str, str], KeyValueRow] = field(default_factory=lambda: Table({"kind": lambda row: (row.kind,)}))
    injected: Table[str, datetime] = field(default_factory=Table)
    matrices: dict[tuple[EmbedderKey, Source], Matrix] = field(default_factory=dict)  # of the vectors, made when asked

    def fork(self) -> Tables:
        """Tables for a transaction; writing them leaves these as they are."""
        fork = copy(self)
        for name, table in self._tables():
            setattr(fork, name, table.fork())
        fork.matrices = dict(self.matrices)
        return fork

    @property
    def is_changed(self) -> bool:
        """Whether any table was written since the fork."""
        return any(table.is_changed for _, table in self._tables())

    def _tables(self) -> list[tuple[str, Table[Hashable, object]]]:
        attributes = ((attribute.name, getattr(self, attribute.name)) for attribute in fields(self))
        return [(name, table) for name, table in attributes if isinstance(table, Table)]
