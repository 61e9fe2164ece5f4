"""Taking an act back, also one in the middle of a chain, and everything learned from a conversation.

Takes: what to undo and a view. Gives: a `Change`. Never: deletes; withdrawn evidence stays for history and for redo.

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
from dopejar.memory.lifecycle import Event, step
from dopejar.memory.undo_history import UndoRoot, evidence_matcher, find_root, held_by_other_undos, is_undone
from dopejar.ports.store import ReadView
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, proposal_id_of
from dopejar.values.proposal import Action, Add, Proposal, ProposalState, Undo
from dopejar.values.record import MIN_ASSERTIONS, Evidence, EvidenceRole, Record, RecordState, Status

_GONE = frozenset({Status.RETRACTED, Status.REJECTED, Status.EXPIRED})
_TAKEN_UP = frozenset({Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED})
_SUPPORTING = (EvidenceRole.ASSERTS, EvidenceRole.CONTEXT)
_LET_GO = "what it rests on was undone"
_AGAIN = "what it rests on is there again: the undo was undone"
_LIVE = frozenset({Status.STAGED, Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED})


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoPlan:
    """The change, the waiting proposals that go with it, and what was left because a later act had changed it."""

    change: Change
    proposals: tuple[Proposal, ...]
    left: tuple[str, ...] = ()


def plan_undo(view: ReadView, wish: Undo) -> UndoPlan:
    """What taking back the act, or the conversation's learning, changes.

    Raises:
        NotFoundError: there is no such act or conversation, or nothing was learned from it.
        InputError: the act cannot be undone (an erasure).
    """
    root = find_root(view, wish)
    if wish.conversation is not None:
        return _undo_conversation(view, wish.conversation)
    if wish.act_id is None:
        raise InputError("Say what to undo: an act, or a conversation.")
    if root.act is None:
        return _undo_act(view, wish.act_id)
    if is_undone(view, wish.act_id):
        return UndoPlan(change=Change(), proposals=())  # that undo is undone already
    return _turned(view, wish.act_id, root)


def _undo_conversation(view: ReadView, conversation: ConversationId) -> UndoPlan:
    episodes = tuple(one.id for one in view.turns(conversation))
    if not episodes:
        raise NotFoundError(f"Nothing was learned from {conversation}. `dopejar log` lists acts and conversations.")
    touched = view.resting_on(episodes)
    board = ChangeSet(view)
    _withdraw(board, touched, evidence_matcher(view, Undo(conversation=conversation)))
    proposals = _in_step(view, board, touched, _drop_waiting(view, board, touched))
    return UndoPlan(change=Change(revisions=board.revisions()), proposals=proposals)


def _undo_act(view: ReadView, act: ActId) -> UndoPlan:
    entries = view.entries_of_act(act)
    if not entries:
        raise NotFoundError(f"There is no act {act}. `dopejar log` lists the acts.")
    if any(one.action == Action.ERASE for one in entries):
        raise InputError("An erasure cannot be undone: the words are gone.")
    board = ChangeSet(view)
    states = view.states_of_act(act)
    meant = evidence_matcher(view, Undo(act_id=act))
    touched = _with_copies(view, tuple(dict.fromkeys(one.record.id for one in states)), meant)
    left = _give_back(view, board, states)
    _let_go_again(board, states)
    _withdraw(board, touched, meant)
    done = {one.action for one in entries}
    if done & {Action.MERGE, Action.SUPERSEDE}:
        _part_again(view, board, states, in_chains=Action.MERGE in done)
    again = [proposal_id_of(one) for one in touched if board.get(one).status is Status.STAGED]
    gone = {proposal_id_of(one) for one in touched if board.get(one).status is Status.RETRACTED}
    reopened = {*(one.proposal_id for one in entries), *again} - gone
    proposals = _in_step(view, board, touched, [*_drop_waiting(view, board, touched), *_reopen(view, reopened)])
    return UndoPlan(change=Change(revisions=board.revisions()), proposals=proposals, left=left)


def _with_copies(view: ReadView, made: tuple[RecordId, ...], meant: Callable[[Evidence], bool]) -> tuple[RecordId, ...]:
    """The records, and those that were given their evidence since.

    That is what they were merged into, their shared copies, and the later half of one that another statement came
    between, which stands in the same chain.
    """
    said_in = {one.episode_id for rows in view.evidence_of(made).values() for one in rows if meant(one)}
    mates = [one.id for one in _mates(view, made)]
    return tuple(dict.fromkeys([*made, *view.resting_on(tuple(sorted(said_in))), *mates]))


def _let_go_again(board: ChangeSet, states: Sequence[RecordState]) -> None:
    """What a reviewer brought back rests on nothing again once that is undone."""
    for made in (one.record for one in states):
        record, rows = board.get(made.id), board.evidence(made.id)
        if record.status is Status.RETRACTED and made.status is not Status.RETRACTED and assertions(rows):
            board.put(record, tuple(map(withdraw, rows)))


def _withdraw(board: ChangeSet, touched: Sequence[RecordId], meant: Callable[[Evidence], bool]) -> None:
    """Withdraw the meant evidence of the records; retract what has none left; relink."""
    for record_id in touched:
        rows = board.evidence(record_id)
        kept = tuple(withdraw(one) if meant(one) else one for one in rows)
        if kept == rows:
            continue
        record = board.get(record_id)
        if _is_supported(record, kept):
            board.put(derive(record, kept), kept)
        elif record.status in _LIVE:
            board.put(_retracted(record), kept)
        else:
            board.put(record, kept)
    for record_id in touched:
        board.relink(board.get(record_id), merge=True)


def _retracted(record: Record) -> Record:
    return replace(record, status=step(record.status, Event.RETRACT), supersedes=None, superseded_by=None)


def _is_supported(record: Record, rows: Sequence[Evidence]) -> bool:
    """Whether enough asserts it still: a wish that had to be said twice waits no longer once it is said once."""
    said = len({one.episode_id for one in assertions(rows)})
    least = record.attributes.get(MIN_ASSERTIONS, "") if record.status is Status.STAGED else ""
    return said >= (int(least) if least.isdecimal() else 1)


def _former(view: ReadView, state: RecordState) -> Record | None:
    """The record as it stood before a state."""
    before = [one for one in view.states(state.record.id) if one.from_seq < state.from_seq]
    return before[-1].record if before else None


def _give_back(view: ReadView, board: ChangeSet, states: Sequence[RecordState]) -> tuple[str, ...]:
    """Return status, tags, side and pin to what they were before the act, where nothing has changed them since."""
    left = []
    first = {one.record.id: one for one in reversed(states)}
    last = {one.record.id: one for one in states}
    for record_id, state in first.items():
        former, made = _former(view, state), last[record_id].record
        if former is None:
            continue  # the act made it; withdrawing its evidence says what becomes of it
        record = board.get(record_id)
        if (record.tags, record.pinned, record.side) == (made.tags, made.pinned, made.side):
            record = replace(record, tags=former.tags, pinned=former.pinned, side=former.side)
        if record.status == made.status and former.status != made.status:
            record = replace(record, status=former.status, approved_by=former.approved_by)
        elif made.status != former.status and record.status not in (made.status, former.status):
            left.append(f"{record_id} is {record.status} by a later act and stays so.")
        if MERGED_INTO in made.attributes and MERGED_INTO not in former.attributes:
            record = replace(record, attributes=former.attributes, superseded_by=former.superseded_by)
        if record.text == made.text and former.text != made.text and former.content_hash == record.content_hash:
            record = replace(record, text=former.text, attributes=former.attributes)
        board.put(record)
    return tuple(left)


def _turned(view: ReadView, act: ActId, root: UndoRoot) -> UndoPlan:
    """Undo an undo: what it withdrew asserts again, or is withdrawn again; what it gave back is as it was.

    What another undo took back as well stays withdrawn.
    """
    board = ChangeSet(view)
    states = view.states_of_act(act)
    meant = evidence_matcher(view, root.wish)
    touched = _with_copies(view, tuple(dict.fromkeys(one.record.id for one in states)), meant)
    left = _give_back(view, board, states)
    _part_again(view, board, states)
    if root.takes_back:
        _withdraw(board, touched, meant)
        decided = _drop_waiting(view, board, touched)
    else:
        kept = held_by_other_undos(view, root.act)
        _give_again(view, board, touched, lambda one: meant(one) and not kept(one))
        decided = (*_decided_again(view, board, touched), *_waiting_again(view, board, touched))
    proposals = _in_step(view, board, touched, decided)
    return UndoPlan(change=Change(revisions=board.revisions()), proposals=proposals, left=left)


def _give_again(
    view: ReadView, board: ChangeSet, touched: Sequence[RecordId], meant: Callable[[Evidence], bool]
) -> None:
    """The meant evidence counts again; a record that rests on something again stands again."""
    for record_id in touched:
        rows = board.evidence(record_id)
        given = tuple(reinstate(one) if meant(one) else one for one in rows)
        record = board.get(record_id)
        if assertions(given) and record.status is Status.RETRACTED:
            stood = [one.record for one in view.states(record_id) if one.record.status is not Status.RETRACTED]
            before = replace(record, status=stood[-1].status if stood else record.status)
            record = before if _is_supported(before, given) else record
        elif not assertions(given) and record.status in _LIVE:
            record = _retracted(record)
        if given != rows or record is not board.get(record_id):
            board.put(derive(record, given), given)
    _part_chains(view, board, touched)
    for record_id in touched:
        board.relink(board.get(record_id), merge=True)


def _part_chains(view: ReadView, board: ChangeSet, touched: Sequence[RecordId]) -> None:
    """Versions of these chains that became one stand apart again: what comes back may stand between them.

    Relinking brings together again what nothing stands between.
    """
    mates = {one.id: board.get(one.id) for one in _mates(view, touched)}
    said = {one: board.evidence(one) for one in mates}
    merged = [
        one
        for one in mates.values()
        if one.status is Status.SUPERSEDED and one.attributes.get(MERGED_INTO) in mates and assertions(said[one.id])
    ]
    gained: dict[RecordId, set[tuple[EpisodeId, int]]] = {}
    for one in merged:
        places = {(row.episode_id, row.start) for row in said[one.id]}
        into = one.attributes.get(MERGED_INTO)
        while into in mates:
            survivor = mates[RecordId(into)]
            gained.setdefault(survivor.id, set()).update(places)
            into = survivor.attributes.get(MERGED_INTO)
    for survivor_id, own in gained.items():
        rows = tuple(row for row in said[survivor_id] if (row.episode_id, row.start) not in own)
        if assertions(rows):
            board.put(derive(board.get(survivor_id), rows), rows)
    for one in merged:
        record = board.get(one.id)
        apart = {name: value for name, value in record.attributes.items() if name != MERGED_INTO}
        board.put(replace(record, attributes=apart, superseded_by=None))


def _mates(view: ReadView, records: Sequence[RecordId]) -> list[Record]:
    """The records of all chains that these stand in."""
    found = [one for one in map(view.record, records) if one is not None and one.chain]
    places = sorted({(one.namespace, one.scope, one.side, one.chain) for one in found}, key=str)
    return [mate for place in places for mate in view.chain(*place)]


def _in_step(
    view: ReadView, board: ChangeSet, touched: Sequence[RecordId], decided: Sequence[Proposal]
) -> tuple[Proposal, ...]:
    """The decided proposals, and those that wait on: they rest on what their records rest on now, in the same words."""
    result = {one.id: one for one in decided}
    for record_id in touched:
        record, waiting = board.get(record_id), result.get(proposal_id_of(record_id)) or view.proposal_of(record_id)
        if record.status is not Status.STAGED or waiting is None or waiting.state is not ProposalState.STAGED:
            continue
        rows, payload = _standing(board.evidence(record_id)), waiting.payload
        if isinstance(payload, Add) and payload.draft.text != record.text:
            payload = replace(payload, draft=replace(payload.draft, text=record.text))
        if payload is not waiting.payload or set(map(_place, rows)) != set(map(_place, waiting.evidence)):
            version = waiting.version + (waiting.id not in result)
            result[waiting.id] = replace(waiting, payload=payload, evidence=rows, version=version)
    return tuple(result.values())


def _standing(rows: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """What asserts, with the context that the same acts brought."""
    acts = {one.act_id for one in assertions(rows)}
    return tuple(one for one in rows if one.role in _SUPPORTING and one.act_id in acts)


def _place(row: Evidence) -> tuple[str, int, int, EvidenceRole]:
    return row.episode_id, row.start, row.end, row.role


def _decided_again(view: ReadView, board: ChangeSet, touched: Sequence[RecordId]) -> tuple[Proposal, ...]:
    """Waiting adds of records that do not wait any more, now that what decided about them holds again."""
    found = [(board.get(one), view.proposal(proposal_id_of(one))) for one in touched]
    return tuple(
        replace(one, state=ProposalState.APPROVED, reviewer=record.approved_by, version=one.version + 1)
        for record, one in found
        if one is not None and one.state is ProposalState.STAGED and record.status in _TAKEN_UP
    )


def _waiting_again(view: ReadView, board: ChangeSet, touched: Sequence[RecordId]) -> tuple[Proposal, ...]:
    """Adds that an undo let go, not a person: their records wait again, and so do they."""
    staged = [one for one in touched if board.get(one).status is Status.STAGED]
    found = [view.proposal(proposal_id_of(one)) for one in staged]
    return tuple(
        replace(one, state=ProposalState.STAGED, reason=_AGAIN, version=one.version + 1)
        for one in found
        if one is not None and one.state is ProposalState.REJECTED and one.reason == _LET_GO
    )


def _part_again(view: ReadView, board: ChangeSet, states: Sequence[RecordState], *, in_chains: bool = True) -> None:
    """Records that were merged stand apart again: the survivor gives back what it gained.

    Versions of one chain that a newer one brought together are left to relinking where `in_chains` is off.
    """
    for state in states:
        into = state.record.attributes.get(MERGED_INTO, "")
        former = _former(view, state)
        if not into or former is None or MERGED_INTO in former.attributes:
            continue
        own = {(one.episode_id, one.start) for one in board.evidence(state.record.id)}
        survivor = board.get(RecordId(into))
        if not in_chains and survivor.chain == state.record.chain:
            continue
        gathered = board.evidence(survivor.id)
        rows = tuple(one for one in gathered if (one.episode_id, one.start) not in own)
        if assertions(rows) and rows != gathered:
            board.put(derive(survivor, rows), rows)


def _drop_waiting(view: ReadView, board: ChangeSet, touched: Sequence[RecordId]) -> tuple[Proposal, ...]:
    """Waiting proposals of records that are gone, or gone again, do not wait any longer."""
    gone = []
    for record_id in touched:
        if board.get(record_id).status not in _GONE:
            continue
        waiting = view.proposal_of(record_id)
        if waiting is not None and waiting.state is ProposalState.STAGED:
            gone.append(
                replace(
                    waiting,
                    state=ProposalState.REJECTED,
                    reason=_LET_GO,
                    version=waiting.version + 1,
                )
            )
    return tuple(gone)


def _reopen(view: ReadView, ids: set[ProposalId]) -> list[Proposal]:
    """Decided proposals wait again when the decision is undone."""
    decided = (ProposalState.APPROVED, ProposalState.REJECTED, ProposalState.EXPIRED)
    found = [view.proposal(one) for one in sorted(ids)]
    return [
        replace(one, state=ProposalState.STAGED, reviewer="", version=one.version + 1)
        for one in found
        if one is not None and one.state in decided
    ]
