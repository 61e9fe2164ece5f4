"""Builders of bullets, episodes and insights for the tests of procedural memory.

Takes: what a test cares about. Gives: whole values with quiet defaults. Never: hides what a test depends on.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from dopejar.pipelines.procedural.insights import Insight, evidence_in
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId, RecordId
from dopejar.values.record import Evidence, EvidenceRole, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Side

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)


def bullet(name: str = "m_one", text: str = "Oil the hinges in spring.", **more) -> Record:
    """An active bullet on the left that nobody has judged yet."""
    plain = Record(
        id=RecordId(name), kind=Kind.BULLET, text=text, key="", slot="", value="", layer=Layer.INTENT,
        sublayer=Sublayer.RULE, namespace=Namespace.PROD, scope=UNIVERSAL, side=Side.LEFT, status=Status.ACTIVE,
        confidence=0.5, certainty=1.0, trust=1.0, tags=(), pinned=False, created_at=NOW, valid_from=NOW, valid_to=None,
        temporary=False, content_hash=content_hash(text), version=1, made_by="procedural@1",
    )  # fmt: skip
    return replace(plain, **more)


def episode(name: str, text: str, **more) -> Episode:
    """A user's turn of one conversation."""
    plain = Episode(
        id=EpisodeId(name), conversation=ConversationId("c_one"), index=0, at=NOW, speaker="rin", origin=Origin.USER,
        text=text,
    )  # fmt: skip
    return replace(plain, **more)


def call(place: int, tool: str, body: str) -> Episode:
    """A tool call of the assistant."""
    return episode(
        f"e_call{place}", f"{tool} {body}", index=place, at=NOW + timedelta(minutes=place), origin=Origin.ASSISTANT,
        kind=EpisodeKind.TOOL_CALL,
    )  # fmt: skip


def result(place: int, text: str, outcome: str, parent: str | None = None) -> Episode:
    """What a tool answered."""
    return episode(
        f"e_result{place}", text, index=place, at=NOW + timedelta(minutes=place), origin=Origin.TOOL, speaker="tool",
        kind=EpisodeKind.TOOL_RESULT, outcome=outcome, parent=EpisodeId(parent) if parent else None,
    )  # fmt: skip


def insight(text: str, **more) -> Insight:
    """An insight that rests on one turn."""
    turn = episode("e_turn", text)
    plain = Insight(text=text, evidence=(evidence_in(turn, text, trust=1.0, confidence=0.7),), origin=Origin.USER,
                    confidence=0.7)  # fmt: skip
    return replace(plain, **more)


def helped(name: str, word: str = "helpful") -> Evidence:
    """An outcome."""
    return Evidence(episode_id=EpisodeId(name), start=0, end=1, at=NOW, wording=word, role=EvidenceRole.OUTCOME)
