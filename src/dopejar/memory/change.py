"""What a judged proposal changes, computed before anything is written.

Takes: a proposal, its verdict and a view of what is believed. Gives: a `Change`. Never: writes or judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, assert_never

from dopejar.errors import NotFoundError, StaleProposalError, UnsupportedError
from dopejar.memory.chain import coalesce, members, relink
from dopejar.memory.derive import EDITED, MERGED, asserting, create, derive, joined
from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalise import content_hash
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import ProposalId, RecordId, record_id_of, wish_id
from dopejar.values.proposal import (
    Activate,
    Add,
    Assign,
    Deprecate,
    Link,
    Merge,
    Proposal,
    ProposalState,
    Reinforce,
    Restore,
    Share,
    Supersede,
    Tag,
)
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.verdict import Allow, Refuse, Stage, Verdict

_UNCHAINED = frozenset({Kind.BULLET, Kind.PATTERN})


class Ground(Protocol):
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
    """One record as it becomes. `evidence` is None where it stays as it was."""

    before: Record | None
    after: Record
    evidence: tuple[Evidence, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """Everything that one proposal changes. `proposal` is None where nothing about it needs to be kept."""

    revisions: tuple[Revision, ...] = ()
    edges: tuple[Edge, ...] = ()
    proposal: Proposal | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes at all."""
        return not self.revisions and not self.edges and self.proposal is None


