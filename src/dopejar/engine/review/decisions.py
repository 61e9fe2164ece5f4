"""Decisions about waiting proposals: approve, reject, edit.

Takes: ids of proposals, a reviewer, and the versions the reviewer saw. Gives: receipts; each decision is one
transaction through the gate. Never: decides about another version than the reviewer saw, or twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.erased_bytes import scrub
from dopejar.engine.lookup import find_proposal
from dopejar.engine.review.edited_drafts import edited_proposal
from dopejar.engine.review.erasure import commit_erasure
from dopejar.engine.review.review_items import (
    has_moved_targets,
    judge_waiting,
    records_to_replace,
    replace_rival,
    stated_at,
    summary_text,
    would_retire,
)
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.engine.unit_of_work import commit, expire_settled
from dopejar.errors import DopejarError, InputError, RefusedError, StaleProposalError
from dopejar.memory.commit_plan import plan_commit
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.ids import ProposalId, RecordId, TraceId, new_act_id
from dopejar.values.proposal import Add, Deprecate, Erase, Proposal, ProposalState, Restore, Supersede
from dopejar.values.receipt import Receipt
from dopejar.values.record import Record
from dopejar.values.scope import Scope
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow, Refuse

SeenVersions = Mapping[str, int] | Mapping[ProposalId, int]
"""The versions of proposals that a reviewer saw, by id; one that is not named was not seen and is not decided."""


def approve(
    deps: Dependencies,
    prefixes: Sequence[str],
    by: Reviewer,
    trace_id: TraceId,
    seen: SeenVersions,
    *,
    keep_both: bool = False,
) -> tuple[Receipt, ...]:
    """Approve proposals in one transaction and one act. An erasure, which cannot be undone, is approved alone.

    They are approved in the order in which they were said. What they contradict or replace is retired in the same act,
    unless both are to be kept; of two that contradict each other the later one stays in force. Of several, those that
    cannot be approved stay waiting, and their receipts say why.

    Raises:
        InputError: an erasure is among several; nothing was approved.
        NotFoundError: an id is unknown. RefusedError: none of them can be approved. StaleProposalError: a proposal was
        decided or changed since it was seen, or its targets moved; in that case it has been rebased.
    """
    act_id = new_act_id()
    receipts: tuple[Receipt, ...] = ()
    with deps.store.write() as tx:
        require_reviewer(tx, by, deps.system_clock.now())
        waiting = [require_waiting(tx, prefix, seen) for prefix in prefixes]
        erasures = [one for one in waiting if isinstance(one.payload, Erase)]
        if erasures and len(waiting) > 1:
            raise InputError(
                f"{', '.join(one.id for one in erasures)}: this erases words, which nothing takes back, and is never"
                " approved together with others. Look at it, and approve it alone; nothing was approved."
            )
        own = [replace(one, act_id=act_id, trace_id=trace_id) for one in waiting]
        proposals = [] if erasures else own
        stale = [proposal for proposal in waiting if has_moved_targets(tx, proposal)]
        for proposal in stale:
            tx.put_proposal(rebase(tx, proposal))
        if not stale:
            receipts = _approve_each(deps, tx, proposals, by, keep_both=keep_both)
            for proposal in own if erasures else ():
                receipts += (commit_erasure(deps, tx, *_approved(deps, tx, proposal, by)),)
    if not stale:
        if erasures:
            scrub(deps)
        return receipts
    raise StaleProposalError(
        f"{', '.join(proposal.id for proposal in stale)}: the memory has changed since this was staged. "
        "It has been updated; look at it again with `dopejar review show` before you approve."
    )


def _approve_each(
    deps: Dependencies, tx: WriteTransaction, proposals: Sequence[Proposal], by: Reviewer, *, keep_both: bool
) -> tuple[Receipt, ...]:
    """Approve proposals one after the other; those of several that cannot be approved stay waiting."""
    now = deps.clock.now()
    done: dict[ProposalId, Receipt] = {}
    left: dict[ProposalId, Receipt] = {}
    kept: list[Receipt] = []
    in_order = sorted(proposals, key=stated_at)
    for proposal in in_order:
        placed = proposal if keep_both else replace_rival(tx, proposal)
        beside = would_retire(tx, proposal) if keep_both and isinstance(proposal.payload, Supersede) else ()
        try:
            judged = _approved(deps, tx, placed, by)
            plan = plan_commit(tx, *judged, now)
        except (RefusedError, InputError) as error:
            left[proposal.id] = _left_waiting(tx, proposal, error)
            if len(left) == len(proposals):
                raise
            continue
        done[proposal.id] = commit(tx, *judged, now, plan)
        replaced = tuple(tx.records(tuple(record.id for record in beside)).values())
        if replaced:
            kept.append(commit_action(deps, tx, Restore(), replaced, by, proposal.trace_id, act_id=proposal.act_id))
    receipts = (*(done[proposal.id] for proposal in proposals if proposal.id in done), *kept)
    if not keep_both:
        receipts += _retire_contradicted(deps, tx, [one for one in in_order if one.id in done], receipts, by)
    return (*receipts, *left.values())


def require_waiting(view: ReadView, prefix: str, seen: SeenVersions) -> Proposal:
    """The waiting proposal with this id. Called with the writer's own transaction, it excludes concurrent decisions.

    Raises:
        NotFoundError, AmbiguousIdError: the name fits nothing, or several. StaleProposalError: it is not waiting any
        more, or has another version than the one that was seen.
    """
    proposal = find_proposal(view, prefix)
    reason = staleness_reason(proposal, seen)
    if reason:
        raise StaleProposalError(f"{proposal.id} {reason}")
    return proposal


def staleness_reason(proposal: Proposal, seen: SeenVersions) -> str:
    """Why a proposal can no longer be decided as it was seen, as the end of a sentence; "" where it can."""
    if proposal.state is not ProposalState.STAGED:
        reviewer = f" by {proposal.reviewer}" if proposal.reviewer else ""
        return f"is no longer waiting: it was {proposal.state.value}{reviewer}."
    if proposal.id not in seen:
        return f"was not shown here. Look at it first: `dopejar review show {proposal.id}`."
    if seen[proposal.id] != proposal.version:
        return f"has changed since you saw it. Look at it again: `dopejar review show {proposal.id}`."
    return ""


def rebase(view: ReadView, proposal: Proposal) -> Proposal:
    """The proposal with its targets at their versions of now."""
    records = view.records(tuple(target.record_id for target in proposal.record_targets))
    targets = tuple(RecordTarget(record_id=record_id, version=record.version) for record_id, record in records.items())
    others = tuple(target for target in proposal.targets if not isinstance(target, RecordTarget))
    payload = proposal.payload
    if isinstance(payload, Supersede):
        # its predecessor may have been replaced meanwhile: the order of the chain decides where it belongs
        payload = replace(payload, predecessor=None, resume_from=None)
    return replace(proposal, targets=(*targets, *others), payload=payload, version=proposal.version + 1)


def _retire_contradicted(
    deps: Dependencies,
    tx: WriteTransaction,
    approved: Sequence[Proposal],
    done: Sequence[Receipt],
    by: Reviewer,
) -> tuple[Receipt, ...]:
    """Deprecate what contradicts what was approved, in the same act; what waited for it and is older expires."""
    receipts: list[Receipt] = []
    retired_for: dict[RecordId, Record] = {}
    later = {proposal.record_id for proposal in approved}
    for proposal in approved:
        later.discard(proposal.record_id)
        record = tx.record(proposal.record_id) if proposal.record_id else None
        rivals = tuple(rival for rival in records_to_replace(tx, proposal) if rival.id not in later)
        if rivals and record is not None:
            receipts.append(commit_action(deps, tx, Deprecate(), rivals, by, proposal.trace_id, act_id=proposal.act_id))
            retired_for.update((rival.id, record) for rival in rivals)
    return (*receipts, *expire_settled(tx, (*done, *receipts), deps.clock.now(), retired_for))


def _approved(deps: Dependencies, tx: WriteTransaction, proposal: Proposal, by: Reviewer) -> tuple[Proposal, Allow]:
    """The proposal with the gate's verdict on it, approved by this reviewer. Raises RefusedError."""
    verdict = judge_waiting(deps, tx, proposal, by.name)
    if not isinstance(verdict, Allow):
        raise RefusedError(f"{proposal.id} cannot be approved: {verdict.reason} [{', '.join(verdict.rules)}].")
    # the reviewer is recorded also where the policy of today would have allowed it without one
    return proposal, replace(verdict, approver=by.name)


