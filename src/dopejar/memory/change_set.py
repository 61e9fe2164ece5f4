"""Records under change, before anything is written.

Takes: a view of what is believed. Gives: revisions, each with its next version. Never: writes or judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from dopejar.errors import NotFoundError
from dopejar.memory.chain import chain_members, coalesce, relink
from dopejar.values.edge import Edge
from dopejar.values.ids import ProposalId, RecordId
from dopejar.values.proposal import (
    Proposal,
)
from dopejar.values.record import Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Namespace, Scope, Side

UNCHAINED = frozenset({Kind.BULLET, Kind.PATTERN})


class BaseView(Protocol):
    """What a change is computed against: the store's view, or that view with pending changes on top."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record of a chain, by `valid_from`."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What a record rests on, oldest first."""
        ...

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal kept under this id."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """One record as it becomes. `evidence` is None where it stays as it was; `edges` were read from its words."""

    before: Record | None
    after: Record
    evidence: tuple[Evidence, ...] | None = None
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """Everything that one proposal changes. `proposal` is None where nothing about it needs to be kept.

    `others` are proposals that it decides about as well: an assignment closes the bullet's own add, a return opens it.
    """

    revisions: tuple[Revision, ...] = ()
    edges: tuple[Edge, ...] = ()
    proposal: Proposal | None = None
    others: tuple[Proposal, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes at all."""
        return not self.revisions and not self.edges and self.proposal is None


class ChangeSet:
    """The records under change: read once, revised in memory, handed out as revisions."""

    def __init__(self, ground: BaseView) -> None:
        self._ground = ground
        self._before: dict[RecordId, Record | None] = {}
        self._now: dict[RecordId, Record] = {}
        self._evidence: dict[RecordId, tuple[Evidence, ...]] = {}
        self._touched: set[RecordId] = set()
        self._edges: dict[RecordId, tuple[Edge, ...]] = {}

    def get(self, record_id: RecordId) -> Record:
        """The record as it stands on this board; NotFoundError where there is none."""
        if record_id not in self._now:
            record = self._ground.record(record_id)
            if record is None:
                raise NotFoundError(f"There is no memory {record_id}. `dopejar log` lists what there is.")
            self._before[record_id] = self._now[record_id] = record
        return self._now[record_id]

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """The record's evidence as it stands on this board."""
        if record_id not in self._evidence:
            self._evidence[record_id] = self._ground.evidence(record_id)
        return self._evidence[record_id]

    def put(self, record: Record, evidence: tuple[Evidence, ...] | None = None) -> None:
        """Place a record, new or changed, and its evidence where that changed."""
        if record.id not in self._before:
            self._before[record.id] = self._ground.record(record.id)
        self._now[record.id] = record
        if evidence is not None:
            self._evidence[record.id] = evidence
            self._touched.add(record.id)

    def read_edges(self, record_id: RecordId, edges: Sequence[Edge]) -> None:
        """Place the edges that were read from a record's words."""
        self._edges[record_id] = tuple(replace(one, record_id=record_id) for one in edges)

    def _line(self, like: Record) -> list[Record]:
        stored = self._ground.chain(like.namespace, like.scope, like.side, like.chain)
        for record in stored:
            self._before.setdefault(record.id, record)
            self._now.setdefault(record.id, record)
        return [
            one
            for one in self._now.values()
            if (one.namespace, one.scope, one.side, one.chain) == (like.namespace, like.scope, like.side, like.chain)
        ]

    def relink(self, like: Record, *, merge: bool = False) -> None:
        """Put the chain of this record in order; with `merge`, neighbours that say the same become one."""
        if not like.chain or like.kind in UNCHAINED:
            return
        line = self._line(like)
        if merge:
            joined_line, gained = coalesce(line, {one.id: self.evidence(one.id) for one in chain_members(line)})
            for one in joined_line:
                self.put(one, gained.get(one.id))
            line = self._line(like)
        for one in relink(line):
            self._now[one.id] = one

    def revisions(self) -> tuple[Revision, ...]:
        """What differs from the ground, each with its next version; the superseded come before what replaces them."""
        result = []
        for record_id, after in self._now.items():
            before = self._before.get(record_id)
            evidence = self._evidence[record_id] if record_id in self._touched else None
            if before == after and evidence is None:
                continue
            version = before.version + 1 if before else 1
            fresh = replace(after, version=version)
            edges = self._edges.get(record_id, ())
            result.append(Revision(before=before, after=fresh, evidence=evidence, edges=edges))
        return tuple(sorted(result, key=lambda one: (one.after.status is Status.ACTIVE, one.after.valid_from)))


def evidence_of_act(proposal: Proposal) -> tuple[Evidence, ...]:
    """The proposal's evidence as its act's: the least trust of what asserts holds for all of it."""
    least = min((one.trust for one in proposal.evidence if one.role is EvidenceRole.ASSERTS), default=0.0)
    return tuple(_supporting(one, proposal, least) for one in proposal.evidence)


def _supporting(one: Evidence, proposal: Proposal, least: float) -> Evidence:
    act_id, trust = one.act_id or proposal.act_id, least if one.role is EvidenceRole.ASSERTS else one.trust
    if act_id == one.act_id and trust == one.trust:
        return one  # as most is
    return replace(one, act_id=act_id, trust=trust)
