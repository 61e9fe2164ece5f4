"""What conversations add up to: proposals of one-off wishes that several of them say.

Takes: candidates by conversation, in order. Gives: how many wishes would be asked about. Never: counts one twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dopejar.pipelines.corrections.clusters.cluster import cluster
from dopejar.pipelines.corrections.exchange import CorrectionCandidate
from dopejar.pipelines.corrections.proposing.propose import ProposalEngine
from dopejar.pipelines.corrections.proposing.unproposed import Place, added_up, reachable, said_once, wish_at
from dopejar.values.ids import ConversationId

_KEY: Final = b"a bench has nothing to hide"
_Turn = tuple[ConversationId, int]


def asked_across(found: Mapping[ConversationId, Sequence[CorrectionCandidate]]) -> int:
    """How many wishes would be proposed because a second conversation says them, one conversation after the other."""
    left: dict[ConversationId, tuple[Place, ...]] = {}
    turns = {(name, one.exchange.index): one.exchange for name, candidates in found.items() for one in candidates}
    asked: list[frozenset[_Turn]] = []
    for name, candidates in found.items():
        mine = said_once(cluster(candidates), _KEY)
        groups = added_up(
            reachable(
                name,
                mine,
                left,
                lambda home, one: wish_at(turns[home, one.index], one.start, one.end, one.confidence),
            )
        )
        for proposal in ProposalEngine(most=len(groups)).generate_proposals(groups).proposals:
            members = proposal.cluster.members if proposal.cluster else ()
            said = frozenset((one.exchange.conversation, one.exchange.index) for one in members)
            if not any(said & earlier for earlier in asked):
                asked.append(said)
        left[name] = mine
    return len(asked)
