"""Action handlers: what each allowed action changes.

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
    KEPT_BESIDE,
    MERGED_INTO,
    SHARED_CONFIDENCE,
    SUGGESTED_SIDE,
    apply_outcome_counts,
    assertions,
    create_record,
    demote_if_harmful,
    derive,
    merge_evidence,
    reinstate,
    restore_to_trial,
)
from dopejar.memory.kept_rests import keep_rests
from dopejar.memory.key_changes import change_keys
from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalisation import content_hash
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
    Rekey,
    Restore,
    Share,
    Supersede,
    Tag,
)
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Side
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow

_HEMISPHERES = (Side.LEFT, Side.RIGHT)


@dataclass(frozen=True, kw_only=True, slots=True)
class _ActionContext:
    """What a handler works with."""

    changes: ChangeSet
    base: BaseView
    proposal: Proposal
    verdict: Allow
    now: datetime


def apply_action(base: BaseView, proposal: Proposal, verdict: Allow, now: datetime) -> Change:
    """What an allowed proposal changes. Undo and erase reach further; `undo` and `erasure` plan them."""
    if isinstance(proposal.payload, Rekey):
        return change_keys(base, proposal, proposal.payload)
    context = _ActionContext(changes=ChangeSet(base), base=base, proposal=proposal, verdict=verdict, now=now)
    edges = _apply_content_action(context)
    others = tuple(target for target in proposal.targets if not isinstance(target, RecordTarget))
    return Change(revisions=context.changes.revisions(), edges=edges, targets=others)


def _apply_content_action(context: _ActionContext) -> tuple[Edge, ...]:
    """Carry out an action that makes or moves content, or pass it on; the edges that it states."""
    match context.proposal.payload:
        case Add() as payload:
            _add(context, payload)
        case Reinforce():
            reinforce(context.changes, context.proposal)
        case Supersede() as payload:
            _supersede(context, payload)
        case Merge() as payload:
            _merge(context.changes, context.proposal, payload.into)
        case Share() as payload:
            return _share(context, payload)
        case Link() as payload:
            return payload.edges
        case _:
            _apply_status_action(context)
    return ()


def _apply_status_action(context: _ActionContext) -> None:
    """Carry out an action that moves status, side or tags."""
    match context.proposal.payload:
        case Assign() as payload:
            _move_targets(context, Event.ASSIGN, side=payload.side)
        case Activate():
            _activate(context.changes, context.proposal, context.verdict)
        case Deprecate():
            _move_targets(context, Event.DEPRECATE)
        case Restore():
            _restore(context)
        case Tag() as payload:
            _tag(context.changes, context.proposal, payload)
        case _:
            raise UnsupportedError(
                f"{context.proposal.action} is not a change of single records; commit routes it elsewhere."
            )


def _restore(context: _ActionContext) -> None:
    """What was replaced comes back beside what replaced it; anything else to its place in its chain."""
    records = [context.changes.get(target.record_id) for target in context.proposal.record_targets]
    replaced = [record for record in records if record.status is Status.SUPERSEDED]
    for record in replaced:
        _refuse_twin(context.base, record)
    _move_targets(context, Event.RESTORE)
    for record in replaced:
        _stand_beside(context.changes, record)
    _reinstate_targets(context)


def _refuse_twin(base: BaseView, record: Record) -> None:
    """Raises InputError where what holds now says the same, word for word."""
    for other in base.with_content(record.namespace, record.content_hash):
        is_twin = other.status is Status.ACTIVE and (other.scope, other.side) == (record.scope, record.side)
        if is_twin and other.temporary is record.temporary:
            raise InputError(f"{record.id} need not be brought back: {other.id} says the same, and holds.")


def _stand_beside(changes: ChangeSet, replaced: Record) -> None:
    """Take a record out of the place where another one replaced it, and note that both were let stand."""
    record, beside = changes.get(replaced.id), replaced.superseded_by
    into = replaced.attributes.get(MERGED_INTO)
    if into is not None:
        _give_back_evidence(changes, record, RecordId(into))
    attributes = {name: value for name, value in record.attributes.items() if name != MERGED_INTO}
    if beside is not None:
        attributes[KEPT_BESIDE] = f"{attributes.get(KEPT_BESIDE, '')} {beside}".strip()
    ends = record.valid_to if record.temporary else None
    record = replace(record, attributes=attributes, superseded_by=None, valid_to=ends)
    changes.put(record)
    if record.chain and not record.temporary and record.kind not in UNCHAINED:
        changes.stand_apart(record)


def _give_back_evidence(changes: ChangeSet, record: Record, into: RecordId) -> None:
    """The record that took over another one's evidence rests on its own again."""
    own = {(row.episode_id, row.start) for row in changes.evidence(record.id)}
    merged = changes.evidence(into)
    rows = tuple(row for row in merged if (row.episode_id, row.start) not in own)
    if assertions(rows) and rows != merged:
        changes.put(derive(changes.get(into), rows), rows)
        changes.relink(changes.get(into))


