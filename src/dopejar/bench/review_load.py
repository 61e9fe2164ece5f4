"""What corrections would ask of a person over ordinary dialogues.

Takes: folders of dialogues (`data/retrieval/<set>/turns.jsonl`). Gives: proposals per hundred user turns. Never: tells
a dialogue between two people from one with an assistant by anything but the roles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dopejar.bench.correction_turns import Turn, read_lines
from dopejar.pipelines.corrections.clusters.cluster import cluster
from dopejar.pipelines.corrections.detection.detect import detect
from dopejar.pipelines.corrections.exchange import exchanges_of
from dopejar.pipelines.corrections.proposing.propose import ProposalEngine
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import conversation_id, episode_id

_NOW: Final = datetime(2025, 1, 1, tzinfo=UTC)
_ORIGINS: Final = {"user": Origin.USER, "assistant": Origin.ASSISTANT}


def load_of(data: Path) -> dict[str, object]:
    """Proposals per hundred user turns, over every set below `data`; nothing where there is none."""
    sets = sorted(data.glob("data/retrieval/*/turns.jsonl"))
    if not sets:
        return {}
    asked = turns = most = 0
    rows = []
    for path in sets:
        here = spoken = 0
        for conversation in _conversations(read_lines(path)).values():
            found = detect(exchanges_of(conversation))
            summary = ProposalEngine().generate_proposals(cluster(found))
            here += len(summary.proposals)
            most = max(most, len(summary.proposals))
            spoken += sum(one.origin is Origin.USER for one in conversation)
        rows.append({"set": path.parent.name, "user_turns": spoken, "proposals": here})
        asked, turns = asked + here, turns + spoken
    return {
        "dialogue_proposals_per_100": round(100 * asked / max(turns, 1), 3),
        "dialogue_most_in_a_conversation": most,
        "dialogues": rows,
    }


def _conversations(lines: Iterable[Turn]) -> Mapping[tuple[str, str], list[Episode]]:
    found: dict[tuple[str, str], list[Episode]] = {}
    for line in lines:
        name = str(line["store"]), str(line["session"])
        home = conversation_id(*name)
        turns = found.setdefault(name, [])
        role = str(line["role"])
        turns.append(
            Episode(
                id=episode_id(home, str(line["turn_id"])),
                conversation=home,
                index=len(turns),
                at=_NOW,
                speaker=str(line.get("speaker") or role),
                origin=_ORIGINS.get(role, Origin.OTHER),
                text=str(line["text"]),
            )
        )
    return found
