"""Undo: takes back an act, also one in the middle of a chain, or everything learned from a conversation.

Takes: what to undo and a view. Gives: an `UndoPlan`. Never: deletes; withdrawn evidence stays for history and for redo.

An act's effect on a record is of two kinds. Evidence that it brought is withdrawn: a record with none left is
retracted, any other is derived anew from the rest, and its chain is relinked as though the act had never been. Other
fields that it set (status, tags, side, pin) return to what they were, unless a later act has changed them since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dopejar.errors import InputError, NotFoundError
from dopejar.memory.change_set import Change, ChangeSet
from dopejar.memory.derivation import MERGED_INTO, assertions, derive, reinstate, withdraw
from dopejar.memory.governance_acts import GovernanceAction
from dopejar.memory.lifecycle import Event, step
from dopejar.memory.undo_history import UndoRoot, evidence_matcher, find_root, held_by_other_undos, is_undone
from dopejar.ports.store import ReadView
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, proposal_id_of
from dopejar.values.ledger import LedgerEntry
from dopejar.values.proposal import Action, Add, Proposal, ProposalState, Undo
from dopejar.values.record import MIN_ASSERTIONS, Evidence, EvidenceRole, Record, RecordState, Status
from dopejar.values.target import RecordTarget

_GONE = frozenset({Status.RETRACTED, Status.REJECTED, Status.EXPIRED})
_APPROVED = frozenset({Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED})
_LIVE = frozenset({Status.STAGED, Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED})
_SUPPORTING_ROLES = (EvidenceRole.ASSERTS, EvidenceRole.CONTEXT)
_DROPPED = "what it rests on was undone"  # stored as a proposal's reason and recognised there: it must not change
_REOPENED = "its evidence holds again: the undo was undone"

EvidenceTest = Callable[[Evidence], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoPlan:
    """The change, the proposals decided with it, and a sentence for each thing that stays as it is."""

    change: Change
    proposals: tuple[Proposal, ...]
    left: tuple[str, ...] = ()


def plan_undo(view: ReadView, request: Undo) -> UndoPlan:
    """What undoing the act, or everything learned from the conversation, changes.

    Raises:
        NotFoundError: there is no such act or conversation, or nothing was learned from it.
        InputError: the act cannot be undone (an erasure).
    """
    root = find_root(view, request)
    if request.conversation is not None:
        return _undo_conversation(view, request.conversation)
    if request.act_id is None:
        raise InputError("Say what to undo: an act, or a conversation.")
    if root.act is None:
        return _undo_act(view, request.act_id)
    if is_undone(view, request.act_id):
        return UndoPlan(change=Change(), proposals=())
    return _undo_undo(view, request.act_id, root)


def _undo_conversation(view: ReadView, conversation: ConversationId) -> UndoPlan:
    episodes = tuple(turn.id for turn in view.turns(conversation))
    if not episodes:
        raise NotFoundError(f"Nothing was learned from {conversation}. `dopejar log` lists acts and conversations.")
    touched = view.resting_on(episodes)
    changes = ChangeSet(view)
    _withdraw_evidence(changes, touched, evidence_matcher(view, Undo(conversation=conversation)))
    proposals = _updated_proposals(view, changes, touched, _dropped_proposals(view, changes, touched))
    return UndoPlan(change=Change(revisions=changes.revisions()), proposals=proposals)


def _undo_act(view: ReadView, act: ActId) -> UndoPlan:
    entries = view.entries_of_act(act)
    if not entries:
        raise NotFoundError(f"There is no act {act}. `dopejar log` lists the acts.")
    actions = {entry.action for entry in entries}
    if any(entry.action == Action.ERASE and entry.to_state in ("erased", "blanked") for entry in entries):
        raise InputError("An erasure cannot be undone: the text is gone.")
    if actions <= set(GovernanceAction):
        raise InputError(f"{act} changed no memory and cannot be undone. It is a note about reviewers or settings.")
    changes = ChangeSet(view)
    states = view.states_of_act(act)
    is_meant = evidence_matcher(view, Undo(act_id=act))
    touched = _with_heirs(view, tuple(dict.fromkeys(state.record.id for state in states)), is_meant)
    left = _return_fields(view, changes, states)
    _withdraw_restored(changes, states)
    _withdraw_evidence(changes, touched, is_meant)
    if actions & {Action.MERGE, Action.SUPERSEDE}:
        _separate_merged(view, changes, states, in_chains=Action.MERGE in actions)
    decided = [*_dropped_proposals(view, changes, touched), *_reopened_decisions(view, changes, entries, touched)]
    proposals = _updated_proposals(view, changes, touched, decided)
    left += _undone_in_ledger_only(view, entries)
    return UndoPlan(change=Change(revisions=changes.revisions()), proposals=proposals, left=left)


def _undone_in_ledger_only(view: ReadView, entries: Sequence[LedgerEntry]) -> tuple[str, ...]:
    """A sentence for each target of the act that is no record: nothing but the ledger holds what was done to it."""
    acted = [view.proposal(proposal_id) for proposal_id in dict.fromkeys(entry.proposal_id for entry in entries)]
    return tuple(
        f"{target.subject} is no record and stays {proposal.action} in the ledger."
        for proposal in acted
        if proposal is not None
        for target in proposal.targets
        if not isinstance(target, RecordTarget)
    )


def _undo_undo(view: ReadView, act: ActId, root: UndoRoot) -> UndoPlan:
    """Undo an undo: what it withdrew asserts again, or is withdrawn again; what it gave back is as it was.

    What another undo withdrew as well stays withdrawn.
    """
    changes = ChangeSet(view)
    states = view.states_of_act(act)
    is_meant = evidence_matcher(view, root.request)
    touched = _with_heirs(view, tuple(dict.fromkeys(state.record.id for state in states)), is_meant)
    left = _return_fields(view, changes, states)
    _separate_merged(view, changes, states)
    if root.is_in_force:
        _withdraw_evidence(changes, touched, is_meant)
        decided = _dropped_proposals(view, changes, touched)
    else:
        is_held = held_by_other_undos(view, root.act)
        _reinstate_evidence(view, changes, touched, lambda row: is_meant(row) and not is_held(row))
        decided = (*_approved_again(view, changes, touched), *_staged_again(view, changes, touched))
    proposals = _updated_proposals(view, changes, touched, decided)
    return UndoPlan(change=Change(revisions=changes.revisions()), proposals=proposals, left=left)


def _with_heirs(view: ReadView, made: tuple[RecordId, ...], is_meant: EvidenceTest) -> tuple[RecordId, ...]:
    """The records, and those that were given their evidence since.

    Those are the records they were merged into, their shared copies, and the later half of a record that another
    statement split, which stands in the same chain.
    """
    episodes = {row.episode_id for rows in view.evidence_of(made).values() for row in rows if is_meant(row)}
    in_chains = [record.id for record in _records_in_chains_of(view, made)]
    return tuple(dict.fromkeys([*made, *view.resting_on(tuple(sorted(episodes))), *in_chains]))


def _withdraw_restored(changes: ChangeSet, states: Sequence[RecordState]) -> None:
    """A record that the act restored loses the evidence that was reinstated for it."""
    for made in (state.record for state in states):
        record, rows = changes.get(made.id), changes.evidence(made.id)
        if record.status is Status.RETRACTED and made.status is not Status.RETRACTED and assertions(rows):
            changes.put(record, tuple(map(withdraw, rows)))


def _withdraw_evidence(changes: ChangeSet, touched: Sequence[RecordId], is_meant: EvidenceTest) -> None:
    """Withdraw the meant evidence of the records; retract those without support; relink the chains."""
    for record_id in touched:
        old = changes.evidence(record_id)
        rows = tuple(withdraw(row) if is_meant(row) else row for row in old)
        if rows == old:
            continue
        record = changes.get(record_id)
        if _is_supported(record, rows):
            changes.put(derive(record, rows), rows)
        elif record.status in _LIVE:
            changes.put(_retract(record), rows)
        else:
            changes.put(record, rows)
    for record_id in touched:
        changes.relink(changes.get(record_id), merge=True)


def _retract(record: Record) -> Record:
    return replace(record, status=step(record.status, Event.RETRACT), supersedes=None, superseded_by=None)


def _is_supported(record: Record, rows: Sequence[Evidence]) -> bool:
    """Whether enough episodes assert it: a staged record that had to be said twice needs two."""
    episodes = len({row.episode_id for row in assertions(rows)})
    needed = record.attributes.get(MIN_ASSERTIONS, "") if record.status is Status.STAGED else ""
    return episodes >= (int(needed) if needed.isdecimal() else 1)


def _state_before(view: ReadView, state: RecordState) -> Record | None:
    """The record as it stood before a state."""
    earlier = [former for former in view.states(state.record.id) if former.from_seq < state.from_seq]
    return earlier[-1].record if earlier else None


def _return_fields(view: ReadView, changes: ChangeSet, states: Sequence[RecordState]) -> tuple[str, ...]:
    """Return status, tags, side and pin to what they were before the act, where no later act changed them.

    Gives a sentence for each status that stays because of a later act.
    """
    left = []
    first = {state.record.id: state for state in reversed(states)}
    last = {state.record.id: state for state in states}
    for record_id, state in first.items():
        former, made = _state_before(view, state), last[record_id].record
        if former is None:
            continue  # the act made the record: withdrawing its evidence decides what becomes of it
        record = changes.get(record_id)
        if (record.tags, record.pinned, record.side) == (made.tags, made.pinned, made.side):
            record = replace(record, tags=former.tags, pinned=former.pinned, side=former.side)
        if record.status == made.status and former.status != made.status:
            record = replace(record, status=former.status, approved_by=former.approved_by)
        elif made.status != former.status and record.status not in (made.status, former.status):
            left.append(f"{record_id} is {record.status} by a later act and stays so.")
        changes.put(_with_former_words(record, made, former))
    return tuple(left)


def _with_former_words(record: Record, made: Record, former: Record) -> Record:
    """The record unmerged, and with its former text, where the act merged or reworded it."""
    if MERGED_INTO in made.attributes and MERGED_INTO not in former.attributes:
        record = replace(record, attributes=former.attributes, superseded_by=former.superseded_by)
    if record.text == made.text and former.text != made.text and former.content_hash == record.content_hash:
        record = replace(record, text=former.text, attributes=former.attributes)
    return record


def _reinstate_evidence(
    view: ReadView, changes: ChangeSet, touched: Sequence[RecordId], is_meant: EvidenceTest
) -> None:
    """The meant evidence counts again; a retracted record that is supported again returns to its former status."""
    for record_id in touched:
        old = changes.evidence(record_id)
        rows = tuple(reinstate(row) if is_meant(row) else row for row in old)
        record = changes.get(record_id)
        if assertions(rows) and record.status is Status.RETRACTED:
            former = [state.record for state in view.states(record_id) if state.record.status is not Status.RETRACTED]
            revived = replace(record, status=former[-1].status if former else record.status)
            record = revived if _is_supported(revived, rows) else record
        elif not assertions(rows) and record.status in _LIVE:
            record = _retract(record)
        if rows != old or record is not changes.get(record_id):
            changes.put(derive(record, rows), rows)
    _separate_chains(view, changes, touched)
    for record_id in touched:
        changes.relink(changes.get(record_id), merge=True)


def _separate_chains(view: ReadView, changes: ChangeSet, touched: Sequence[RecordId]) -> None:
    """Separate coalesced versions of these chains, since a reinstated version may stand between them.

    Relinking coalesces again those with nothing between them.
    """
    members = {record.id: changes.get(record.id) for record in _records_in_chains_of(view, touched)}
    evidence = {record_id: changes.evidence(record_id) for record_id in members}
    merged = [
        record
        for record in members.values()
        if record.status is Status.SUPERSEDED
        and record.attributes.get(MERGED_INTO) in members
        and assertions(evidence[record.id])
    ]
    gained: dict[RecordId, set[tuple[EpisodeId, int]]] = {}
    for record in merged:
        places = {(row.episode_id, row.start) for row in evidence[record.id]}
        into = record.attributes.get(MERGED_INTO)
        while into in members:
            survivor = members[RecordId(into)]
            gained.setdefault(survivor.id, set()).update(places)
            into = survivor.attributes.get(MERGED_INTO)
    for survivor_id, places in gained.items():
        rows = tuple(row for row in evidence[survivor_id] if (row.episode_id, row.start) not in places)
        if assertions(rows):
            changes.put(derive(changes.get(survivor_id), rows), rows)
    for merged_record in merged:
        record = changes.get(merged_record.id)
        attributes = {name: value for name, value in record.attributes.items() if name != MERGED_INTO}
        changes.put(replace(record, attributes=attributes, superseded_by=None))


def _separate_merged(
    view: ReadView, changes: ChangeSet, states: Sequence[RecordState], *, in_chains: bool = True
) -> None:
    """Records that the act merged are separate again: the survivor gives back the evidence that it gained.

    With `in_chains` off, versions of one chain that a newer one brought together are left to relinking.
    """
    for state in states:
        into = state.record.attributes.get(MERGED_INTO, "")
        former = _state_before(view, state)
        if not into or former is None or MERGED_INTO in former.attributes:
            continue
        own = {(row.episode_id, row.start) for row in changes.evidence(state.record.id)}
        survivor = changes.get(RecordId(into))
        if not in_chains and survivor.chain == state.record.chain:
            continue
        merged = changes.evidence(survivor.id)
        rows = tuple(row for row in merged if (row.episode_id, row.start) not in own)
        if assertions(rows) and rows != merged:
            changes.put(derive(survivor, rows), rows)


def _records_in_chains_of(view: ReadView, record_ids: Sequence[RecordId]) -> list[Record]:
    """The records of every chain that one of these belongs to."""
    records = [record for record in map(view.record, record_ids) if record is not None and record.chain]
    chains = sorted({(record.namespace, record.scope, record.side, record.chain) for record in records}, key=str)
    return [record for chain in chains for record in view.chain(*chain)]


def _updated_proposals(
    view: ReadView, changes: ChangeSet, touched: Sequence[RecordId], decided: Sequence[Proposal]
) -> tuple[Proposal, ...]:
    """The decided proposals, and the staged ones brought in step with their records: the same words and evidence."""
    updated = {proposal.id: proposal for proposal in decided}
    for record_id in touched:
        record = changes.get(record_id)
        staged = updated.get(proposal_id_of(record_id)) or view.proposal_of(record_id)
        if record.status is not Status.STAGED or staged is None or staged.state is not ProposalState.STAGED:
            continue
        rows, payload = _supporting(changes.evidence(record_id)), staged.payload
        if isinstance(payload, Add) and payload.draft.text != record.text:
            payload = replace(payload, draft=replace(payload.draft, text=record.text))
        if payload is not staged.payload or set(map(_place, rows)) != set(map(_place, staged.evidence)):
            version = staged.version + (staged.id not in updated)
            updated[staged.id] = replace(staged, payload=payload, evidence=rows, version=version)
    return tuple(updated.values())


def _supporting(rows: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The assertions, with the context that the same acts brought."""
    acts = {row.act_id for row in assertions(rows)}
    return tuple(row for row in rows if row.role in _SUPPORTING_ROLES and row.act_id in acts)


