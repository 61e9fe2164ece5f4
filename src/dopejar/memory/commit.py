"""The write of beliefs: the only way in which what is believed changes.

Takes: a proposal, its verdict and the writer's transaction. Gives: a receipt. Never: judges, and never commits in part.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import datetime

from dopejar.memory.change_set import Change, Revision
from dopejar.memory.commit_plan import CommitPlan, check_target_kinds, draft_in, plan_commit
from dopejar.memory.derivation import MERGED_INTO
from dopejar.memory.erasure_plan import plan_erasure
from dopejar.memory.erasure_writer import (
    reword_states,
    write_blanked_proposal,
    write_blanked_spans,
    write_erased_record,
    write_nameless_conversation,
)
from dopejar.memory.ledger import chain_entry, record_digest
from dopejar.memory.record_writer import ExtractEdges, write_record
from dopejar.memory.staged_records import sync_adds
from dopejar.memory.tombstones import keyed_digest
from dopejar.memory.undo_plan import plan_undo
from dopejar.ports.store import WriteTransaction
from dopejar.values.edge import Edge
from dopejar.values.episode import ERASED_MARK
from dopejar.values.ids import ActId, EpisodeId
from dopejar.values.ledger import GENESIS, LedgerEntry
from dopejar.values.proposal import Erase, Proposal, ProposalState, Undo
from dopejar.values.receipt import Receipt
from dopejar.values.verdict import Allow, Stage, Verdict

_OUTCOMES = {
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
    "erase": "erased",
    "restore": "restored",
    "undo": "undone",
    "rekey": "rekeyed",
}


def secret_of(tx: WriteTransaction) -> bytes:
    """The store's own secret, the key of every digest; made at its first use."""
    secret = tx.meta("secret")
    if secret is None:
        secret = secrets.token_hex(32)
        tx.set_meta("secret", secret)
    return bytes.fromhex(secret)


def commit(
    tx: WriteTransaction,
    proposal: Proposal,
    verdict: Verdict,
    now: datetime,
    commit_plan: CommitPlan | None = None,
    *,
    extract_edges: ExtractEdges,
) -> Receipt:
    """Carry out a judged proposal: records, states, ledger entries and index rows, in the caller's one transaction.

    A staged proposal is kept under its stable id, so that a repeat of it only adds its evidence; a refused one stays
    visible; one that a person rejected before is not kept again. `commit_plan` spares computing the change a second
    time. Give it only where the memory is known to be as it was when the plan was made. `extract_edges` reads the
    graph's edges from a record's words.

    Raises:
        StaleProposalError: the memory moved since the proposal was judged; nothing was written.
        NotFoundError, IllegalMoveError, InputError: the proposal cannot be carried out; nothing was written.
    """
    if isinstance(verdict, Allow) and isinstance(proposal.payload, Undo):
        return _commit_undo(tx, proposal, proposal.payload, verdict, now, extract_edges)
    if isinstance(verdict, Allow) and isinstance(proposal.payload, Erase):
        return _commit_erasure(tx, proposal, proposal.payload, verdict, now, extract_edges)
    plan = commit_plan or plan_commit(tx, proposal, verdict, now)
    proposal, change = plan.proposal, plan.change
    seq = _write(tx, change, proposal, verdict, now, extract_edges)
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=change.proposal.id if change.proposal else proposal.id,  # a repeat joins the staged one
        outcome=_outcome(change, proposal, verdict),
        records=tuple(revision.after for revision in change.revisions),
        seq=seq,
        rules=verdict.rules,
        reason=verdict.reason,
        text=draft.text if (draft := draft_in(proposal)) else _texts_of_targets(tx, proposal, change),
        action=proposal.action.value,
    )


def _texts_of_targets(tx: WriteTransaction, proposal: Proposal, change: Change) -> str:
    """The words of the records that something is proposed for; nothing where the change shows them."""
    if change.revisions:
        return ""
    records = (tx.record(target.record_id) for target in proposal.record_targets)
    return "; ".join(record.text for record in records if record is not None)


def _outcome(change: Change, proposal: Proposal, verdict: Verdict) -> str:
    if change.is_empty:
        return "unchanged"
    is_staged = change.proposal is not None and change.proposal.state is ProposalState.STAGED
    if isinstance(verdict, Allow) and not is_staged:
        if any(one.after.id == proposal.record_id and MERGED_INTO in one.after.attributes for one in change.revisions):
            return "reinforced"  # what was approved said what is believed already
        return _OUTCOMES[proposal.action]
    return change.proposal.state.value if change.proposal else "unchanged"


class _LedgerWriter:
    """Appends the ledger entries of one commit, each chained to the one before."""

    def __init__(self, tx: WriteTransaction, proposal: Proposal, verdict: Verdict, now: datetime) -> None:
        self._tx = tx
        self._proposal = proposal
        self._verdict = verdict
        self._now = now
        self.head = tx.head()

    def append(self, target: str, states: tuple[str, str], digests: tuple[str, str] = ("", "")) -> int:
        """Append the entry of one target, with its states and digests before and after; the entry's number."""
        proposal, verdict = self._proposal, self._verdict
        entry = LedgerEntry(
            seq=0,
            act_id=proposal.act_id,
            at=self._now,
            action=proposal.action.value,
            target=target,
            from_state=states[0],
            to_state=states[1],
            from_digest=digests[0],
            to_digest=digests[1],
            proposal_id=proposal.id,
            proposer=proposal.proposer or proposal.origin.value,
            approver="" if isinstance(verdict, Stage) else verdict.approver,
            rules=verdict.rules,
            policy_hash=verdict.policy_hash,
            trace_id=proposal.trace_id,
            previous=GENESIS,
            hash="",
        )
        chained = chain_entry(self.head, entry)
        self._tx.append_ledger(chained)
        self.head = replace(self.head, seq=chained.seq, hash=chained.hash)
        return chained.seq


