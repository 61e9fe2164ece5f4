"""A change set: records under change, before anything is written.

Takes: a view of what is believed. Gives: revisions, each with its next version. Never: writes or judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from dopejar.errors import NotFoundError
from dopejar.memory.chain import chain_members, coalesce, line_up_to, relink, with_digest
from dopejar.memory.derivation import JOINED_BY
from dopejar.text.normalisation import content_hash
from dopejar.values.edge import Edge
from dopejar.values.ids import ProposalId, RecordId
from dopejar.values.proposal import Proposal, ProposalState
from dopejar.values.record import Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.target import Target

UNCHAINED = frozenset({Kind.BULLET, Kind.PATTERN})


class BaseView(Protocol):
    """What a change is computed against: the store's view, or that view with pending changes on top."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record of a chain, by `valid_from`."""
        ...

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Every record with this key, by `valid_from`."""
        ...

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Every record with this content hash, in any scope."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """The evidence of a record, oldest first."""
        ...

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal kept under this id."""
        ...

    def proposals(self, states: Sequence[ProposalState], limit: int) -> tuple[Proposal, ...]:
        """Proposals in these states."""
        ...

    def meta(self, key: str) -> str | None:
        """A value about the store itself: `secret` (hex), ..."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """The next version of one record. `evidence` is None where it stays; `edges` were read from the record's words."""

    before: Record | None
    after: Record
    evidence: tuple[Evidence, ...] | None = None
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """Everything that one proposal changes. `proposal` is None where nothing about it needs to be kept.

    `others` are further proposals that it decides: an assignment closes the bullet's own add, a restore reopens it.
    `targets` are the targets that are no records: the ledger names them, and the kept proposal says what was decided.
    """

    revisions: tuple[Revision, ...] = ()
    edges: tuple[Edge, ...] = ()
    proposal: Proposal | None = None
    others: tuple[Proposal, ...] = ()
    targets: tuple[Target, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes at all."""
        return not self.revisions and not self.edges and self.proposal is None


class ChangeSet:
    """The records under change: read once, revised in memory, given as revisions."""

    def __init__(self, base: BaseView) -> None:
        self._base = base
        self._before: dict[RecordId, Record | None] = {}
        self._current: dict[RecordId, Record] = {}
        self._evidence: dict[RecordId, tuple[Evidence, ...]] = {}
        self._with_new_evidence: set[RecordId] = set()
        self._edges: dict[RecordId, tuple[Edge, ...]] = {}

    def get(self, record_id: RecordId) -> Record:
        """The record as it stands in this set; NotFoundError where there is none."""
        if record_id not in self._current:
            record = self._base.record(record_id)
            if record is None:
                raise NotFoundError(f"There is no memory {record_id}. `dopejar list` lists the memories.")
            self._before[record_id] = self._current[record_id] = record
        return self._current[record_id]

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """The record's evidence as it stands in this set."""
        if record_id not in self._evidence:
            self._evidence[record_id] = self._base.evidence(record_id)
        return self._evidence[record_id]

    def put(self, record: Record, evidence: tuple[Evidence, ...] | None = None) -> None:
        """Add a new or changed record, with its evidence where that changed."""
        if record.id not in self._before:
            self._before[record.id] = self._base.record(record.id)
        self._current[record.id] = record
        if evidence is not None:
            self._evidence[record.id] = evidence
            self._with_new_evidence.add(record.id)

    def put_extracted_edges(self, record_id: RecordId, edges: Sequence[Edge]) -> None:
        """Add the edges that a proposal states with its record."""
        self._edges[record_id] = tuple(replace(edge, record_id=record_id, src=edge.src or record_id) for edge in edges)

    def _chain_of(self, record: Record) -> list[Record]:
        for stored in self._base.chain(record.namespace, record.scope, record.side, record.chain):
            self._before.setdefault(stored.id, stored)
            self._current.setdefault(stored.id, stored)
        place = (record.namespace, record.scope, record.side, record.chain)
        return [
            member
            for member in self._current.values()
            if (member.namespace, member.scope, member.side, member.chain) == place
        ]

    def relink(self, record: Record, *, merge: bool = False) -> None:
        """Put the record's chain in order; with `merge`, neighbours that state the same value become one."""
        if not record.chain or record.kind in UNCHAINED:
            return
        chain = self._chain_of(record)
        if merge:
            evidence = {member.id: self.evidence(member.id) for member in chain_members(chain)}
            coalesced, gained = coalesce(chain, evidence)
            for member in coalesced:
                self.put(member, gained.get(member.id))
            chain = self._chain_of(record)
        for member in relink(chain):
            self._current[member.id] = member

    def join_chains(self, record: Record, into: Record) -> None:
        """Make the versions of the record's chain versions of the other record's chain, which is not relinked yet."""
        if record.chain == into.chain:
            return
        for member in chain_members(self._chain_of(record)):
            joined_by = f"{member.attributes.get(JOINED_BY, '')} {into.id}".strip()
            attributes = {**member.attributes, JOINED_BY: joined_by}
            self._current[member.id] = replace(member, key=into.key, slot=into.slot, value="", attributes=attributes)

    def stand_apart(self, record: Record) -> None:
        """Give a version that was replaced a chain of its own, with the versions before it; both are relinked."""
        line, after = line_up_to(self._chain_of(record), record)
        if after is not None:
            key = with_digest(record.key, content_hash(f"{record.id} {after.id}"))
            for member in line:
                self._current[member.id] = replace(member, key=key, slot="", value="")
            self.relink(after)
        self.relink(self._current[record.id])

    def revisions(self) -> tuple[Revision, ...]:
        """What differs from the base, each with its next version; the superseded come before what replaces them."""
        revisions = []
        for record_id, after in self._current.items():
            before = self._before.get(record_id)
            evidence = self._evidence[record_id] if record_id in self._with_new_evidence else None
            if before == after and evidence is None:
                continue
            version = before.version + 1 if before else 1
            edges = self._edges.get(record_id, ())
            revisions.append(
                Revision(before=before, after=replace(after, version=version), evidence=evidence, edges=edges)
            )
        return tuple(
            sorted(revisions, key=lambda revision: (revision.after.status is Status.ACTIVE, revision.after.valid_from))
        )


def evidence_of_act(proposal: Proposal) -> tuple[Evidence, ...]:
    """The proposal's evidence as that of its act: the least trust among its assertions holds for all of them."""
    least = min((row.trust for row in proposal.evidence if row.role is EvidenceRole.ASSERTS), default=0.0)
    return tuple(_with_act(row, proposal, least) for row in proposal.evidence)


def _with_act(row: Evidence, proposal: Proposal, least: float) -> Evidence:
    act_id, trust = row.act_id or proposal.act_id, least if row.role is EvidenceRole.ASSERTS else row.trust
    if act_id == row.act_id and trust == row.trust:
        return row  # most rows need no copy
    return replace(row, act_id=act_id, trust=trust)
