"""What each allowed action changes.

Takes: an allowed proposal and a view. Gives: a `Change`. Never: writes or judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dopejar.errors import IllegalMoveError, InputError, StaleProposalError, UnsupportedError
from dopejar.memory.chain import find_neighbours, value_or_hash
from dopejar.memory.change_set import UNCHAINED, BaseView, Change, ChangeSet, evidence_of_act
from dopejar.memory.derivation import (
    EDITED_BY,
    MERGED_INTO,
    SHARED_CONFIDENCE,
    SUGGESTED_SIDE,
    assertions,
    create_record,
    demote_if_harmful,
    derive,
    merge_evidence,
    reinstate,
    restore_to_trial,
    with_outcome_counts,
)
from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalise import content_hash
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import RecordId, record_id_of
from dopejar.values.proposal import (
    Activate,
    Add,
    Assign,
    Deprecate,
    Link,
    Merge,
    Proposal,
    Reinforce,
    Restore,
    Share,
    Supersede,
    Tag,
)
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Side
from dopejar.values.verdict import Allow

_HEMISPHERES = (Side.LEFT, Side.RIGHT)


@dataclass(frozen=True, kw_only=True, slots=True)
class _ActionContext:
    """What one allowed proposal works with."""

    board: ChangeSet
    ground: BaseView
    proposal: Proposal
    verdict: Allow
    now: datetime


def apply_action(ground: BaseView, proposal: Proposal, verdict: Allow, now: datetime) -> Change:
    """What an allowed proposal changes. Undo and erase reach further than a change and have modules of their own."""
    deed = _ActionContext(board=ChangeSet(ground), ground=ground, proposal=proposal, verdict=verdict, now=now)
    edges = _content(deed)
    return Change(revisions=deed.board.revisions(), edges=edges)


def _content(deed: _ActionContext) -> tuple[Edge, ...]:
    """Carry out what makes or moves content; hand on what only moves status."""
    match deed.proposal.payload:
        case Add() as payload:
            _add(deed, payload)
        case Reinforce():
            reinforce(deed.board, deed.proposal)
        case Supersede() as payload:
            _supersede(deed, payload)
        case Merge() as payload:
            _merge(deed.board, deed.proposal, payload.into)
        case Share() as payload:
            return _share(deed, payload)
        case Link() as payload:
            return payload.edges
        case _:
            _standing(deed)
    return ()


def _standing(deed: _ActionContext) -> None:
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
            _standing_again(deed)
        case Tag() as payload:
            _tag(deed.board, deed.proposal, payload)
        case _:
            raise UnsupportedError(
                f"{deed.proposal.action} is not a change of single records; commit routes it elsewhere."
            )


def _standing_again(deed: _ActionContext) -> None:
    """What comes back rests on what it rested on; what an undo let go, on what that had withdrawn."""
    for target in deed.proposal.targets:
        record, rows = deed.board.get(target.record_id), deed.board.evidence(target.record_id)
        if not assertions(rows):
            rows = tuple(map(reinstate, rows))
            deed.board.put(derive(record, rows), rows)
        deed.board.put(restore_to_trial(deed.board.get(target.record_id)))
        deed.board.relink(deed.board.get(target.record_id), merge=True)


def _approved(record: Record, verdict: Allow) -> Record:
    if verdict.approver == "policy" or (verdict.approver == "auto" and record.approved_by):
        return record  # who approved it first stays known; the ledger names every approver
    return replace(record, approved_by=verdict.approver)


def _taken_up(waiting: Record, draft: Draft) -> Record:
    """A staged record as its approval makes it: active, or, a bullet, on trial on the side it is assigned to."""
    if waiting.kind is not Kind.BULLET:
        return replace(waiting, status=step(waiting.status, Event.APPROVE))
    side = draft.side if draft.side in _HEMISPHERES else waiting.attributes.get(SUGGESTED_SIDE, "")
    if side not in _HEMISPHERES:
        raise InputError(
            f"{waiting.id} is a bullet that suits neither side clearly. Choose one: "
            f"`dopejar bullets assign {waiting.id} left`, or right."
        )
    return replace(waiting, status=step(waiting.status, Event.ASSIGN), side=Side(side))


def _add(deed: _ActionContext, payload: Add) -> None:
    board, ground, proposal, verdict, now = deed.board, deed.ground, deed.proposal, deed.verdict, deed.now
    draft, made = payload.draft, proposal.record_id or record_id_of(proposal.id)
    waiting = ground.record(made)
    if waiting is not None and waiting.status is Status.STAGED:
        record = _taken_up(waiting, draft)
        if draft.text != waiting.text:
            words = {**waiting.attributes, EDITED_BY: verdict.approver}
            record = replace(record, text=draft.text, content_hash=content_hash(draft.text), attributes=words)
        record = replace(record, key=draft.key, slot=draft.slot, value=draft.value, scope=draft.scope, kind=draft.kind)
        board.put(_approved(record, verdict))
    else:
        taken = draft.key and not draft.temporary and draft.kind not in UNCHAINED
        if taken and _has_neighbours(draft, proposal, ground):
            raise StaleProposalError(f"{draft.key} was free when it was judged and is taken now. Read and judge again.")
        event = Event.PLACE if draft.side in _HEMISPHERES else Event.ALLOW
        evidence = evidence_of_act(proposal)
        record = create_record(made, draft, evidence, status=step(None, event), now=now, made_by=proposal.made_by)
        board.put(_approved(record, verdict), evidence)
    board.read_edges(made, payload.edges)
    if not draft.temporary:
        board.relink(board.get(made), merge=True)


def _has_neighbours(draft: Draft, proposal: Proposal, ground: BaseView) -> bool:
    """Whether a version stands on the line of the chain that the draft would open."""
    chain = ground.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    return any(find_neighbours(chain, draft.valid_from or proposal.at, draft.value, content_hash(draft.text)))


def reinforce(board: ChangeSet, proposal: Proposal) -> None:
    """The targets gain the evidence that they do not have yet, and their chains follow."""
    for target in proposal.targets:
        record = board.get(target.record_id)
        old = board.evidence(record.id)
        rows = merge_evidence(old, evidence_of_act(proposal))
        if len(rows) == len(old):
            continue
        board.put(derive(record, rows), rows)
        board.relink(board.get(record.id))


def _supersede(deed: _ActionContext, payload: Supersede) -> None:
    if payload.into is not None:
        _merge(deed.board, deed.proposal, payload.into)
        return
    board, proposal, verdict, now = deed.board, deed.proposal, deed.verdict, deed.now
    evidence = evidence_of_act(proposal)
    made = proposal.record_id or record_id_of(proposal.id)
    record = create_record(made, payload.draft, evidence, status=step(None, Event.ALLOW), now=now, made_by=proposal.made_by)
    board.put(_approved(record, verdict), evidence)
    board.read_edges(made, payload.edges)
    if payload.predecessor is not None:
        old = board.get(payload.predecessor)
        rows = board.evidence(old.id)
        then = payload.resume_from
        later = tuple(one for one in rows if then is not None and (one.at, value_or_hash(old)) > (then, value_or_hash(record)))
        earlier = tuple(one for one in rows if one not in later)
        if later and assertions(earlier) and assertions(later):
            board.put(derive(old, earlier), earlier)
            again = replace(
                old, id=record_id_of(proposal.id, "resumed"), status=Status.ACTIVE, created_at=now, version=0
            )
            board.put(derive(again, later), later)
        if old.chain != record.chain and old.status is Status.ACTIVE:
            # the concept was found under another key or slot: the chains meet here
            moved = replace(old, status=step(old.status, Event.SUPERSEDE), superseded_by=made)
            if record.valid_from >= old.valid_from:
                board.put(replace(moved, valid_to=record.valid_from, attributes={**old.attributes, MERGED_INTO: made}))
    board.relink(board.get(made), merge=True)


def _each(deed: _ActionContext, event: Event, *, side: Side | None = None) -> None:
    board, approver = deed.board, deed.verdict.approver
    for target in deed.proposal.targets:
        record = board.get(target.record_id)
        changed = replace(record, status=step(record.status, event), approved_by=approver)
        board.put(changed if side is None else replace(changed, side=side))


def _activate(board: ChangeSet, proposal: Proposal, verdict: Allow) -> None:
    for target in proposal.targets:
        record = board.get(target.record_id)
        event = Event.APPROVE if record.status is Status.STAGED else Event.PROVE
        board.put(_approved(replace(record, status=step(record.status, event)), verdict))
        board.relink(board.get(record.id), merge=True)


def _share(deed: _ActionContext, payload: Share) -> tuple[Edge, ...]:
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
            confidence=max(origin.confidence, SHARED_CONFIDENCE),
            created_at=now,
            version=0,
            approved_by=verdict.approver,
            attributes={**origin.attributes, EDITED_BY: verdict.approver},
        )
        board.put(copy, rows)
        edges.append(Edge(src=copy_id, dst=origin.id, kind=EdgeKind.COPY_OF, record_id=copy_id))
    return tuple(edges)


def _merge(board: ChangeSet, proposal: Proposal, heir: RecordId) -> None:
    into = board.get(heir)
    rows = board.evidence(into.id)
    for target in proposal.targets:
        if target.record_id == into.id:
            continue
        record = board.get(target.record_id)
        rows = merge_evidence(rows, _as_said_in(into, board.evidence(record.id)))
        status = step(record.status, Event.SUPERSEDE) if record.status is Status.ACTIVE else record.status
        marks = {**record.attributes, MERGED_INTO: into.id}
        board.put(replace(record, status=status, superseded_by=into.id, attributes=marks))
        board.relink(record)
    board.put(derive(into, rows), rows)
    board.relink(board.get(into.id), merge=True)


def _as_said_in(into: Record, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Evidence of a bullet for the one it is merged into: the words of that one stay, whichever was said first."""
    if into.kind is not Kind.BULLET:
        return tuple(evidence)
    asserts = EvidenceRole.ASSERTS
    return tuple(replace(one, wording=into.text) if one.role is asserts else one for one in evidence)


def _tag(board: ChangeSet, proposal: Proposal, payload: Tag) -> None:
    for target in proposal.targets:
        record = board.get(target.record_id)
        if payload.outcome:
            old = board.evidence(record.id)
            rows = merge_evidence(old, _outcomes(record, proposal, payload.outcome))
            if len(rows) == len(old):
                continue  # this episode has told about this record before
            record = with_outcome_counts(record, rows)
            board.put(record, rows)
        kept: Sequence[str] = [one for one in record.tags if one not in payload.remove]
        tags = tuple(dict.fromkeys([*kept, *payload.add]))
        pinned = record.pinned if payload.pinned is None else payload.pinned
        board.put(demote_if_harmful(replace(record, tags=tags, pinned=pinned)))


def _outcomes(record: Record, proposal: Proposal, outcome: str) -> tuple[Evidence, ...]:
    """The proposal's evidence as outcomes of using this record."""
    if record.status not in (Status.QUARANTINED, Status.ACTIVE):
        raise IllegalMoveError(
            f"A {record.status} memory is not in use, so nothing can tell how using it turned out. Assign it first."
        )
    return tuple(replace(one, role=EvidenceRole.OUTCOME, wording=outcome) for one in evidence_of_act(proposal))
