"""Waiting adds: a record is staged exactly while the add that made it waits, with the same words and evidence.

Takes: a planned change. Gives: it with the adds that follow from the statuses of its records. Never: decides a status.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dopejar.memory.change_set import BaseView, Change, Revision
from dopejar.memory.derivation import assertions
from dopejar.values.ids import proposal_id_of
from dopejar.values.proposal import Add, Proposal, ProposalState, Supersede
from dopejar.values.record import Evidence, EvidenceRole, Record, Status

_DROPPED = "what it rests on was undone"
_REOPENED = "its evidence holds again: the undo was undone"
_SUPPORTING_ROLES = (EvidenceRole.ASSERTS, EvidenceRole.CONTEXT)
_STATES = {
    Status.REJECTED: ProposalState.REJECTED,
    Status.EXPIRED: ProposalState.EXPIRED,
    Status.RETRACTED: ProposalState.REJECTED,
    Status.ERASED: ProposalState.ERASED,
}  # of an add whose record is no longer staged; any other status means that it was approved


def sync_adds(base: BaseView, change: Change) -> Change:
    """The change, and what it makes of the adds of its records beside those that it decides itself."""
    decided = {proposal.id for proposal in (change.proposal, *change.others) if proposal is not None}
    revisions = [revision for revision in change.revisions if proposal_id_of(revision.after.id) not in decided]
    others = tuple(_adds_in_step(base, revisions))
    return replace(change, others=(*change.others, *others)) if others else change


def _adds_in_step(base: BaseView, revisions: Iterable[Revision]) -> Iterable[Proposal]:
    for revision in revisions:
        add = base.proposal(proposal_id_of(revision.after.id))
        if add is None or add.record_id is None:
            continue
        rows = base.evidence(revision.after.id) if revision.evidence is None else revision.evidence
        changed = sync_add(add, revision.after, rows)
        if changed != add:
            yield replace(changed, version=add.version + 1)


def sync_add(add: Proposal, record: Record, rows: Sequence[Evidence]) -> Proposal:
    """The add as its record wants it: waiting with the record's words and evidence, or decided as the record was."""
    if record.status is not Status.STAGED:
        if add.state is not ProposalState.STAGED:
            return add
        state = _STATES.get(record.status, ProposalState.APPROVED)
        if state is ProposalState.APPROVED:
            return replace(add, state=state, reviewer=record.approved_by)
        return replace(add, state=state, reason=_DROPPED if record.status is Status.RETRACTED else add.reason)
    if add.state is not ProposalState.STAGED:
        reason = _REOPENED if add.reason == _DROPPED else add.reason
        add = replace(add, state=ProposalState.STAGED, reviewer="", reason=reason)
    add, supporting = _with_words_of(record, add), _supporting(rows)
    return add if set(map(_place, supporting)) == set(map(_place, add.evidence)) else replace(add, evidence=supporting)


def _with_words_of(record: Record, add: Proposal) -> Proposal:
    """The add with the words and the concept of its record; an edit may have made it a new version of another one."""
    payload = add.payload
    if not isinstance(payload, Add | Supersede):
        return add
    draft = replace(
        payload.draft,
        kind=record.kind,
        text=record.text,
        key=record.key,
        slot=record.slot,
        value=record.value,
        scope=record.scope,
        attributes=record.attributes,
    )
    if draft == payload.draft and isinstance(payload, Add):
        return add
    targets = add.targets if isinstance(payload, Add) else ()
    return replace(add, payload=Add(draft=draft, edges=payload.edges), targets=targets, scope=record.scope)


def _supporting(rows: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The assertions, with the context that the same acts brought."""
    acts = {row.act_id for row in assertions(rows)}
    return tuple(row for row in rows if row.role in _SUPPORTING_ROLES and row.act_id in acts)


def _place(row: Evidence) -> tuple[str, int, int, EvidenceRole]:
    return row.episode_id, row.start, row.end, row.role
