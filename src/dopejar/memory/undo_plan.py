"""Undo: takes back an act, also one in the middle of a chain, or everything learned from a conversation.

Takes: what to undo and a view. Gives: an `UndoPlan`. Never: deletes; withdrawn evidence stays for history and for redo.

An act's effect on a record is of two kinds. Evidence that it brought is withdrawn: a record with none left is
retracted, any other is derived anew from the rest, and its chain is relinked as though the act had never been. Other
fields that it set (status, tags, side, pin) return to what they were, unless a later act has changed them since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from types import MappingProxyType

from dopejar.errors import InputError, NotFoundError
from dopejar.memory.change_set import Change, ChangeSet
from dopejar.memory.derivation import (
    MERGED_INTO,
    assertions,
    derive,
    is_supported,
    reinstate,
    withdraw,
)
from dopejar.memory.former_fields import LIVE, joined_by, return_fields, with_joined_by
from dopejar.memory.governance_acts import GovernanceAction
from dopejar.memory.key_changes import KeyPlace, find_key_moves, moved_drafts, return_keys
from dopejar.memory.lifecycle import Event, step
from dopejar.memory.staged_records import sync_adds
from dopejar.memory.undo_history import (
    UndoRoot,
    evidence_matcher,
    find_root,
    held_by_other_undos,
    is_undone,
    state_before,
)
from dopejar.ports.store import ReadView
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, proposal_id_of, record_id_of
from dopejar.values.ledger import LedgerEntry
from dopejar.values.proposal import Action, Proposal, ProposalState, Undo
from dopejar.values.record import Evidence, Record, RecordState, Status
from dopejar.values.target import RecordTarget

_NOWHERE: Mapping[KeyPlace, str] = MappingProxyType({})

EvidenceTest = Callable[[Evidence], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoPlan:
    """The change, and a sentence for each thing that stays as it is."""

    change: Change
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
        return UndoPlan(change=Change())
    return _undo_undo(view, request.act_id, root)


def _undo_conversation(view: ReadView, conversation: ConversationId) -> UndoPlan:
    episodes = tuple(turn.id for turn in view.turns(conversation))
    if not episodes:
        raise NotFoundError(f"Nothing was learned from {conversation}. `dopejar log` lists acts and conversations.")
    touched = view.resting_on(episodes)
    changes = ChangeSet(view)
    _withdraw_evidence(view, changes, touched, evidence_matcher(view, Undo(conversation=conversation)))
    return UndoPlan(change=_change_of(view, changes))


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
    moved = find_key_moves(view, act, act)
    moves, stays = return_keys(view, changes, moved)
    states = _more_than_keys(view, act, moved)
    is_meant = evidence_matcher(view, Undo(act_id=act))
    touched = _with_heirs(view, tuple(dict.fromkeys(state.record.id for state in states)), is_meant)
    left = stays + return_fields(view, changes, states)
    _withdraw_restored(changes, states)
    _withdraw_evidence(view, changes, touched, is_meant)
    _retract_approved(view, changes, states, {entry.proposal_id for entry in entries}, is_meant)
    if actions & {Action.MERGE, Action.SUPERSEDE}:
        _separate_merged(view, changes, states, in_chains=Action.MERGE in actions)
    left += _undone_in_ledger_only(view, entries)
    reopened = _reopened_decisions(view, changes, [one for one in entries if one.action != Action.REKEY], touched)
    return UndoPlan(change=_change_of(view, changes, moves, reopened), left=left)


def _more_than_keys(view: ReadView, act: ActId, moved: Sequence[tuple[Record, RecordState]]) -> list[RecordState]:
    """The states of an act but those that differ from the ones before in their key alone."""
    keys_alone = {
        state.from_seq
        for before, state in moved
        if state.record == replace(before, key=state.record.key, version=state.record.version)
    }
    return [state for state in view.states_of_act(act) if state.from_seq not in keys_alone]


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
    moved = find_key_moves(view, act, root.request.act_id) if root.request.act_id else ()
    moves, stays = return_keys(view, changes, moved)
    states = _more_than_keys(view, act, moved)
    is_meant = evidence_matcher(view, root.request)
    touched = _with_heirs(view, tuple(dict.fromkeys(state.record.id for state in states)), is_meant)
    left = stays + return_fields(view, changes, states)
    _separate_merged(view, changes, states)
    if root.is_in_force:
        _withdraw_evidence(view, changes, touched, is_meant)
    else:
        is_held = held_by_other_undos(view, root.act)
        _reinstate_evidence(view, changes, touched, lambda row: is_meant(row) and not is_held(row))
    return UndoPlan(change=_change_of(view, changes, moves), left=left)


def _change_of(
    view: ReadView, changes: ChangeSet, moves: Mapping[KeyPlace, str] = _NOWHERE, decided: Sequence[Proposal] = ()
) -> Change:
    others = {one.id: one for one in (*decided, *moved_drafts(view, moves, decided))}
    return sync_adds(view, Change(revisions=changes.revisions(), others=tuple(others.values())))


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


def _withdraw_evidence(view: ReadView, changes: ChangeSet, touched: Sequence[RecordId], is_meant: EvidenceTest) -> None:
    """Withdraw the meant evidence of the records; retract those without support; relink the chains."""
    for record_id in touched:
        old = changes.evidence(record_id)
        rows = tuple(withdraw(row) if is_meant(row) else row for row in old)
        if rows == old:
            continue
        record = changes.get(record_id)
        if is_supported(record, rows):
            changes.put(derive(record, rows), rows)
        elif record.status in LIVE:
            changes.put(_retract(record), rows)
        else:
            changes.put(record, rows)
    _part_joined(view, changes, touched)
    for record_id in touched:
        changes.relink(changes.get(record_id), merge=True)


def _part_joined(view: ReadView, changes: ChangeSet, touched: Sequence[RecordId]) -> None:
    """What a statement brought into its chain returns to its own, where nothing supports that statement any more."""
    gone = {name for name in touched if changes.get(name).status is Status.RETRACTED}
    for record in [changes.get(member.id) for member in _records_in_chains_of(view, touched)]:
        if gone.isdisjoint(joined_by(record)):
            continue
        apart = [state.record for state in view.states(record.id) if gone.isdisjoint(joined_by(state.record))]
        if not apart:
            continue  # it was imported as it is
        key, slot, value = apart[-1].key, apart[-1].slot, apart[-1].value
        attributes = with_joined_by(record, apart[-1])
        changes.put(replace(record, key=key, slot=slot, value=value, attributes=attributes))
        changes.relink(changes.get(record.id), merge=True)


def _retract_approved(
    view: ReadView,
    changes: ChangeSet,
    states: Sequence[RecordState],
    proposals: AbstractSet[ProposalId],
    is_meant: EvidenceTest,
) -> None:
    """Retract what the act made of a proposal that had waited: its evidence came with the act that proposed it."""
    resumed = {record_id_of(proposal, "resumed") for proposal in proposals}
    for state in states:
        record = changes.get(state.record.id)
        is_made = state_before(view, state) is None and record.id not in resumed and record.status in LIVE
        if is_made and not any(map(is_meant, changes.evidence(record.id))):
            changes.put(_retract(record))
            changes.relink(changes.get(record.id), merge=True)


def _retract(record: Record) -> Record:
    return replace(record, status=step(record.status, Event.RETRACT), supersedes=None, superseded_by=None)


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
            record = revived if is_supported(revived, rows) else record
        elif not assertions(rows) and record.status in LIVE:
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
        former = state_before(view, state)
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


def _reopened_decisions(
    view: ReadView, changes: ChangeSet, entries: Sequence[LedgerEntry], touched: Sequence[RecordId]
) -> tuple[Proposal, ...]:
    """Proposals that the act decided wait for a decision again; adds follow their records."""
    gone = {
        proposal_id_of(record_id)
        for record_id in touched
        if changes.get(record_id).status is Status.RETRACTED and not assertions(changes.evidence(record_id))
    }
    decided = (ProposalState.APPROVED, ProposalState.REJECTED, ProposalState.EXPIRED)
    proposals = [view.proposal(entry) for entry in sorted({entry.proposal_id for entry in entries} - gone)]
    return tuple(
        replace(proposal, state=ProposalState.STAGED, reviewer="", version=proposal.version + 1)
        for proposal in proposals
        if proposal is not None and proposal.state in decided and proposal.record_id is None
    )