def _reinstate_targets(context: _ActionContext) -> None:
    """Restored records rest on their evidence again; where an undo withdrew all of it, the evidence is reinstated."""
    changes = context.changes
    for target in context.proposal.record_targets:
        record, rows = changes.get(target.record_id), changes.evidence(target.record_id)
        if not assertions(rows):
            rows = tuple(map(reinstate, rows))
            changes.put(derive(record, rows), rows)
        record = changes.get(target.record_id)
        attributes = {name: value for name, value in record.attributes.items() if name != MERGED_INTO}
        changes.put(restore_to_trial(replace(record, attributes=attributes)))
        changes.relink(changes.get(target.record_id), merge=True)


def _with_approver(record: Record, verdict: Allow) -> Record:
    if verdict.approver == "policy" or (verdict.approver == "auto" and record.approved_by):
        return record  # who approved it first stays known; the ledger names every approver
    return replace(record, approved_by=verdict.approver)


def _approve_staged(staged: Record, draft: Draft) -> Record:
    """A staged record as its approval makes it: active; a bullet is quarantined on the side that it is assigned to."""
    if staged.kind is not Kind.BULLET:
        return replace(staged, status=step(staged.status, Event.APPROVE))
    side = draft.side if draft.side in _HEMISPHERES else staged.attributes.get(SUGGESTED_SIDE, "")
    if side not in _HEMISPHERES:
        raise InputError(
            f"{staged.id} is a bullet that suits neither side clearly. Choose one: "
            f"`dopejar bullets assign {staged.id} left`, or right."
        )
    return replace(staged, status=step(staged.status, Event.ASSIGN), side=Side(side))


def _add(context: _ActionContext, payload: Add) -> None:
    changes, proposal, verdict = context.changes, context.proposal, context.verdict
    draft, record_id = payload.draft, proposal.record_id or record_id_of(proposal.id)
    staged = context.base.record(record_id)
    if staged is not None and staged.status is Status.STAGED:
        record = _approve_staged(staged, draft)
        if draft.text != staged.text:
            attributes = {**staged.attributes, EDITED_BY: verdict.approver}
            record = replace(record, text=draft.text, content_hash=content_hash(draft.text), attributes=attributes)
            record = replace(record, valid_to=draft.valid_to, temporary=draft.temporary)
        record = replace(record, key=draft.key, slot=draft.slot, value=draft.value, scope=draft.scope, kind=draft.kind)
        changes.put(_beside_its_equal(_with_approver(record, verdict), context.base))
    else:
        is_chained = draft.key and not draft.temporary and draft.kind not in UNCHAINED
        if is_chained and _has_neighbours(draft, proposal, context.base):
            raise StaleProposalError(f"{draft.key} was free when it was judged and is taken now. Read and judge again.")
        event = Event.PLACE if draft.side in _HEMISPHERES else Event.ALLOW
        _create(context, draft, record_id, event)
    changes.put_extracted_edges(record_id, payload.edges)
    if not draft.temporary:
        changes.relink(changes.get(record_id), merge=True)


