"""What a reviewer does without a proposal from the queue: undo, deprecate, restore.

Takes: names of acts, conversations and records, and a reviewer. Gives: receipts. Never: acts without the gate's
verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.lookup import find_act, find_conversation, find_record
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.engine.unit_of_work import commit, decide
from dopejar.errors import NotFoundError, RefusedError
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Deprecate, Payload, Proposal, Restore, Undo, Via
from dopejar.values.receipt import Receipt
from dopejar.values.record import Evidence, Record
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow


def commit_action(
    deps: Dependencies,
    tx: WriteTransaction,
    payload: Payload,
    targets: Sequence[Record],
    by: Reviewer,
    trace_id: TraceId,
    *,
    act_id: ActId | None = None,
    evidence: Sequence[Evidence] = (),
) -> Receipt:
    """Commit what a reviewer asks for, as an act or as part of one; `evidence` is what a new record rests on.

    Raises:
        ReviewerRequiredError: the reviewer has no open session. RefusedError, IllegalMoveError.
    """
    now = deps.clock.now()
    require_reviewer(tx, by, deps.system_clock.now())
    proposal = Proposal(
        id=new_proposal_id(),
        act_id=act_id or new_act_id(),
        payload=payload,
        at=now,
        origin=Origin.USER,
        via=Via.REVIEW,
        made_by="person",
        trace_id=trace_id,
        targets=tuple(RecordTarget(record_id=record.id, version=record.version) for record in targets),
        proposer=by.name,
        evidence=tuple(evidence),
    )
    verdict = decide(proposal, tx, deps.policy(), now, approval=by.name)
    if not isinstance(verdict, Allow):
        raise RefusedError(f"This cannot be done: {verdict.reason} [{', '.join(verdict.rules)}].")
    return commit(tx, proposal, verdict, now)


def undo(deps: Dependencies, name: str, by: Reviewer, trace_id: TraceId) -> Receipt:
    """Undo an act (`a_...`), or everything learned from a conversation (`c_...`, its name or its file).

    Raises:
        NotFoundError, AmbiguousIdError: the name fits nothing, or several things.
        InputError: the act was an erasure.
    """
    from dopejar.engine.corrections.checkpoint import follow_undo  # most commands do not undo

    with deps.store.write() as tx:
        payload = undo_of(tx, name)
        receipt = commit_action(deps, tx, payload, (), by, trace_id)
        follow_undo(tx, payload)
        return receipt


def undo_of(view: ReadView, name: str) -> Undo:
    """The undo of the act or the conversation that a name fits. Raises NotFoundError, AmbiguousIdError."""
    act_id = find_act(view, name)
    if act_id is not None:
        return Undo(act_id=act_id)
    if name.startswith("a_"):
        raise NotFoundError(f"There is no act {name}. `dopejar log` lists the acts.")
    return Undo(conversation=find_conversation(view, name))


def deprecate(deps: Dependencies, names: Sequence[str], by: Reviewer, trace_id: TraceId) -> Receipt:
    """Take records out of use; they stay readable. Raises NotFoundError, IllegalMoveError."""
    with deps.store.write() as tx:
        return commit_action(deps, tx, Deprecate(), [find_record(tx, name) for name in names], by, trace_id)


def bring_back(deps: Dependencies, names: Sequence[str], by: Reviewer, trace_id: TraceId) -> Receipt:
    """Restore deprecated, retracted or superseded records, and return rejected and expired ones to the queue."""
    with deps.store.write() as tx:
        return commit_action(deps, tx, Restore(), [find_record(tx, name) for name in names], by, trace_id)
