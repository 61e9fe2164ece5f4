"""Which undos hold: an undo can be undone, and that again.

Takes: a view. Gives: the wish that a row of undoings goes back to, and the evidence that undos keep withdrawn. Never:
writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dopejar.ports.store import ReadView
from dopejar.values.ids import ActId
from dopejar.values.proposal import ProposalState, Undo
from dopejar.values.record import Evidence

_MOST = 100_000  # undos that are looked at


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoRoot:
    """What a wish to undo comes down to: the wish of the undo that came first, and that undo's act where it was one.

    `takes_back` is true where it is taken back, false where the taking back is undone.
    """

    wish: Undo
    takes_back: bool = True
    act: ActId | None = None


def find_root(view: ReadView, wish: Undo) -> UndoRoot:
    """The wish itself, or the one that the undo it names goes back to."""
    root = UndoRoot(wish=wish)
    while root.wish.act_id is not None:
        entries = view.entries_of_act(root.wish.act_id)
        earlier = view.proposal(entries[0].proposal_id) if entries else None
        if earlier is None or not isinstance(earlier.payload, Undo):
            break
        root = UndoRoot(wish=earlier.payload, takes_back=not root.takes_back, act=earlier.act_id)
    return root


def evidence_matcher(view: ReadView, wish: Undo) -> Callable[[Evidence], bool]:
    """Whether a row of evidence is one that the wish takes back: the act brought it, or the conversation says it."""
    if wish.conversation is None:
        return lambda row: row.act_id == wish.act_id
    inside = frozenset(one.id for one in view.turns(wish.conversation))
    return lambda row: row.episode_id in inside


def held_by_other_undos(view: ReadView, but: ActId | None) -> Callable[[Evidence], bool]:
    """Whether another undo than `but`, one that holds, keeps a row of evidence withdrawn."""
    undos = _undos(view)
    lifted = _lifted(undos, but)
    holding = [
        (seq, evidence_matcher(view, wish))
        for act, (seq, wish) in undos.items()
        if act != but and act not in lifted and wish.act_id not in undos
    ]
    return lambda row: any(meant(row) and _seq(view, row.act_id) < seq for seq, meant in holding)


def is_undone(view: ReadView, act: ActId) -> bool:
    """Whether the act is an undo that another undo, one that holds, takes back already."""
    return act in _lifted(_undos(view))


def _undos(view: ReadView) -> dict[ActId, tuple[int, Undo]]:
    """Every undo by its act, with its first entry's number, the newest first."""
    kept = view.proposals((ProposalState.COMMITTED,), _MOST)
    found = [(one.act_id, (_seq(view, one.act_id), one.payload)) for one in kept if isinstance(one.payload, Undo)]
    return dict(sorted(found, key=lambda item: item[1][0], reverse=True))


def _lifted(undos: Mapping[ActId, tuple[int, Undo]], but: ActId | None = None) -> frozenset[ActId]:
    """The undos that a later one, itself not lifted, takes back; what `but` takes back is not counted."""
    lifted: set[ActId] = set()
    for act, (_, wish) in undos.items():
        if act not in lifted and act != but and wish.act_id is not None and wish.act_id in undos:
            lifted.add(wish.act_id)
    return frozenset(lifted)


def _seq(view: ReadView, act: ActId) -> int:
    entries = view.entries_of_act(act)
    return entries[0].seq if entries else 0