def _left_waiting(view: ReadView, proposal: Proposal, error: DopejarError) -> Receipt:
    """The receipt of a proposal that could not be approved together with others."""
    targets = view.records(tuple(target.record_id for target in proposal.record_targets))
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=proposal.id,
        outcome="staged",
        reason=str(error),
        text=summary_text(proposal, tuple(targets.values())),
        action=proposal.action.value,
    )


def reject(
    deps: Dependencies, prefixes: Sequence[str], reason: str, by: Reviewer, trace_id: TraceId, seen: SeenVersions
) -> tuple[Receipt, ...]:
    """Reject proposals, all in one act and one transaction. They are not proposed again without a person.

    Raises:
        NotFoundError: an id is unknown. StaleProposalError: one was decided or changed since it was seen.
    """
    now, act_id = deps.clock.now(), new_act_id()
    verdict = Refuse(
        rules=("review.rejected",), reason=deps.redact(reason)[0] or "rejected by a reviewer", approver=by.name
    )
    with deps.store.write() as tx:
        require_reviewer(tx, by, deps.system_clock.now())
        proposals = [require_waiting(tx, prefix, seen) for prefix in prefixes]
        return tuple(
            commit(tx, replace(proposal, act_id=act_id, trace_id=trace_id), verdict, now) for proposal in proposals
        )


def edit(
    deps: Dependencies,
    prefix: str,
    text: str | None,
    by: Reviewer,
    trace_id: TraceId,
    seen: SeenVersions,
    scope: Scope | None = None,
) -> Receipt:
    """Approve a proposal with another text, which is read anew, or for another scope.

    Raises:
        InputError: the text is empty or the proposal carries none. Else as `approve`.
    """
    now = deps.clock.now()
    with deps.store.write() as tx:
        require_reviewer(tx, by, deps.system_clock.now())
        proposal = require_waiting(tx, prefix, seen)
        edited = _marked(edited_proposal(deps, tx, proposal, text, scope), by)
        edited = replace(edited, act_id=new_act_id(), trace_id=trace_id)
        receipt = commit(tx, *_approved(deps, tx, edited, by), now)
        deprecated = _retire_contradicted(deps, tx, [edited], [receipt], by)
        return replace(receipt, records=(*receipt.records, *(record for done in deprecated for record in done.records)))


def _marked(proposal: Proposal, by: Reviewer) -> Proposal:
    """The proposal, its draft marked as edited by this reviewer."""
    payload = proposal.payload
    if not isinstance(payload, Add | Supersede):
        return proposal
    attributes = {**payload.draft.attributes, "edited_by": by.name}
    return replace(proposal, payload=replace(payload, draft=replace(payload.draft, attributes=attributes)))
