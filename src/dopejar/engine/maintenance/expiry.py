"""Expiry: proposals that waited too long, and ephemeral memories whose time is over.

Takes: the store and points in time. Gives: how many expired. Never: deletes; what expired stays readable, and an undo
brings it back.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.unit_of_work import JudgedProposal, commit, commit_with_retry, decide
from dopejar.memory.overlay import Overlay
from dopejar.values.episode import Origin
from dopejar.values.ids import TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Add, Deprecate, Proposal, ProposalState, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Kind
from dopejar.values.scope import Namespace
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Refuse

_EVERY_PROPOSAL = 1_000_000
_EVERY_EPHEMERAL = 100_000
_MOST_PER_RUN = 1000  # ephemeral memories; the next run takes the rest


def expire_proposals(
    deps: Dependencies, older_than: datetime, trace_id: TraceId, *, bullets_older_than: datetime | None = None
) -> int:
    """Let proposals staged before `older_than` expire; how many. New bullets may have a limit of their own."""
    verdict = Refuse(rules=("age.expired",), reason="waited too long", approver="policy", by_age=True)
    now, act_id = deps.clock.now(), new_act_id()
    bullet_limit = bullets_older_than or older_than
    with deps.store.write() as tx:
        waiting = tx.proposals((ProposalState.STAGED,), _EVERY_PROPOSAL)
        expired = [item for item in waiting if item.at < (bullet_limit if _adds_bullet(item) else older_than)]
        for proposal in expired:
            commit(tx, replace(proposal, act_id=act_id, trace_id=trace_id), verdict, now)
    return len(expired)


def _adds_bullet(proposal: Proposal) -> bool:
    return isinstance(proposal.payload, Add) and proposal.payload.draft.kind is Kind.BULLET


def expire_ephemeral_records(deps: Dependencies, trace_id: TraceId) -> int:
    """Propose to deprecate the ephemeral memories whose time is over, in one act; how many were deprecated."""
    act_id, now = new_act_id(), deps.clock.now()

    def think() -> list[JudgedProposal]:
        with deps.store.read() as view:
            records = view.list_records(RecordFilter(namespace=Namespace.EPHEMERAL), _EVERY_EPHEMERAL)
            over = [record for record in records if record.valid_to is not None and record.valid_to <= now]
            if not over:
                return []
            proposal = Proposal(
                id=new_proposal_id(),
                act_id=act_id,
                payload=Deprecate(),
                at=now,
                origin=Origin.TOOL,
                via=Via.UNATTENDED,
                made_by="maintain@1",
                trace_id=trace_id,
                targets=tuple(
                    RecordTarget(record_id=record.id, version=record.version) for record in over[:_MOST_PER_RUN]
                ),
                rationale="it was ephemeral and has expired",
                proposer="maintain",
            )
            return [JudgedProposal(proposal=proposal, verdict=decide(proposal, Overlay(view), deps.policy(), now))]

    receipts = commit_with_retry(deps.store, think, None, now) if _has_ephemeral_records(deps) else ()
    return sum(len(receipt.records) for receipt in receipts if receipt.outcome == "deprecated")


def _has_ephemeral_records(deps: Dependencies) -> bool:
    with deps.store.read() as view:
        return bool(view.list_records(RecordFilter(namespace=Namespace.EPHEMERAL), 1))