class Draftboard:
    """The records under change: read once, revised in memory, handed out as revisions."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._before: dict[RecordId, Record | None] = {}
        self._now: dict[RecordId, Record] = {}
        self._evidence: dict[RecordId, tuple[Evidence, ...]] = {}
        self._touched: set[RecordId] = set()

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
        if not like.chain or like.kind in _UNCHAINED:
            return
        line = self._line(like)
        if merge:
            joined_line, gained = coalesce(line, {one.id: self.evidence(one.id) for one in members(line)})
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
            result.append(Revision(before=before, after=replace(after, version=version), evidence=evidence))
        return tuple(sorted(result, key=lambda one: (one.after.status is Status.ACTIVE, one.after.valid_from)))


def supported(proposal: Proposal) -> tuple[Evidence, ...]:
    """The proposal's evidence as its act's: the least trust of what asserts holds for all of it."""
    least = min((one.trust for one in proposal.evidence if one.role is EvidenceRole.ASSERTS), default=0.0)
    return tuple(
        replace(
            one, act_id=one.act_id or proposal.act_id, trust=least if one.role is EvidenceRole.ASSERTS else one.trust
        )
        for one in proposal.evidence
    )


def draft_of(proposal: Proposal) -> Draft | None:
    """The new content that a proposal carries, where it carries one."""
    payload = proposal.payload
    return payload.draft if isinstance(payload, Add | Supersede) else None


def same_wish(proposal: Proposal) -> Proposal:
    """The proposal under the id that the same wish always has, so that it waits or was refused once, not ten times."""
    draft = draft_of(proposal)
    about = (
        (draft.namespace, str(draft.scope), draft.side, draft.slot or draft.key, content_hash(draft.text))
        if draft
        else tuple(sorted(target.record_id for target in proposal.targets))
    )
    payload = proposal.payload
    rest = "" if draft else repr(payload)
    return replace(proposal, id=wish_id(proposal.action, *about, rest))


def check_targets(ground: Ground, proposal: Proposal) -> None:
    """Raises StaleProposalError where a target is not what the proposal was judged against."""
    for target in proposal.targets:
        record = ground.record(target.record_id)
        if record is None or record.version != target.version:
            now = record.version if record else "none"
            raise StaleProposalError(
                f"{target.record_id} was judged at version {target.version} and is now at {now}. Read and judge again."
            )


def settle(ground: Ground, proposal: Proposal, verdict: Verdict) -> tuple[Proposal, Proposal | None]:
    """The proposal under the id it is kept by, and the one that is kept there already.

    A new wish that is not allowed goes by the wish's own id; one that repeats a staged record goes by that record's.
    """
    if proposal.state is not ProposalState.NEW:
        return proposal, None
    repeated = _repeats_staged(ground, proposal)
    if repeated is not None:
        waiting = ground.proposal(ProposalId(f"p_{repeated.id.removeprefix('m_')}"))
        return proposal, waiting
    if isinstance(verdict, Allow):
        return proposal, None
    kept = same_wish(proposal)
    return kept, ground.proposal(kept.id)


def _repeats_staged(ground: Ground, proposal: Proposal) -> Record | None:
    if not isinstance(proposal.payload, Reinforce) or len(proposal.targets) != 1:
        return None
    record = ground.record(proposal.targets[0].record_id)
    return record if record is not None and record.status is Status.STAGED else None


def plan(ground: Ground, proposal: Proposal, verdict: Verdict, waiting: Proposal | None, now: datetime) -> Change:
    """What becomes of a settled proposal under its verdict; `waiting` is what `settle` found.

    Raises:
        StaleProposalError: a target moved since it was judged, or an add found its concept taken.
        NotFoundError: a target does not exist.
        IllegalMoveError: the lifecycle has no such move.
    """
    if isinstance(verdict, Refuse):
        return _refused(ground, proposal, verdict, waiting)
    if proposal.state is ProposalState.NEW and _repeats_staged(ground, proposal) is not None:
        return _repeated(ground, proposal, waiting)
    match verdict:
        case Stage():
            return _staged(ground, proposal, verdict, waiting, now)
        case Allow():
            check_targets(ground, proposal)
            change = allowed(ground, proposal, verdict, now)
            if proposal.state is ProposalState.STAGED:
                done = replace(
                    proposal, state=ProposalState.APPROVED, reviewer=verdict.approver, version=proposal.version + 1
                )
                return replace(change, proposal=done)
            return change
        case _:
            assert_never(verdict)


def _repeated(ground: Ground, proposal: Proposal, waiting: Proposal | None) -> Change:
    """What waits is said again: record and proposal gain the evidence, and wait on."""
    board = Draftboard(ground)
    _reinforce(board, proposal)
    revisions = board.revisions()
    if not revisions or waiting is None:
        return Change(revisions=revisions)
    evidence = joined(waiting.evidence, supported(proposal))
    return Change(revisions=revisions, proposal=replace(waiting, evidence=evidence, version=waiting.version + 1))


def _refused(ground: Ground, proposal: Proposal, verdict: Refuse, waiting: Proposal | None) -> Change:
    if proposal.state is not ProposalState.STAGED:
        if waiting is not None:
            return Change()
        reason = f"{verdict.reason} [{', '.join(verdict.rules)}]"
        return Change(proposal=replace(proposal, state=ProposalState.REFUSED, reason=reason))
    state = ProposalState.EXPIRED if verdict.by_age else ProposalState.REJECTED
    done = replace(
        proposal, state=state, reviewer=verdict.approver, reason=verdict.reason, version=proposal.version + 1
    )
    board = Draftboard(ground)
    if proposal.record_id is not None and isinstance(proposal.payload, Add):
        record = board.get(proposal.record_id)
        if record.status is Status.STAGED:
            event = Event.EXPIRE if verdict.by_age else Event.REJECT
            board.put(replace(record, status=step(record.status, event)))
    return Change(revisions=board.revisions(), proposal=done)


def _staged(ground: Ground, proposal: Proposal, verdict: Stage, waiting: Proposal | None, now: datetime) -> Change:
    if waiting is not None and waiting.state in (ProposalState.REJECTED, ProposalState.REFUSED):
        return Change()
    evidence = supported(proposal)
    board = Draftboard(ground)
    known = waiting if waiting is not None and waiting.state is ProposalState.STAGED else None
    held = joined(known.evidence if known else (), evidence)
    if known is not None and len(held) == len(known.evidence):
        return Change()
    record_id = None
    if isinstance(proposal.payload, Add):
        record_id = record_id_of(proposal.id)
        old = ground.record(record_id)
        if old is not None and old.status is Status.STAGED:
            rows = joined(board.evidence(record_id), evidence)
            board.put(derive(old, rows), rows)
        else:
            fresh = create(
                record_id,
                proposal.payload.draft,
                evidence,
                status=step(None, Event.STAGE),
                now=now,
                made_by=proposal.made_by,
            )
            version = old.version if old else 0
            board.put(replace(fresh, version=version), evidence)
    kept = replace(
        proposal,
        state=ProposalState.STAGED,
        record_id=record_id,
        evidence=held,
        reason=f"{verdict.reason} [{', '.join(verdict.rules)}]",
        version=(waiting.version + 1) if waiting else 1,
    )
    return Change(revisions=board.revisions(), proposal=kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Deed:
    """What one allowed proposal works with."""

    board: Draftboard
    ground: Ground
    proposal: Proposal
    verdict: Allow
    now: datetime


def allowed(ground: Ground, proposal: Proposal, verdict: Allow, now: datetime) -> Change:
    """What an allowed proposal changes. Undo and erase reach further than a change and have modules of their own."""
    deed = _Deed(board=Draftboard(ground), ground=ground, proposal=proposal, verdict=verdict, now=now)
    edges = _content(deed)
    return Change(revisions=deed.board.revisions(), edges=edges)


def _content(deed: _Deed) -> tuple[Edge, ...]:
    """Carry out what makes or moves content; hand on what only moves status."""
    match deed.proposal.payload:
        case Add() as payload:
            _add(deed, payload)
        case Reinforce():
            _reinforce(deed.board, deed.proposal)
        case Supersede() as payload:
            _supersede(deed, payload)
        case Merge() as payload:
            _merge(deed.board, deed.proposal, payload)
        case Share() as payload:
            return _share(deed, payload)
        case Link() as payload:
            return payload.edges
        case _:
            _standing(deed)
    return ()


def _standing(deed: _Deed) -> None:
    """Carry out what moves status, side or tags."""
    match deed.proposal.payload:
        case Assign() as payload:
            _each(deed, Event.ASSIGN, side=payload.side)
        case Activate():
            _activate(deed.board, deed.proposal, deed.verdict)
        case Deprecate():
            _each(deed, Event.DEPRECATE)
        case Restore():
            _each(deed, Event.RESTORE)
            for target in deed.proposal.targets:
                deed.board.relink(deed.board.get(target.record_id), merge=True)
        case Tag() as payload:
            _tag(deed.board, deed.proposal, payload)
        case _:
            raise UnsupportedError(
                f"{deed.proposal.action} is not a change of single records; commit routes it elsewhere."
            )


def _approved(record: Record, verdict: Allow) -> Record:
    return record if verdict.approver == "policy" else replace(record, approved_by=verdict.approver)


def _add(deed: _Deed, payload: Add) -> None:
    board, ground, proposal, verdict, now = deed.board, deed.ground, deed.proposal, deed.verdict, deed.now
    draft, made = payload.draft, proposal.record_id or record_id_of(proposal.id)
    waiting = ground.record(made)
    if waiting is not None and waiting.status is Status.STAGED:
        record = replace(waiting, status=step(waiting.status, Event.APPROVE))
        if draft.text != waiting.text:
            words = {**waiting.attributes, EDITED: verdict.approver}
            record = replace(record, text=draft.text, content_hash=content_hash(draft.text), attributes=words)
        record = replace(record, key=draft.key, slot=draft.slot, value=draft.value, scope=draft.scope, kind=draft.kind)
        board.put(_approved(record, verdict))
    else:
        taken = draft.key and not draft.temporary and draft.kind not in _UNCHAINED
        if taken and members(ground.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)):
            raise StaleProposalError(f"{draft.key} was free when it was judged and is taken now. Read and judge again.")
        event = Event.PLACE if draft.side in (Side.LEFT, Side.RIGHT) else Event.ALLOW
        evidence = supported(proposal)
        record = create(made, draft, evidence, status=step(None, event), now=now, made_by=proposal.made_by)
        board.put(_approved(record, verdict), evidence)
    if not draft.temporary:
        board.relink(board.get(made), merge=True)


def _reinforce(board: Draftboard, proposal: Proposal) -> None:
    for target in proposal.targets:
        record = board.get(target.record_id)
        old = board.evidence(record.id)
        rows = joined(old, supported(proposal))
        if len(rows) == len(old):
            continue
        board.put(derive(record, rows), rows)
        board.relink(board.get(record.id))


def _supersede(deed: _Deed, payload: Supersede) -> None:
    board, proposal, verdict, now = deed.board, deed.proposal, deed.verdict, deed.now
    evidence = supported(proposal)
    made = proposal.record_id or record_id_of(proposal.id)
    record = create(made, payload.draft, evidence, status=step(None, Event.ALLOW), now=now, made_by=proposal.made_by)
    board.put(_approved(record, verdict), evidence)
    if payload.predecessor is not None:
        old = board.get(payload.predecessor)
        rows = board.evidence(old.id)
        later = tuple(one for one in rows if payload.resume_from is not None and one.at > payload.resume_from)
        earlier = tuple(one for one in rows if one not in later)
        if later and asserting(earlier) and asserting(later):
            board.put(derive(old, earlier), earlier)
            again = replace(
                old, id=record_id_of(proposal.id, "resumed"), status=Status.ACTIVE, created_at=now, version=0
            )
            board.put(derive(again, later), later)
        if old.chain != record.chain and old.status is Status.ACTIVE:
            # the concept was found under another key or slot: the chains meet here
            moved = replace(old, status=step(old.status, Event.SUPERSEDE), superseded_by=made)
            if record.valid_from >= old.valid_from:
                board.put(replace(moved, valid_to=record.valid_from, attributes={**old.attributes, MERGED: made}))
    board.relink(board.get(made), merge=True)


def _each(deed: _Deed, event: Event, *, side: Side | None = None) -> None:
    board, approver = deed.board, deed.verdict.approver
    for target in deed.proposal.targets:
        record = board.get(target.record_id)
        changed = replace(record, status=step(record.status, event), approved_by=approver)
        board.put(changed if side is None else replace(changed, side=side))


def _activate(board: Draftboard, proposal: Proposal, verdict: Allow) -> None:
    for target in proposal.targets:
        record = board.get(target.record_id)
        event = Event.APPROVE if record.status is Status.STAGED else Event.PROVE
        board.put(_approved(replace(record, status=step(record.status, event)), verdict))
        board.relink(board.get(record.id), merge=True)


def _share(deed: _Deed, payload: Share) -> tuple[Edge, ...]:
    board, proposal, verdict, now = deed.board, deed.proposal, deed.verdict, deed.now
    edges = []
    for target in proposal.targets:
        origin = board.get(target.record_id)
        copy_id = record_id_of(proposal.id, origin.id)
        rows = board.evidence(origin.id)
        copy = replace(
            origin,
            id=copy_id,
            side=Side.SHARED,
            text=payload.text,
            content_hash=content_hash(payload.text),
            confidence=max(origin.confidence, 0.8),
            created_at=now,
            version=0,
            approved_by=verdict.approver,
            attributes={**origin.attributes, EDITED: verdict.approver},
        )
        board.put(copy, rows)
        edges.append(Edge(src=copy_id, dst=origin.id, kind=EdgeKind.COPY_OF, record_id=copy_id))
    return tuple(edges)


def _merge(board: Draftboard, proposal: Proposal, payload: Merge) -> None:
    into = board.get(payload.into)
    rows = board.evidence(into.id)
    for target in proposal.targets:
        if target.record_id == into.id:
            continue
        record = board.get(target.record_id)
        rows = joined(rows, board.evidence(record.id))
        status = step(record.status, Event.SUPERSEDE) if record.status is Status.ACTIVE else record.status
        marks = {**record.attributes, MERGED: into.id}
        board.put(replace(record, status=status, superseded_by=into.id, attributes=marks))
        board.relink(record)
    board.put(derive(into, rows), rows)
    board.relink(board.get(into.id), merge=True)


def _tag(board: Draftboard, proposal: Proposal, payload: Tag) -> None:
    for target in proposal.targets:
        record = board.get(target.record_id)
        kept: Sequence[str] = [one for one in record.tags if one not in payload.remove]
        tags = tuple(dict.fromkeys([*kept, *payload.add]))
        pinned = record.pinned if payload.pinned is None else payload.pinned
        board.put(replace(record, tags=tags, pinned=pinned))
