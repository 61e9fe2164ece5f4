"""The unit of work: from proposals to verdicts, and from a list of verdicts to one transaction.

Takes: proposals and a view. Gives: verdicts and receipts. Never: commits a verdict that was given on another state of
the memory than the one it is committed to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from dopejar.engine.disputes import find_moved
from dopejar.errors import StaleProposalError
from dopejar.governance.policy.rules import Policy
from dopejar.governance.policy.write_gate import JudgeContext, judge
from dopejar.memory import commit as memory_commit
from dopejar.memory.change_set import BaseView, Change
from dopejar.memory.commit_plan import CommitPlan, plan_commit
from dopejar.memory.overlay import Overlay
from dopejar.memory.tombstones import KEY, TEXT, key_digest, text_digest
from dopejar.ports.store import Store, WriteTransaction
from dopejar.values.episode import trust_of
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Action, Add, Proposal, Supersede
from dopejar.values.receipt import Receipt
from dopejar.values.record import EvidenceRole, Record
from dopejar.values.verdict import Refuse, Verdict

if TYPE_CHECKING:
    from dopejar.values.edge import Edge

MAX_ATTEMPTS = 8


class JudgingView(BaseView, Protocol):
    """What judging reads: the store's view, or an overlay of it."""

    def has_tombstone(self, kind: str, digests: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the digests that a tombstone has."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedProposal:
    """A proposal with its verdict; where it was applied to an overlay, also that overlay and the planned change."""

    proposal: Proposal
    verdict: Verdict
    commit_plan: CommitPlan | None = None
    overlay: Overlay | None = None


def check_tombstones(proposal: Proposal, view: JudgingView, secret: bytes | None) -> Proposal:
    """The proposal, marked as curated away where its texts, or its key with this value, were erased before."""
    payload = proposal.payload
    if secret is None or not isinstance(payload, Add | Supersede):
        return proposal
    draft = payload.draft
    texts = {draft.text, *(row.wording for row in proposal.evidence)}
    erased = view.has_tombstone(TEXT, tuple(text_digest(secret, text) for text in texts))
    if not erased and draft.key and draft.value:
        erased = view.has_tombstone(KEY, (key_digest(secret, draft.key, draft.value),))
    return replace(proposal, signals=replace(proposal.signals, curated_away="tombstone")) if erased else proposal


def decide(
    proposal: Proposal,
    view: JudgingView,
    policy: Policy,
    now: datetime,
    *,
    approval: str | None = None,
    from_outcomes: bool = False,
    is_proven: bool = False,
    is_classified: bool = False,
    confirmed_by: str = "",
) -> Verdict:
    """The gate's verdict on a proposal and its targets as they are now; the flags are findings of the engine."""
    records = {target.record_id: view.record(target.record_id) for target in proposal.record_targets}
    trust = min(
        (row.trust for row in proposal.evidence if row.role is EvidenceRole.ASSERTS),
        default=trust_of(proposal.origin),
    )
    context = JudgeContext(
        policy=policy,
        now=now,
        trust=trust,
        targets={record_id: record for record_id, record in records.items() if record is not None},
        approval=approval,
        from_outcomes=from_outcomes,
        is_proven=is_proven,
        is_classified=is_classified,
        confirmed_by=confirmed_by,
    )
    return judge(proposal, context)


def planned_change(judged: JudgedProposal, view: JudgingView, now: datetime) -> Change:
    """What committing the proposal would change."""
    return plan_commit(view, judged.proposal, judged.verdict, now).change


def apply_to_overlay(overlay: Overlay, judged: JudgedProposal, now: datetime) -> JudgedProposal:
    """Apply what the proposal would change to the overlay, which the next proposal is judged against."""
    plan = plan_commit(overlay, judged.proposal, judged.verdict, now)
    overlay.apply(plan.change)
    return replace(judged, commit_plan=plan, overlay=overlay)


def commit(
    tx: WriteTransaction, proposal: Proposal, verdict: Verdict, now: datetime, commit_plan: CommitPlan | None = None
) -> Receipt:
    """Commit a judged proposal, with the edges that the graph pipeline extracts. Raises what `memory.commit` raises."""
    return memory_commit.commit(tx, proposal, verdict, now, commit_plan, extract_edges=extract_edges)


def extract_edges(record: Record) -> tuple[Edge, ...]:
    """The edges of a record, extracted from its text."""
    from dopejar.pipelines.graph.edges import extract_edges as extract  # loaded by the first commit

    return extract(record)


def commit_with_retry(
    store: Store,
    think: Callable[[], Sequence[JudgedProposal]],
    before: Callable[[WriteTransaction], None] | None,
    now: datetime,
    after: Callable[[WriteTransaction], None] | None = None,
) -> tuple[Receipt, ...]:
    """Call `think`, then commit all it returns in one transaction; start over where the memory changed in between.

    `before` writes into the same transaction first, `after` last.

    Raises:
        StaleProposalError: the memory changed in between eight times.
    """
    for attempt in range(MAX_ATTEMPTS):
        judged = think()
        try:
            with store.write() as tx:
                if before is not None:
                    before(tx)
                is_current = _plans_are_current(tx, judged)
                receipts = tuple(
                    commit(tx, item.proposal, item.verdict, now, item.commit_plan if is_current else None)
                    for item in judged
                )
                settled = expire_settled(tx, receipts, now)
                if after is not None:
                    after(tx)
                return (*receipts, *settled)
        except StaleProposalError:
            if attempt == MAX_ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def expire_settled(
    tx: WriteTransaction,
    receipts: Sequence[Receipt],
    now: datetime,
    retired_for: Mapping[RecordId, Record] | None = None,
) -> tuple[Receipt, ...]:
    """Let statements expire that waited as contradictions until these commits settled the matter, in the same act.

    One that now contradicts another memory waits on, under a new version: who saw it before has to look again. Other
    keys settle nothing.
    """
    changed = [record for one in receipts if one.action != Action.REKEY for record in one.records]
    expired = []
    for proposal, later in list(find_moved(tx, changed, retired_for or {})):
        if later is None:
            tx.put_proposal(replace(proposal, version=proposal.version + 1))
            continue
        reason = f"settled by {later.id}"
        verdict = Refuse(rules=("conflict.settled",), reason=reason, approver="policy", by_age=True)
        expired.append(commit(tx, replace(proposal, act_id=receipts[0].act_id), verdict, now))
    return tuple(expired)


def _plans_are_current(tx: WriteTransaction, judged: Sequence[JudgedProposal]) -> bool:
    """Whether all proposals were planned on one overlay, and the memory is still in the state that it is based on."""
    overlay = judged[0].overlay if judged else None
    if overlay is None or any(item.overlay is not overlay for item in judged):
        return False
    return overlay.seen_at == tx.meta("change_seq")
