"""The commit plan: what a judged proposal changes, computed before anything is written.

Takes: a proposal, its verdict and a view of what is believed. Gives: a `CommitPlan`. Never: writes or judges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from dopejar.errors import InputError, StaleProposalError
from dopejar.memory.action_handlers import apply_action, reinforce
from dopejar.memory.change_set import BaseView, Change, ChangeSet, evidence_of_act
from dopejar.memory.derivation import create_record, derive, merge_evidence
from dopejar.memory.lifecycle import Event, step
from dopejar.memory.staged_records import sync_add, sync_adds
from dopejar.text.normalisation import content_hash
from dopejar.values.ids import (
    ProposalId,
    RecordId,
    proposal_id_of,
    record_id_of,
    stable_proposal_id,
    unkeyed_proposal_id,
)
from dopejar.values.proposal import (
    Action,
    Add,
    Proposal,
    ProposalState,
    Reinforce,
    Supersede,
    Tag,
)
from dopejar.values.record import Draft, Record, Status
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow, Refuse, Stage, Verdict

_RESTAGED = frozenset({Status.STAGED, Status.REJECTED, Status.EXPIRED, Status.RETRACTED, Status.ERASED})
_ANY_TARGET = frozenset({Action.TAG, Action.LINK})


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitPlan:
    """A judged proposal under the id it is kept by, and what it changes."""

    proposal: Proposal
    change: Change


def plan_commit(base: BaseView, proposal: Proposal, verdict: Verdict, now: datetime) -> CommitPlan:
    """What committing would change. Raises what `plan_change` and `check_target_kinds` raise."""
    check_target_kinds(proposal)
    kept, waiting = resolve_proposal(base, proposal, verdict)
    change = plan_change(base, kept, verdict, waiting, now)
    return CommitPlan(proposal=kept, change=sync_adds(base, change))


def draft_in(proposal: Proposal) -> Draft | None:
    """The new content that a proposal carries; None where it carries none."""
    payload = proposal.payload
    return payload.draft if isinstance(payload, Add | Supersede) else None


def assign_stable_id(base: BaseView, proposal: Proposal) -> Proposal:
    """The proposal under the id that depends on its content only, so that a repeat of it is staged or refused once.

    The id is keyed by the store's secret. A proposal that an earlier version kept under an unkeyed one stays there.
    """
    draft = draft_in(proposal)
    about = (
        (draft.namespace, str(draft.scope), draft.side, draft.slot or draft.key, content_hash(draft.text))
        if draft
        else tuple(sorted(target.subject for target in proposal.targets))
    )
    payload = "" if draft else repr(proposal.payload)
    parts = (proposal.action, *about, payload)
    earlier = unkeyed_proposal_id(*parts)
    if base.proposal(earlier) is not None and _is_free(base, earlier):
        return replace(proposal, id=earlier)
    secret = bytes.fromhex(base.meta("secret") or "")
    kept = stable_proposal_id(secret, *parts)
    while draft is not None and not _is_free(base, kept):
        kept = stable_proposal_id(secret, *parts, kept)
    return replace(proposal, id=kept)


def _is_free(base: BaseView, proposal_id: ProposalId) -> bool:
    """Whether no record stands that the proposal made before: one approved in other words, replaced or erased since."""
    record = base.record(record_id_of(proposal_id))
    return record is None or record.status in _RESTAGED


def check_target_kinds(proposal: Proposal) -> None:
    """Raises InputError where the action cannot be done to a target that is no record.

    Blocks, dossiers and ranges of turns can be tagged and linked; they have no status, no pin and no outcomes.
    """
    others = [target for target in proposal.targets if not isinstance(target, RecordTarget)]
    if not others:
        return
    payload = proposal.payload
    is_record_tag = isinstance(payload, Tag) and (payload.outcome or payload.pinned is not None)
    if payload.action not in _ANY_TARGET or is_record_tag:
        what = "pin it or count an outcome for it" if is_record_tag else f"{payload.action.value} it"
        raise InputError(f"{others[0].subject} is no record, so nothing can {what}. Tag or link it, or name a record.")


def check_targets(base: BaseView, proposal: Proposal) -> None:
    """Raises StaleProposalError where a record is not at the version that the proposal was judged against."""
    for target in proposal.record_targets:
        record = base.record(target.record_id)
        if record is None or record.version != target.version:
            current = record.version if record else "none"
            raise StaleProposalError(
                f"{target.record_id} was judged at version {target.version} and is now at {current}. "
                "Read and judge again."
            )


def resolve_proposal(base: BaseView, proposal: Proposal, verdict: Verdict) -> tuple[Proposal, Proposal | None]:
    """The proposal under the id it is kept by, and the one that is kept under it already.

    A new proposal that is not allowed gets its stable id; one that repeats a staged record joins that record's.
    """
    if proposal.state is not ProposalState.NEW:
        return proposal, None
    staged = _staged_record(base, proposal)
    if staged is not None:
        return proposal, base.proposal(proposal_id_of(staged.id))
    if isinstance(verdict, Allow):
        return proposal, None
    kept = assign_stable_id(base, proposal)
    return kept, base.proposal(kept.id)


def _staged_record(base: BaseView, proposal: Proposal) -> Record | None:
    """The staged record that the proposal reinforces; None where it does anything else."""
    if not isinstance(proposal.payload, Reinforce) or len(proposal.record_targets) != 1:
        return None
    record = base.record(proposal.record_targets[0].record_id)
    return record if record is not None and record.status is Status.STAGED else None


def plan_change(
    base: BaseView, proposal: Proposal, verdict: Verdict, waiting: Proposal | None, now: datetime
) -> Change:
    """What becomes of a proposal under its verdict; both proposals are those that `resolve_proposal` gave.

    Raises:
        StaleProposalError: a target moved since it was judged, or an add found its concept taken.
        NotFoundError: a target does not exist.
        IllegalMoveError: the lifecycle has no such move.
    """
    if isinstance(verdict, Refuse):
        return _plan_refusal(base, proposal, verdict, waiting)
    if proposal.state is ProposalState.NEW and _staged_record(base, proposal) is not None:
        return _plan_repeat(base, proposal, waiting)
    match verdict:
        case Stage():
            return _plan_staging(base, proposal, verdict, waiting, now)
        case Allow():
            return _plan_approval(base, proposal, verdict, now)
        case _:
            assert_never(verdict)


def _plan_approval(base: BaseView, proposal: Proposal, verdict: Allow, now: datetime) -> Change:
    check_targets(base, proposal)
    change = apply_action(base, proposal, verdict, now)
    if proposal.state is ProposalState.STAGED:
        approved = replace(
            proposal, state=ProposalState.APPROVED, reviewer=verdict.approver, version=proposal.version + 1
        )
        return replace(change, proposal=approved)
    if change.targets:
        return replace(change, proposal=replace(proposal, state=ProposalState.COMMITTED, reviewer=verdict.approver))
    return change


def _plan_repeat(base: BaseView, proposal: Proposal, waiting: Proposal | None) -> Change:
    """A staged record is stated again: it and its proposal gain the evidence, agree on words and severity, and wait."""
    changes = ChangeSet(base)
    reinforce(changes, proposal)
    revisions = changes.revisions()
    record = next((one for one in revisions if waiting is not None and one.after.id == waiting.record_id), None)
    if waiting is None or record is None or record.evidence is None:
        return Change(revisions=revisions)
    changed = sync_add(waiting, record.after, record.evidence)
    severest = min(waiting.priority, proposal.priority)
    return Change(revisions=revisions, proposal=replace(changed, priority=severest, version=waiting.version + 1))


def _plan_refusal(base: BaseView, proposal: Proposal, verdict: Refuse, waiting: Proposal | None) -> Change:
    if proposal.state is not ProposalState.STAGED:
        if waiting is not None:
            return Change()
        reason = f"{verdict.reason} [{', '.join(verdict.rules)}]"
        return Change(proposal=replace(proposal, state=ProposalState.REFUSED, reason=reason))
    state = ProposalState.EXPIRED if verdict.by_age else ProposalState.REJECTED
    refused = replace(
        proposal, state=state, reviewer=verdict.approver, reason=verdict.reason, version=proposal.version + 1
    )
    changes = ChangeSet(base)
    if proposal.record_id is not None:
        record = changes.get(proposal.record_id)
        if record.status is Status.STAGED:
            event = Event.EXPIRE if verdict.by_age else Event.REJECT
            changes.put(replace(record, status=step(record.status, event)))
    return Change(revisions=changes.revisions(), proposal=refused)


def _plan_staging(
    base: BaseView, proposal: Proposal, verdict: Stage, waiting: Proposal | None, now: datetime
) -> Change:
    if waiting is not None and waiting.state in (ProposalState.REJECTED, ProposalState.REFUSED):
        return Change()
    staged = waiting if waiting is not None and waiting.state is ProposalState.STAGED else None
    evidence = merge_evidence(staged.evidence if staged else (), evidence_of_act(proposal))
    if staged is not None and len(evidence) == len(staged.evidence):
        return Change()
    changes, payload = ChangeSet(base), proposal.payload
    kept = replace(
        proposal,
        state=ProposalState.STAGED,
        record_id=_stage_record(changes, base, proposal, payload.draft, now) if isinstance(payload, Add) else None,
        evidence=evidence,
        reason=f"{verdict.reason} [{', '.join(verdict.rules)}]",
        version=(waiting.version + 1) if waiting else 1,
    )
    return Change(revisions=changes.revisions(), proposal=kept)


def _stage_record(changes: ChangeSet, base: BaseView, proposal: Proposal, draft: Draft, now: datetime) -> RecordId:
    """Put the staged record of an add into the changes, new or with more evidence; its id."""
    record_id, evidence = record_id_of(proposal.id), evidence_of_act(proposal)
    old = base.record(record_id)
    if old is not None and old.status is Status.STAGED:
        rows = merge_evidence(changes.evidence(record_id), evidence)
        changes.put(derive(old, rows), rows)
    else:
        status = step(None, Event.STAGE)
        record = create_record(record_id, draft, evidence, status=status, now=now, made_by=proposal.made_by)
        changes.put(replace(record, version=old.version if old else 0), evidence)
    return record_id