def _place(row: Evidence) -> tuple[str, int, int, EvidenceRole]:
    return row.episode_id, row.start, row.end, row.role


def _adds_of(view: ReadView, record_ids: Sequence[RecordId]) -> list[Proposal]:
    """The proposals that made these records, those that are kept."""
    proposals = [view.proposal(proposal_id_of(record_id)) for record_id in record_ids]
    return [proposal for proposal in proposals if proposal is not None]


def _approved_again(view: ReadView, changes: ChangeSet, touched: Sequence[RecordId]) -> tuple[Proposal, ...]:
    """Staged adds whose records are approved again, since the decision about them holds again."""
    approved = {
        proposal_id_of(record_id): changes.get(record_id)
        for record_id in touched
        if changes.get(record_id).status in _APPROVED
    }
    return tuple(
        replace(add, state=ProposalState.APPROVED, reviewer=approved[add.id].approved_by, version=add.version + 1)
        for add in _adds_of(view, touched)
        if add.state is ProposalState.STAGED and add.id in approved
    )


def _staged_again(view: ReadView, changes: ChangeSet, touched: Sequence[RecordId]) -> tuple[Proposal, ...]:
    """Adds that an undo dropped, not a person: their records are staged again, and so are they."""
    staged = [record_id for record_id in touched if changes.get(record_id).status is Status.STAGED]
    return tuple(
        replace(add, state=ProposalState.STAGED, reason=_REOPENED, version=add.version + 1)
        for add in _adds_of(view, staged)
        if add.state is ProposalState.REJECTED and add.reason == _DROPPED
    )


