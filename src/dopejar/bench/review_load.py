"""How many correction proposals a person would be asked to review.

Takes: correction candidates by conversation, and folders of dialogues (`data/retrieval/<set>/turns.jsonl`). Gives:
counts of proposals, for dialogues per hundred user turns. Never: counts a proposal twice, or distinguishes a dialogue
between two people from one with an assistant by anything but the roles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dopejar.bench.correction_turns import JsonRow, read_json_lines
from dopejar.pipelines.corrections.clusters.wish_clusters import cluster
from dopejar.pipelines.corrections.detection.detector import detect
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, exchanges_of
from dopejar.pipelines.corrections.proposals.one_off_wishes import (
    WishLocation,
    connected_wishes,
    one_off_locations,
    read_wish_at,
    recurring_clusters,
)
from dopejar.pipelines.corrections.proposals.proposal_engine import ProposalEngine
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ConversationId, conversation_id, episode_id

_UNDATED: Final = datetime(2025, 1, 1, tzinfo=UTC)
_ORIGINS: Final = {"user": Origin.USER, "assistant": Origin.ASSISTANT}
_KEY: Final = b"benchmark data need no secret"
_TurnId = tuple[ConversationId, int]


def count_repeated_proposals(by_conversation: Mapping[ConversationId, Sequence[CorrectionCandidate]]) -> int:
    """How many one-off corrections are proposed because a later conversation repeats them."""
    unproposed: dict[ConversationId, tuple[WishLocation, ...]] = {}
    exchanges = {
        (conversation, candidate.exchange.index): candidate.exchange
        for conversation, candidates in by_conversation.items()
        for candidate in candidates
    }
    proposed: list[frozenset[_TurnId]] = []
    for conversation, candidates in by_conversation.items():
        own = one_off_locations(cluster(candidates), _KEY)
        groups = recurring_clusters(
            connected_wishes(
                conversation,
                own,
                unproposed,
                lambda home, at: read_wish_at(exchanges[home, at.index], at.start, at.end, at.confidence),
            )
        )
        for proposal in ProposalEngine(most=len(groups)).generate_proposals(groups).proposals:
            members = proposal.cluster.members if proposal.cluster else ()
            turns = frozenset((member.exchange.conversation, member.exchange.index) for member in members)
            if not any(turns & earlier for earlier in proposed):
                proposed.append(turns)
        unproposed[conversation] = own
    return len(proposed)


def measure_dialogues(data: Path) -> dict[str, object]:
    """Proposals per hundred user turns over every set of dialogues below `data`; empty where there is none."""
    paths = sorted(data.glob("data/retrieval/*/turns.jsonl"))
    if not paths:
        return {}
    proposals = turns = most = 0
    sets = []
    for path in paths:
        set_proposals = set_turns = 0
        for conversation in _conversations(read_json_lines(path)).values():
            candidates = detect(exchanges_of(conversation))
            count = len(ProposalEngine().generate_proposals(cluster(candidates)).proposals)
            set_proposals, most = set_proposals + count, max(most, count)
            set_turns += sum(turn.origin is Origin.USER for turn in conversation)
        sets.append({"set": path.parent.name, "user_turns": set_turns, "proposals": set_proposals})
        proposals, turns = proposals + set_proposals, turns + set_turns
    return {
        "dialogue_proposals_per_100": round(100 * proposals / max(turns, 1), 3),
        "dialogue_most_in_a_conversation": most,
        "dialogues": sets,
    }


def _conversations(rows: Iterable[JsonRow]) -> Mapping[tuple[str, str], list[Episode]]:
    """The turns of each (store, session), as episodes."""
    conversations: dict[tuple[str, str], list[Episode]] = {}
    for row in rows:
        name = str(row["store"]), str(row["session"])
        conversation = conversation_id(*name)
        turns = conversations.setdefault(name, [])
        role = str(row["role"])
        turns.append(
            Episode(
                id=episode_id(conversation, str(row["turn_id"])),
                conversation=conversation,
                index=len(turns),
                at=_UNDATED,
                speaker=str(row.get("speaker") or role),
                origin=_ORIGINS.get(role, Origin.OTHER),
                text=str(row["text"]),
            )
        )
    return conversations
