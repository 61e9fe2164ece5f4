"""What a judged proposal changes, computed before anything is written.

Takes: a proposal, its verdict and a view of what is believed. Gives: a `Change`. Never: writes or judges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from dopejar.errors import StaleProposalError
from dopejar.memory.action_handlers import apply_action, reinforce
from dopejar.memory.change_set import BaseView, Change, ChangeSet, evidence_of_act
from dopejar.memory.derivation import create_record, derive, merge_evidence
from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalise import content_hash
from dopejar.values.ids import proposal_id_of, record_id_of, stable_proposal_id
from dopejar.values.proposal import (
    Add,
    Assign,
    Proposal,
    ProposalState,
    Reinforce,
    Restore,
    Supersede,
)
from dopejar.values.record import Draft, Record, Status
from dopejar.values.verdict import Allow, Refuse, Stage, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitPlan:
    """A judged proposal under the id it is kept by, and what it changes."""

    proposal: Proposal
    change: Change


def plan_commit(ground: BaseView, proposal: Proposal, verdict: Verdict, now: datetime) -> CommitPlan:
    """What committing would change. Raises what `plan` raises."""
    settled, waiting = resolve_proposal(ground, proposal, verdict)
    return CommitPlan(proposal=settled, change=plan_change(ground, settled, verdict, waiting, now))


def draft_of(proposal: Proposal) -> Draft | None:
    """The new content that a proposal carries, where it carries one."""
    payload = proposal.payload
    return payload.draft if isinstance(payload, Add | Supersede) else None


def with_stable_id(proposal: Proposal) -> Proposal:
    """The proposal under the id that the same wish always has, so that it waits or was refused once, not ten times."""
    draft = draft_of(proposal)
    about = (
        (draft.namespace, str(draft.scope), draft.side, draft.slot or draft.key, content_hash(draft.text))
        if draft
        else tuple(sorted(target.record_id for target in proposal.targets))
    )
    payload = proposal.payload
    rest = "" if draft else repr(payload)
    return replace(proposal, id=stable_proposal_id(proposal.action, *about, rest))


def check_targets(ground: BaseView, proposal: Proposal) -> None:
    """Raises StaleProposalError where a target is not what the proposal was judged against."""
    for target in proposal.targets:
        record = ground.record(target.record_id)
        if record is None or record.version != target.version:
            now = record.version if record else "none"
            raise StaleProposalError(
                f"{target.record_id} was judged at version {target.version} and is now at {now}. Read and judge again."
            )


def resolve_proposal(ground: BaseView, proposal: Proposal, verdict: Verdict) -> tuple[Proposal, Proposal | None]:
    """The proposal under the id it is kept by, and the one that is kept there already.

    A new wish that is not allowed goes by the wish's own id; one that repeats a staged record goes by that record's.
    """
    if proposal.state is not ProposalState.NEW:
        return proposal, None
    repeated = _repeats_staged(ground, proposal)
    if repeated is not None:
        waiting = ground.proposal(proposal_id_of(repeated.id))
        return proposal, waiting
    if isinstance(verdict, Allow):
        return proposal, None
    kept = with_stable_id(proposal)
    return kept, ground.proposal(kept.id)


def _repeats_staged(ground: BaseView, proposal: Proposal) -> Record | None:
    if not isinstance(proposal.payload, Reinforce) or len(proposal.targets) != 1:
        return None
    record = ground.record(proposal.targets[0].record_id)
    return record if record is not None and record.status is Status.STAGED else None


def plan_change(ground: BaseView, proposal: Proposal, verdict: Verdict, waiting: Proposal | None, now: datetime) -> Change:
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
            change = apply_action(ground, proposal, verdict, now)
            others = _others(ground, proposal, verdict, change)
            change = replace(change, others=others) if others else change
            if proposal.state is ProposalState.STAGED:
                done = replace(
                    proposal, state=ProposalState.APPROVED, reviewer=verdict.approver, version=proposal.version + 1
                )
                return replace(change, proposal=done)
            return change
        case _:
            assert_never(verdict)


def _others(ground: BaseView, proposal: Proposal, verdict: Allow, change: Change) -> tuple[Proposal, ...]:
    """The adds that this decides about: those of assigned bullets wait no more, those of what comes back wait again."""
    if isinstance(proposal.payload, Assign):
        wanted, state, reviewer = ProposalState.STAGED, ProposalState.APPROVED, verdict.approver
    elif isinstance(proposal.payload, Restore):
        wanted, state, reviewer = None, ProposalState.STAGED, ""
    else:
        return ()
    staged = {one.after.id for one in change.revisions if one.after.status is Status.STAGED}
    about = [one.record_id for one in proposal.targets if wanted or one.record_id in staged]
    found = [ground.proposal(proposal_id_of(one)) for one in about]
    return tuple(
        replace(one, state=state, reviewer=reviewer, version=one.version + 1)
        for one in found
        if one is not None and one.state is not state and wanted in (None, one.state)
    )


def _repeated(ground: BaseView, proposal: Proposal, waiting: Proposal | None) -> Change:
    """What waits is said again: record and proposal gain the evidence, agree on words and severity, and wait on."""
    board = ChangeSet(ground)
    reinforce(board, proposal)
    revisions = board.revisions()
    if not revisions or waiting is None:
        return Change(revisions=revisions)
    evidence, payload = merge_evidence(waiting.evidence, evidence_of_act(proposal)), waiting.payload
    said = next((one.after.text for one in revisions if one.after.id == waiting.record_id), "")
    if isinstance(payload, Add) and said and payload.draft.text != said:
        payload = replace(payload, draft=replace(payload.draft, text=said))
    severest = min(waiting.priority, proposal.priority)
    changed = replace(waiting, payload=payload, evidence=evidence, priority=severest, version=waiting.version + 1)
    return Change(revisions=revisions, proposal=changed)


def _refused(ground: BaseView, proposal: Proposal, verdict: Refuse, waiting: Proposal | None) -> Change:
    if proposal.state is not ProposalState.STAGED:
        if waiting is not None:
            return Change()
        reason = f"{verdict.reason} [{', '.join(verdict.rules)}]"
        return Change(proposal=replace(proposal, state=ProposalState.REFUSED, reason=reason))
    state = ProposalState.EXPIRED if verdict.by_age else ProposalState.REJECTED
    done = replace(
        proposal, state=state, reviewer=verdict.approver, reason=verdict.reason, version=proposal.version + 1
    )
    board = ChangeSet(ground)
    if proposal.record_id is not None and isinstance(proposal.payload, Add):
        record = board.get(proposal.record_id)
        if record.status is Status.STAGED:
            event = Event.EXPIRE if verdict.by_age else Event.REJECT
            board.put(replace(record, status=step(record.status, event)))
    return Change(revisions=board.revisions(), proposal=done)


def _staged(ground: BaseView, proposal: Proposal, verdict: Stage, waiting: Proposal | None, now: datetime) -> Change:
    if waiting is not None and waiting.state in (ProposalState.REJECTED, ProposalState.REFUSED):
        return Change()
    evidence = evidence_of_act(proposal)
    board = ChangeSet(ground)
    known = waiting if waiting is not None and waiting.state is ProposalState.STAGED else None
    held = merge_evidence(known.evidence if known else (), evidence)
    if known is not None and len(held) == len(known.evidence):
        return Change()
    record_id = None
    if isinstance(proposal.payload, Add):
        record_id = record_id_of(proposal.id)
        old = ground.record(record_id)
        if old is not None and old.status is Status.STAGED:
            rows = merge_evidence(board.evidence(record_id), evidence)
            board.put(derive(old, rows), rows)
        else:
            fresh = create_record(
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