def _write(
    tx: WriteTransaction,
    change: Change,
    proposal: Proposal,
    verdict: Verdict,
    now: datetime,
    extract_edges: ExtractEdges,
) -> int:
    """Write a change with its ledger entries; the number of the last one."""
    if change.is_empty:
        return tx.head().seq
    secret = secret_of(tx)
    ledger = _LedgerWriter(tx, proposal, verdict, now)
    for revision in change.revisions:
        _write_revision(tx, ledger, revision, proposal.act_id, secret, extract_edges)
    kept = change.proposal
    for target in change.targets:
        ledger.append(target.subject, ("", _OUTCOMES[proposal.action]))
    has_entries = bool(change.revisions or change.targets)
    if not has_entries and kept is not None and kept.state is not ProposalState.REFUSED:
        ledger.append(kept.id, (proposal.state.value, kept.state.value))
    for edge in change.edges:
        ledger.append(_edge_name(secret, edge), ("", "linked"))
    if change.edges:
        tx.put_edges(change.edges)
    for decided in (kept, *change.others):
        if decided is not None:
            tx.put_proposal(decided)
    return ledger.head.seq


def _write_revision(
    tx: WriteTransaction,
    ledger: _LedgerWriter,
    revision: Revision,
    act_id: ActId,
    secret: bytes,
    extract_edges: ExtractEdges,
) -> None:
    before, after = revision.before, revision.after
    states = (before.status.value if before else "", after.status.value)
    seq = ledger.append(after.id, states, (record_digest(secret, before), record_digest(secret, after)))
    write_record(tx, before, after, act_id, seq, extract_edges)
    if revision.evidence is not None:
        tx.put_evidence(after.id, revision.evidence)
    if revision.edges:
        tx.put_edges(revision.edges)


def _edge_name(secret: bytes, edge: Edge) -> str:
    """The name of an edge in the ledger: a digest, since its ends may be names and the ledger holds no words."""
    return f"edge:{keyed_digest(secret, 'edge', f'{edge.src} {edge.kind} {edge.dst}')[:16]}"


def _commit_undo(
    tx: WriteTransaction, proposal: Proposal, request: Undo, verdict: Allow, now: datetime, extract_edges: ExtractEdges
) -> Receipt:
    check_target_kinds(proposal)
    plan = plan_undo(tx, request)
    if not plan.change.revisions and not plan.change.others:
        return Receipt(
            act_id=proposal.act_id, proposal_id=proposal.id, outcome="unchanged", notes=plan.left, rules=verdict.rules
        )
    kept = replace(proposal, state=ProposalState.COMMITTED, reviewer=verdict.approver)
    seq = _write(tx, replace(plan.change, proposal=kept), proposal, verdict, now, extract_edges)
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=proposal.id,
        outcome="undone",
        records=tuple(revision.after for revision in plan.change.revisions),
        seq=seq,
        rules=verdict.rules,
        reason=verdict.reason,
        notes=plan.left,
    )


def _commit_erasure(
    tx: WriteTransaction, proposal: Proposal, request: Erase, verdict: Allow, now: datetime, extract_edges: ExtractEdges
) -> Receipt:
    check_target_kinds(proposal)
    secret = secret_of(tx)
    erasure = plan_erasure(tx, [target.record_id for target in proposal.record_targets], request, secret, now)
    ledger = _LedgerWriter(tx, proposal, verdict, now)
    for before, after in erasure.records:
        states = (before.status.value, after.status.value)
        seq = ledger.append(after.id, states, (record_digest(secret, before), record_digest(secret, after)))
        write_erased_record(tx, after, proposal.act_id, seq)
    for after, rows in erasure.weakened:
        states = (after.status.value, after.status.value)
        seq = ledger.append(after.id, states, ("", record_digest(secret, after)))
        weakened = Revision(before=tx.record(after.id), after=after, evidence=rows)
        write_record(tx, weakened.before, after, proposal.act_id, seq, extract_edges)
        tx.put_evidence(after.id, rows)
        reword_states(tx, after)
        for add in sync_adds(tx, Change(revisions=(weakened,))).others:
            tx.put_proposal(replace(add, rationale=""))
    spans: dict[EpisodeId, list[tuple[int, int]]] = {}
    for span in erasure.spans:
        ledger.append(span.episode_id, ("said", "blanked"))
        spans.setdefault(span.episode_id, []).append((span.start, span.end))
    for episode_id, ranges in spans.items():
        write_blanked_spans(tx, episode_id, ranges, ERASED_MARK)
    for proposal_id in request.proposals:
        ledger.append(proposal_id, ("", "erased"))
        write_blanked_proposal(tx, proposal_id)
    if request.conversation is not None:
        write_nameless_conversation(tx, request.conversation)
    tx.put_tombstones(erasure.tombstones)
    if proposal.state is ProposalState.STAGED:
        decided = replace(proposal, state=ProposalState.APPROVED, reviewer=verdict.approver, rationale="", reason="")
        tx.put_proposal(replace(decided, version=proposal.version + 1))
    return Receipt(
        act_id=proposal.act_id,
        proposal_id=proposal.id,
        outcome="erased" if erasure.records or erasure.spans else "unchanged",
        records=tuple(after for _, after in erasure.records),
        seq=ledger.head.seq,
        rules=verdict.rules,
        reason=verdict.reason,
        episodes_blanked=len(spans),
    )
