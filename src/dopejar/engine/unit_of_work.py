"""From a proposal to its verdict, and from a list of them to one transaction.

Takes: proposals and a view. Gives: verdicts and receipts. Never: commits what was judged against something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from dopejar.errors import StaleProposalError
from dopejar.governance.policy.rules import Policy
from dopejar.governance.policy.write_gate import JudgeContext, judge
from dopejar.memory.change_set import Change
from dopejar.memory.commit import Receipt, commit
from dopejar.memory.commit_plan import CommitPlan
from dopejar.memory.commit_plan import plan_commit as foreseen_of
from dopejar.memory.erasure import KEY, TEXT, key_digest, text_digest
from dopejar.memory.overlay import Overlay
from dopejar.ports.store import Store, WriteTransaction
from dopejar.values.episode import trust_of
from dopejar.values.ids import ProposalId, RecordId
from dopejar.values.proposal import Add, Proposal, Supersede
from dopejar.values.record import Evidence, EvidenceRole, Record
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.verdict import Verdict

MOST_TRIES = 8


class Ground(Protocol):
    """What judging reads: the store's view, or an overlay of it."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record of a chain."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What a record rests on."""
        ...

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal kept under this id."""
        ...

    def has_tombstone(self, kind: str, digests: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the digests that are buried."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A proposal with its verdict; where it was laid on an overlay, with what it changes there."""

    proposal: Proposal
    verdict: Verdict
    commit_plan: CommitPlan | None = None
    over: Overlay | None = None


def check_tombstones(proposal: Proposal, ground: Ground, secret: bytes | None) -> Proposal:
    """The proposal, marked where its words, or its key with this value, were erased before."""
    payload = proposal.payload
    if secret is None or not isinstance(payload, Add | Supersede):
        return proposal
    draft = payload.draft
    texts = tuple(text_digest(secret, one) for one in {draft.text, *(e.wording for e in proposal.evidence)})
    buried = ground.has_tombstone(TEXT, texts)
    if not buried and draft.key and draft.value:
        buried = ground.has_tombstone(KEY, (key_digest(secret, draft.key, draft.value),))
    return replace(proposal, signals=replace(proposal.signals, curated_away="tombstone")) if buried else proposal


def decide(
    proposal: Proposal,
    ground: Ground,
    policy: Policy,
    now: datetime,
    *,
    approval: str | None = None,
    from_outcomes: bool = False,
    is_proven: bool = False,
    is_classified: bool = False,
) -> Verdict:
    """The gate's verdict, with the records it concerns as they stand now; the rest is what the engine itself found."""
    found = {one.record_id: ground.record(one.record_id) for one in proposal.targets}
    trust = min(
        (one.trust for one in proposal.evidence if one.role is EvidenceRole.ASSERTS),
        default=trust_of(proposal.origin),
    )
    context = JudgeContext(
        policy=policy,
        now=now,
        trust=trust,
        targets={i: one for i, one in found.items() if one is not None},
        approval=approval,
        from_outcomes=from_outcomes,
        is_proven=is_proven,
        is_classified=is_classified,
    )
    return judge(proposal, context)


def foresee(judged: Judged, ground: Ground, now: datetime) -> Change:
    """What committing would change, for an overlay: the same plan that commit carries out."""
    return foreseen_of(ground, judged.proposal, judged.verdict, now).change


def apply_to_overlay(overlay: Overlay, judged: Judged, now: datetime) -> Judged:
    """The same, its change laid on the overlay for the next one to see."""
    found = foreseen_of(overlay, judged.proposal, judged.verdict, now)
    overlay.apply(found.change)
    return replace(judged, commit_plan=found, over=overlay)


def commit_with_retry(
    store: Store,
    think: Callable[[], Sequence[Judged]],
    before: Callable[[WriteTransaction], None] | None,
    now: datetime,
) -> tuple[Receipt, ...]:
    """Think, then commit everything in one transaction; think again where the memory moved meanwhile.

    Raises:
        StaleProposalError: the memory kept moving, eight times over.
    """
    for attempt in range(MOST_TRIES):
        judged = think()
        try:
            with store.write() as tx:
                if before is not None:
                    before(tx)
                stands = _stands(tx, judged)
                return tuple(
                    commit(tx, one.proposal, one.verdict, now, one.commit_plan if stands else None) for one in judged
                )
        except StaleProposalError:
            if attempt == MOST_TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _stands(tx: WriteTransaction, judged: Sequence[Judged]) -> bool:
    """Whether all of it was foreseen over one snapshot, and the memory is still what that showed."""
    over = judged[0].over if judged else None
    return over is not None and all(one.over is over for one in judged) and over.seen_at == tx.meta("change_seq")