def _beside_its_equal(record: Record, base: BaseView) -> Record:
    """The record in the chain of the active one that has exactly its words, where there is one: they become one."""
    if not record.chain or record.temporary or record.kind in UNCHAINED:
        return record
    place = (record.scope, record.side)
    for other in base.with_content(record.namespace, record.content_hash):
        is_equal = other.status is Status.ACTIVE and not other.temporary and (other.scope, other.side) == place
        if is_equal and other.chain and other.id != record.id:
            return replace(record, key=other.key, slot=other.slot, value=other.value)
    return record


def _create(context: _ActionContext, draft: Draft, record_id: RecordId, event: Event) -> Record:
    """Put a new record into the changes, and give it."""
    evidence, status = evidence_of_act(context.proposal), step(None, event)
    made_by = context.proposal.made_by
    record = create_record(record_id, draft, evidence, status=status, now=context.now, made_by=made_by)
    context.changes.put(_with_approver(record, context.verdict), evidence)
    return record


def _has_neighbours(draft: Draft, proposal: Proposal, base: BaseView) -> bool:
    """Whether a version stands on the line of the chain that the draft would open."""
    chain = base.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    return any(find_neighbours(chain, draft.valid_from or proposal.at, draft.value, content_hash(draft.text)))


def reinforce(changes: ChangeSet, proposal: Proposal) -> None:
    """The targets gain the evidence that they do not have yet, and their chains are relinked."""
    for target in proposal.record_targets:
        record = changes.get(target.record_id)
        old = changes.evidence(record.id)
        rows = merge_evidence(old, evidence_of_act(proposal))
        if len(rows) == len(old):
            continue
        changes.put(derive(record, rows), rows)
        changes.relink(changes.get(record.id))


def _supersede(context: _ActionContext, payload: Supersede) -> None:
    if payload.into is not None:
        _merge(context.changes, context.proposal, payload.into)
        return
    changes, proposal = context.changes, context.proposal
    record_id = proposal.record_id or record_id_of(proposal.id)
    record = _create(context, payload.draft, record_id, Event.ALLOW)
    changes.put_extracted_edges(record_id, payload.edges)
    if payload.predecessor is not None:
        _end_predecessor(context, payload, changes.get(payload.predecessor), record)
    for outdated in payload.joins:
        changes.join_chains(changes.get(outdated), record)
    changes.relink(changes.get(record_id), merge=True)
    keep_rests(changes, context.base, replace(proposal, record_id=record_id), payload, context.now)


def _end_predecessor(context: _ActionContext, payload: Supersede, old: Record, new: Record) -> None:
    """Split a predecessor that was stated again after the new version; join its chain where that is another one."""
    changes, rows, resumed_from = context.changes, context.changes.evidence(old.id), payload.resume_from
    later = tuple(
        row
        for row in rows
        if resumed_from is not None and (row.at, value_or_hash(old)) > (resumed_from, value_or_hash(new))
    )
    earlier = tuple(row for row in rows if row not in later)
    if later and assertions(earlier) and assertions(later):
        changes.put(derive(old, earlier), earlier)
        resumed_id = record_id_of(context.proposal.id, "resumed")
        resumed = replace(old, id=resumed_id, status=Status.ACTIVE, created_at=context.now, version=0)
        changes.put(derive(resumed, later), later)
    if old.chain != new.chain and old.status is Status.ACTIVE:
        # the concept was found under another key or slot: the chains meet here
        moved = replace(old, status=step(old.status, Event.SUPERSEDE), superseded_by=new.id)
        if new.valid_from >= old.valid_from:
            attributes = {**old.attributes, MERGED_INTO: new.id}
            changes.put(replace(moved, valid_to=new.valid_from, attributes=attributes))


