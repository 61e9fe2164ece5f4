"""Statements of texts that state no time: of two such texts nobody knows which is the later one.

Takes: the proposals of a turn, what is known. Gives: the proposals; what would change the words of another such text
waits for a person. Never: holds back a repetition, or what a text changes of its own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.memory.overlay import Overlay, asserting_turns
from dopejar.pipelines.ingest.chain_decision import without_slot
from dopejar.values.episode import UNDATED, Episode, is_order_unknown
from dopejar.values.proposal import Add, Level, Proposal, Supersede
from dopejar.values.record import Record, Status

_WHY = "neither text states when it was said, so which of the two is later is not known"


def hold_undated(proposals: Sequence[Proposal], turn: Episode, overlay: Overlay) -> list[Proposal]:
    """The proposals of a turn; each that would change what another undated text says, or be changed by it, waits."""
    return [_held(one, turn, overlay) for one in proposals] if UNDATED in turn.note else list(proposals)


def is_held(waiting: Proposal, overlay: Overlay) -> bool:
    """Whether what waits contradicts a memory in force and rests on an undated text: a person decides between them."""
    rivals = (overlay.record(name) for name in waiting.signals.conflicts_with)
    if waiting.signals.conflict is not Level.HIGH or not any(one and one.status is Status.ACTIVE for one in rivals):
        return False
    said = asserting_turns(overlay, waiting.record_id) if waiting.record_id else ()
    return any(UNDATED in turn.note for turn in said)


def _held(proposal: Proposal, turn: Episode, overlay: Overlay) -> Proposal:
    if not isinstance(proposal.payload, Supersede):
        return proposal
    known = _in_force(proposal, overlay)
    rivals = [one.id for one in known if is_order_unknown([turn], asserting_turns(overlay, one.id))]
    if not rivals:
        return proposal
    signals = replace(proposal.signals, conflict=Level.HIGH, conflicts_with=tuple(rivals), own_update=False)
    return replace(
        proposal,
        payload=Add(draft=without_slot(proposal.payload.draft)),
        targets=(),
        signals=signals,
        rationale=f"{proposal.rationale}; {_WHY}",
    )


def _in_force(proposal: Proposal, overlay: Overlay) -> list[Record]:
    """What is in force of the chains that the proposal would change."""
    targets = [overlay.record(target.record_id) for target in proposal.record_targets]
    chains = [overlay.chain(one.namespace, one.scope, one.side, one.chain) for one in targets if one is not None]
    found = {one.id: one for chain in chains for one in chain if one.status is Status.ACTIVE and not one.temporary}
    return list(found.values())
