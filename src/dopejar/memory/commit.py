"""The only way in which what is believed changes.

Takes: a proposal, its verdict and the writer's transaction. Gives: a receipt. Never: judges, and never commits in part.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime

from dopejar.memory.change_set import Change, Revision
from dopejar.memory.commit_plan import CommitPlan, plan_commit
from dopejar.memory.erasure import keyed_digest, plan_erasure
from dopejar.memory.ledger import chain_entry, record_digest
from dopejar.memory.undo import plan_undo
from dopejar.ports.store import WriteTransaction
from dopejar.values.edge import Edge
from dopejar.values.ids import ActId, ProposalId, RecordId
from dopejar.values.ledger import GENESIS, LedgerEntry
from dopejar.values.proposal import Erase, Proposal, ProposalState, Undo
from dopejar.values.record import Record
from dopejar.values.verdict import Allow, Stage, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What a commit did. `outcome` is added, reinforced, ..., staged, refused, or unchanged."""

    act_id: ActId
    proposal_id: ProposalId
    outcome: str
    records: tuple[Record, ...] = ()
    seq: int = 0
    rules: tuple[str, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    episodes_blanked: int = 0


_DONE = {
    "add": "added",
    "reinforce": "reinforced",
    "supersede": "superseded",
    "assign": "assigned",
    "activate": "activated",
    "share": "shared",
    "deprecate": "deprecated",
    "merge": "merged",
    "tag": "tagged",
    "link": "linked",
    "plan_erasure": "erased",
    "restore": "restored",
    "plan_undo": "undone",
}


def secret_of(tx: WriteTransaction) -> bytes:
    """The store's own secret, made at its first use; keys every digest."""
    known = tx.meta("secret")
    if known is None:
        known = secrets.token_hex(32)
        tx.set_meta("secret", known)
    return bytes.fromhex(known)


def commit(
    tx: WriteTransaction, proposal: Proposal, verdict: Verdict, now: datetime, commit_plan: CommitPlan | None = None
) -> Receipt:
    """Carry out a judged proposal: records, states, ledger entries and index rows, in the caller's one transaction.

    A staged wish is kept under its own id, so that the same wish again only adds its evidence; a refused one stays
    visible; a wish that a person rejected before is not kept again. `foreseen` spares computing the change a second
    time: only for who knows that the memory is still as it was when that was foreseen.

    Raises:
        StaleProposalError: the memory moved since the proposal was judged; nothing was written.
        NotFoundError, IllegalMoveError, InputError: the proposal cannot be carried out; nothing was written.
    """
    if isinstance(verdict, Allow) and isinstance(proposal.payload, Undo):
        return _undone(tx, proposal, proposal.payload, verdict, now)
    if isinstance(verdict, Allow) and isinstance(proposal.payload, Erase):
        return _erased(tx, proposal, proposal.payload, verdict, now)
    known = commit_plan or plan_commit(tx, proposal, verdict, now)
    proposal, change = known.proposal, known.change
    seq = _write(tx, change, proposal, verdict, now)
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=change.proposal.id if change.proposal else proposal.id,  # a repeat joins the one that waits
        outcome=_outcome(change, proposal, verdict),
        records=tuple(one.after for one in change.revisions),
        seq=seq,
        rules=verdict.rules,
        reason=verdict.reason,
    )


def _outcome(change: Change, proposal: Proposal, verdict: Verdict) -> str:
    if change.is_empty:
        return "unchanged"
    waits = change.proposal is not None and change.proposal.state is ProposalState.STAGED
    if isinstance(verdict, Allow) and not waits:
        return _DONE[proposal.action]
    return change.proposal.state.value if change.proposal else "unchanged"


def _entry(
    proposal: Proposal,
    verdict: Verdict,
    now: datetime,
    *,
    target: str,
    states: tuple[str, str],
    digests: tuple[str, str],
) -> LedgerEntry:
    approver = "" if isinstance(verdict, Stage) else verdict.approver
    return LedgerEntry(
        seq=0,
        act_id=proposal.act_id,
        at=now,
        action=proposal.action.value,
        target=target,
        from_state=states[0],
        to_state=states[1],
        from_digest=digests[0],
        to_digest=digests[1],
        proposal_id=proposal.id,
        proposer=proposal.proposer or proposal.origin.value,
        approver=approver,
        rules=verdict.rules,
        policy_hash=verdict.policy_hash,
        trace_id=proposal.trace_id,
        previous=GENESIS,
        hash="",
    )