def _dropped_proposals(view: ReadView, changes: ChangeSet, touched: Sequence[RecordId]) -> tuple[Proposal, ...]:
    """Staged proposals of records that are gone, or gone again: they are rejected."""
    gone = [record_id for record_id in touched if changes.get(record_id).status in _GONE]
    proposals = [view.proposal_of(record_id) for record_id in gone]
    return tuple(
        replace(proposal, state=ProposalState.REJECTED, reason=_DROPPED, version=proposal.version + 1)
        for proposal in proposals
        if proposal is not None and proposal.state is ProposalState.STAGED
    )


def _reopened_decisions(
    view: ReadView, changes: ChangeSet, entries: Sequence[LedgerEntry], touched: Sequence[RecordId]
) -> list[Proposal]:
    """Proposals that the act decided, and adds of records that it staged: they wait for a decision again."""
    statuses = {record_id: changes.get(record_id).status for record_id in touched}
    staged = {proposal_id_of(record_id) for record_id, status in statuses.items() if status is Status.STAGED}
    gone = {proposal_id_of(record_id) for record_id, status in statuses.items() if status is Status.RETRACTED}
    proposal_ids: set[ProposalId] = {*(entry.proposal_id for entry in entries), *staged} - gone
    decided = (ProposalState.APPROVED, ProposalState.REJECTED, ProposalState.EXPIRED)
    proposals = [view.proposal(proposal_id) for proposal_id in sorted(proposal_ids)]
    return [
        replace(proposal, state=ProposalState.STAGED, reviewer="", version=proposal.version + 1)
        for proposal in proposals
        if proposal is not None and proposal.state in decided
    ]
