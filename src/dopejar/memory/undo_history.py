"""Undo history: which undos are in force, given that an undo can be undone, and that again.

Takes: a view. Gives: the request that a row of undos goes back to, and the evidence that undos keep withdrawn; a
record from before a state. Never: writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dopejar.ports.store import ReadView
from dopejar.values.ids import ActId
from dopejar.values.proposal import ProposalState, Undo
from dopejar.values.record import Evidence, Record, RecordState

_MOST_UNDOS = 100_000  # undos that are read at once


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoRoot:
    """The first request in a row of undos of undos, and the act of that first undo (None where there is no row).

    `is_in_force` is true where the request takes effect, false where its undoing does.
    """

    request: Undo
    is_in_force: bool = True
    act: ActId | None = None


def find_root(view: ReadView, request: Undo) -> UndoRoot:
    """The root of a request: itself, or the request that the undo it names goes back to."""
    root = UndoRoot(request=request)
    while root.request.act_id is not None:
        entries = view.entries_of_act(root.request.act_id)
        earlier = view.proposal(entries[0].proposal_id) if entries else None
        if earlier is None or not isinstance(earlier.payload, Undo):
            break
        root = UndoRoot(request=earlier.payload, is_in_force=not root.is_in_force, act=earlier.act_id)
    return root


def evidence_matcher(view: ReadView, request: Undo) -> Callable[[Evidence], bool]:
    """A test for the evidence that the request withdraws: the act brought it, or it lies in the conversation."""
    if request.conversation is None:
        return lambda row: row.act_id == request.act_id
    episodes = frozenset(turn.id for turn in view.turns(request.conversation))
    return lambda row: row.episode_id in episodes


def held_by_other_undos(view: ReadView, excluded: ActId | None) -> Callable[[Evidence], bool]:
    """A test for evidence that an undo in force, other than the excluded one, keeps withdrawn."""
    undos = _undos_by_act(view)
    undone = _undone_acts(undos, excluded)
    in_force = [
        (seq, evidence_matcher(view, request))
        for act, (seq, request) in undos.items()
        if act != excluded and act not in undone and request.act_id not in undos
    ]
    return lambda row: any(is_meant(row) and _first_seq(view, row.act_id) < seq for seq, is_meant in in_force)


def is_undone(view: ReadView, act: ActId) -> bool:
    """Whether the act is an undo that another undo, one in force, takes back already."""
    return act in _undone_acts(_undos_by_act(view))


def state_before(view: ReadView, state: RecordState) -> Record | None:
    """The record as it stood before a state."""
    earlier = [former for former in view.states(state.record.id) if former.from_seq < state.from_seq]
    return earlier[-1].record if earlier else None


def _undos_by_act(view: ReadView) -> dict[ActId, tuple[int, Undo]]:
    """Every undo by its act, with the number of its first entry, the newest first."""
    committed = view.proposals((ProposalState.COMMITTED,), _MOST_UNDOS)
    undos = [
        (proposal.act_id, (_first_seq(view, proposal.act_id), proposal.payload))
        for proposal in committed
        if isinstance(proposal.payload, Undo)
    ]
    return dict(sorted(undos, key=lambda item: item[1][0], reverse=True))


def _undone_acts(undos: Mapping[ActId, tuple[int, Undo]], excluded: ActId | None = None) -> frozenset[ActId]:
    """The undos that a later one in force takes back, not counting what the excluded one takes back."""
    undone: set[ActId] = set()
    for act, (_, request) in undos.items():
        if act not in undone and act != excluded and request.act_id is not None and request.act_id in undos:
            undone.add(request.act_id)
    return frozenset(undone)


def _first_seq(view: ReadView, act: ActId) -> int:
    entries = view.entries_of_act(act)
    return entries[0].seq if entries else 0