def _move_targets(context: _ActionContext, event: Event, *, side: Side | None = None) -> None:
    changes, approver = context.changes, context.verdict.approver
    for target in context.proposal.record_targets:
        record = changes.get(target.record_id)
        moved = replace(record, status=step(record.status, event), approved_by=approver)
        changes.put(moved if side is None else replace(moved, side=side))


def _activate(changes: ChangeSet, proposal: Proposal, verdict: Allow) -> None:
    for target in proposal.record_targets:
        record = changes.get(target.record_id)
        event = Event.APPROVE if record.status is Status.STAGED else Event.PROVE
        changes.put(_with_approver(replace(record, status=step(record.status, event)), verdict))
        changes.relink(changes.get(record.id), merge=True)


def _share(context: _ActionContext, payload: Share) -> tuple[Edge, ...]:
    """Put a copy of each target on the shared side; the edges from the copies to their originals."""
    changes, proposal, approver = context.changes, context.proposal, context.verdict.approver
    edges = []
    for target in proposal.record_targets:
        original = changes.get(target.record_id)
        copy_id = record_id_of(proposal.id, original.id)
        rows = changes.evidence(original.id)
        copy = replace(
            original,
            id=copy_id,
            side=Side.SHARED,
            text=payload.text,
            content_hash=content_hash(payload.text),
            confidence=max(original.confidence, SHARED_CONFIDENCE),
            created_at=context.now,
            version=0,
            approved_by=approver,
            attributes={**original.attributes, EDITED_BY: approver},
        )
        changes.put(copy, rows)
        edges.append(Edge(src=copy_id, dst=original.id, kind=EdgeKind.COPY_OF, record_id=copy_id))
    return tuple(edges)


def _merge(changes: ChangeSet, proposal: Proposal, survivor_id: RecordId) -> None:
    survivor = changes.get(survivor_id)
    rows = changes.evidence(survivor.id)
    for target in proposal.record_targets:
        if target.record_id == survivor.id:
            continue
        record = changes.get(target.record_id)
        rows = merge_evidence(rows, _reworded_for(survivor, changes.evidence(record.id)))
        status = step(record.status, Event.SUPERSEDE) if record.status is Status.ACTIVE else record.status
        attributes = {**record.attributes, MERGED_INTO: survivor.id}
        changes.put(replace(record, status=status, superseded_by=survivor.id, attributes=attributes))
        changes.relink(record)
    changes.put(derive(survivor, rows), rows)
    changes.relink(changes.get(survivor.id), merge=True)


def _reworded_for(survivor: Record, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Evidence as the survivor takes it over: a bullet keeps its own words, whichever was stated first."""
    if survivor.kind is not Kind.BULLET:
        return tuple(evidence)
    asserts = EvidenceRole.ASSERTS
    return tuple(replace(row, wording=survivor.text) if row.role is asserts else row for row in evidence)


def _tag(changes: ChangeSet, proposal: Proposal, payload: Tag) -> None:
    for target in proposal.record_targets:
        record = changes.get(target.record_id)
        if payload.outcome:
            old = changes.evidence(record.id)
            rows = merge_evidence(old, _outcome_evidence(record, proposal, payload.outcome))
            if len(rows) == len(old):
                continue  # this episode reported about this record before
            record = apply_outcome_counts(record, rows)
            changes.put(record, rows)
        kept = [tag for tag in record.tags if tag not in payload.remove]
        tags = tuple(dict.fromkeys([*kept, *payload.add]))
        pinned = record.pinned if payload.pinned is None else payload.pinned
        changes.put(demote_if_harmful(replace(record, tags=tags, pinned=pinned)))


def _outcome_evidence(record: Record, proposal: Proposal, outcome: str) -> tuple[Evidence, ...]:
    """The proposal's evidence as outcomes of using this record."""
    if record.status not in (Status.QUARANTINED, Status.ACTIVE):
        raise IllegalMoveError(
            f"A {record.status} memory is not in use, so no outcome of its use can be counted. Assign it first."
        )
    return tuple(replace(row, role=EvidenceRole.OUTCOME, wording=outcome) for row in evidence_of_act(proposal))