def _write(tx: WriteTransaction, change: Change, proposal: Proposal, verdict: Verdict, now: datetime) -> int:
    """Write a change with its ledger entries; the number of the last one."""
    if change.is_empty:
        return tx.head().seq
    secret = secret_of(tx)
    head = tx.head()
    rows: list[tuple[LedgerEntry, Revision | None]] = [
        (
            _entry(
                proposal,
                verdict,
                now,
                target=one.after.id,
                states=(one.before.status.value if one.before else "", one.after.status.value),
                digests=(record_digest(secret, one.before), record_digest(secret, one.after)),
            ),
            one,
        )
        for one in change.revisions
    ]
    kept = change.proposal
    if not rows and kept is not None and kept.state is not ProposalState.REFUSED:
        states = (proposal.state.value, kept.state.value)
        rows.append((_entry(proposal, verdict, now, target=kept.id, states=states, digests=("", "")), None))
    rows += [
        (
            _entry(proposal, verdict, now, target=_named(secret, edge), states=("", "linked"), digests=("", "")),
            None,
        )
        for edge in change.edges
    ]
    for entry, revision in rows:
        placed = chain_entry(head, entry)
        tx.append_ledger(placed)
        head = replace(head, seq=placed.seq, hash=placed.hash)
        if revision is not None:
            tx.put_record(revision.after, proposal.act_id, placed.seq)
            if revision.evidence is not None:
                tx.put_evidence(revision.after.id, revision.evidence)
            if revision.edges:
                tx.put_edges(revision.edges)
    if change.edges:
        tx.put_edges(change.edges)
    for one in (kept, *change.others):
        if one is not None:
            tx.put_proposal(one)
    return head.seq


def _named(secret: bytes, edge: Edge) -> str:
    """What the ledger calls an edge: its ends may be names, and the ledger holds no words."""
    return f"edge:{keyed_digest(secret, 'edge', f'{edge.src} {edge.kind} {edge.dst}')[:16]}"


def _undone(tx: WriteTransaction, proposal: Proposal, wish: Undo, verdict: Allow, now: datetime) -> Receipt:
    result = plan_undo(tx, wish)
    change = replace(
        result.change, proposal=replace(proposal, state=ProposalState.COMMITTED, reviewer=verdict.approver)
    )
    if not result.change.revisions and not result.proposals:
        return Receipt(
            act_id=proposal.act_id, proposal_id=proposal.id, outcome="unchanged", notes=result.left, rules=verdict.rules
        )
    seq = _write(tx, change, proposal, verdict, now)
    for waiting in result.proposals:
        tx.put_proposal(waiting)
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=proposal.id,
        outcome="undone",
        records=tuple(one.after for one in change.revisions),
        seq=seq,
        rules=verdict.rules,
        reason=verdict.reason,
        notes=result.left,
    )


def _erased(tx: WriteTransaction, proposal: Proposal, wish: Erase, verdict: Allow, now: datetime) -> Receipt:
    secret = secret_of(tx)
    targets: list[RecordId] = [one.record_id for one in proposal.targets]
    result = plan_erasure(tx, targets, wish, secret, now)
    head = tx.head()
    for before, after in result.records:
        entry = _entry(
            proposal,
            verdict,
            now,
            target=after.id,
            states=(before.status.value, after.status.value),
            digests=(record_digest(secret, before), record_digest(secret, after)),
        )
        placed = chain_entry(head, entry)
        tx.append_ledger(placed)
        head = replace(head, seq=placed.seq, hash=placed.hash)
        tx.blank_record(after, proposal.act_id, placed.seq)
    for after, rows in result.weakened:
        entry = _entry(
            proposal,
            verdict,
            now,
            target=after.id,
            states=(after.status.value, after.status.value),
            digests=("", record_digest(secret, after)),
        )
        placed = chain_entry(head, entry)
        tx.append_ledger(placed)
        head = replace(head, seq=placed.seq, hash=placed.hash)
        tx.put_record(after, proposal.act_id, placed.seq)
        tx.put_evidence(after.id, rows)
        tx.reword_states(after)
    for span in result.spans:
        entry = _entry(proposal, verdict, now, target=span.episode_id, states=("said", "blanked"), digests=("", ""))
        placed = chain_entry(head, entry)
        tx.append_ledger(placed)
        head = replace(head, seq=placed.seq, hash=placed.hash)
        tx.blank_span(span.episode_id, span.start, span.end, "[erased]")
    tx.put_tombstones(result.tombstones)
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=proposal.id,
        outcome="erased" if result.records or result.spans else "unchanged",
        records=tuple(after for _, after in result.records),
        seq=head.seq,
        rules=verdict.rules,
        reason=verdict.reason,
        episodes_blanked=len({one.episode_id for one in result.spans}),
    )
