"""Key changes: records under other keys, with all that goes by a key: their chains, and the drafts that wait.

Takes: records and their keys, or an act that changed keys. Gives: a `Change`. Never: joins two chains or parts one.

Where a record has no slot, its key names its chain. So every record under a key gets the same new one, and that one is
free. An undo moves the whole chain back, with what came into it since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from dopejar.errors import StaleProposalError
from dopejar.memory.change_set import BaseView, Change, ChangeSet
from dopejar.memory.derivation import MERGED_INTO
from dopejar.memory.undo_history import state_before
from dopejar.ports.store import ReadView
from dopejar.values.ids import ActId, RecordId
from dopejar.values.proposal import Action, Add, Proposal, ProposalState, Rekey, Supersede
from dopejar.values.record import Draft, Record, RecordState
from dopejar.values.scope import Namespace, Scope, Side

_EVERY_PROPOSAL: Final = 1_000_000


class KeyPlace(NamedTuple):
    """A key where it is used: the records that have it are of one chain."""

    namespace: Namespace
    scope: Scope
    side: Side
    key: str
    slot: str

    @classmethod
    def of(cls, one: Record | Draft) -> KeyPlace:
        """The place of a record, or of a draft."""
        return cls(one.namespace, one.scope, one.side, one.key, one.slot)

    def records(self, base: BaseView) -> tuple[Record, ...]:
        """The records that have it, by `valid_from`."""
        found = base.with_key(self.namespace, self.scope, self.side, self.key)
        return tuple(record for record in found if record.slot == self.slot)

    def is_free(self, base: BaseView, records: Sequence[Record]) -> bool:
        """Whether these records can have it, because no other has it, or only other versions of their slot.

        What is denied may stand beside another version, so it has a key of its own.
        """
        among = {record.id for record in records}
        found = base.with_key(self.namespace, self.scope, self.side, self.key)
        others = [record for record in found if record.id not in among]
        return not others or may_share([*others, *records])


def may_share(records: Sequence[Record]) -> bool:
    """Whether records can have one key: they are versions of one slot, of which one is in force at most."""
    slot = records[0].slot
    return bool(slot) and all(one.slot == slot and not one.value.startswith("-") for one in records)


def change_keys(base: BaseView, proposal: Proposal, payload: Rekey) -> Change:
    """The targets under their new keys. Raises StaleProposalError where that would part a chain or join two."""
    changes = ChangeSet(base)
    moves: dict[KeyPlace, str] = {}
    became: dict[KeyPlace, list[Record]] = {}
    for target, key in zip(proposal.record_targets, payload.keys, strict=True):
        record = changes.get(target.record_id)
        moves[KeyPlace.of(record)] = key
        became.setdefault(KeyPlace.of(record)._replace(key=key), []).append(record)
        changes.put(replace(record, key=key))
    moved = {target.record_id for target in proposal.record_targets}
    left_behind = (one for place in moves for one in place.records(base) if one.id not in moved)
    is_taken = (not place.is_free(base, records) for place, records in became.items())
    are_many = (len({one.key for one in records}) > 1 and not may_share(records) for records in became.values())
    slots = [place._replace(slot="") for place in became]
    if any(left_behind) or any(is_taken) or any(are_many) or len(set(slots)) < len(slots):
        raise StaleProposalError("Memories have come under a key that was to change. Read and judge again.")
    return Change(revisions=changes.revisions(), others=tuple(moved_drafts(base, moves)))


def moved_drafts(base: BaseView, moves: Mapping[KeyPlace, str], also: Sequence[Proposal] = ()) -> Iterator[Proposal]:
    """The waiting proposals, and others, whose drafts go by old keys, under the new; an add follows its record."""
    for proposal in (*also, *(base.proposals((ProposalState.STAGED,), _EVERY_PROPOSAL) if moves else ())):
        payload = proposal.payload
        if not isinstance(payload, Add | Supersede) or proposal.record_id is not None:
            continue
        key = moves.get(KeyPlace.of(payload.draft))
        if key is not None:
            moved = replace(payload, draft=replace(payload.draft, key=key))
            yield replace(proposal, payload=moved, version=proposal.version + 1)


def find_key_moves(view: ReadView, act: ActId, first: ActId) -> tuple[tuple[Record, RecordState], ...]:
    """The states of an act that changed keys, each with the record before: of `first`, or of what took that back."""
    numbers = {entry.seq for entry in view.entries_of_act(first) if entry.action == Action.REKEY}
    if not numbers:
        return ()
    given = [(before, state) for before, state in _steps(view, first) if state.from_seq in numbers]
    places = {(KeyPlace.of(before), KeyPlace.of(state.record)) for before, state in given}
    either_way = places | {(new, old) for old, new in places}
    steps = _steps(view, act)
    return tuple(step for step in steps if (KeyPlace.of(step[0]), KeyPlace.of(step[1].record)) in either_way)


def _steps(view: ReadView, act: ActId) -> Iterator[tuple[Record, RecordState]]:
    """The states of an act, each with the record before, where there was one."""
    for state in view.states_of_act(act):
        before = state_before(view, state)
        if before is not None:
            yield before, state


def return_keys(
    view: ReadView, changes: ChangeSet, moved: Sequence[tuple[Record, RecordState]]
) -> tuple[Mapping[KeyPlace, str], tuple[str, ...]]:
    """Give back the keys from before an act, as `find_key_moves` found them, to whole chains as they are by now.

    Gives the keys by the places that they are given at, and a sentence for each that stays, because another memory has
    come under the older one.
    """
    former = {before.id: before.key for before, _ in moved}
    moves = {KeyPlace.of(state.record): before.key for before, state in moved}
    left = []
    for place, key in [*moves.items()]:
        if not place.slot and not place._replace(key=key).is_free(view, ()):
            left.append(f"{place.key} stays: another memory has come under {key} since.")
            del moves[place]
            continue
        for record in place.records(view):
            if record.id in former or not place.slot:
                changes.put(replace(record, key=former.get(record.id, key)))
    return moves, tuple(left)


def under_key_of_now(view: ReadView, former: Record, undone: Mapping[RecordId, RecordState]) -> Record:
    """A record as it was, under the key that its chain has now, as what replaced it shows. `undone` goes back as well.

    Only a chain without a slot goes by its key; what was merged is of another one.
    """
    at = former
    while not at.slot and at.superseded_by is not None and MERGED_INTO not in at.attributes:
        state = undone.get(at.superseded_by)
        before = None if state is None else state_before(view, state)
        if state is None or before is None or before.chain == state.record.chain:
            after = view.record(at.superseded_by)
            return former if after is None or after.slot else replace(former, key=after.key)
        at = before
    return former
