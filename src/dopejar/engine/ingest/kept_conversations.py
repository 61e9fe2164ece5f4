"""Conversations as they are learned from: their episodes with what is known of each.

Takes: rows of the store, episodes. Gives: a value, and its parts. Never: learns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dopejar.engine.corrections.checkpoint import Spans
from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.turn_extraction import Span
from dopejar.governance.policy.loop_guard import boot_file_digests
from dopejar.ports.store import Vector, WriteTransaction
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import EpisodeId
from dopejar.values.reading import Reading
from dopejar.values.recall import Source
from dopejar.values.scope import Project


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedConversation:
    """A conversation as episodes: the ranges of each that are no prose of its speaker, and a host's own readings."""

    conversation: Conversation
    episodes: tuple[Episode, ...]
    pasted: tuple[tuple[Span, ...], ...]
    project: Project | None
    boot_lines: frozenset[str]
    readings: Mapping[EpisodeId, Reading] = field(default_factory=dict)


def project_of(row: Conversation) -> Project | None:
    """The project that a kept conversation took place in."""
    return Project(id=row.project, label=row.project_label, languages=row.languages) if row.project else None


def boot_lines_of(deps: Dependencies, row: Conversation) -> frozenset[str]:
    """The lines of the instruction files that an assistant reads at the start, in a kept conversation's directory."""
    return boot_file_digests(deps.boot_texts(Path(row.cwd))) if row.cwd else frozenset()


def pasted_spans(deps: Dependencies, turns: Sequence[Episode]) -> dict[EpisodeId, Spans]:
    """What persons pasted into kept turns of a conversation, by turn."""
    spoken = [turn for turn in turns if turn.origin in (Origin.USER, Origin.OTHER)]
    return {turn.id: spans for turn in spoken if (spans := deps.pasted(turn.text))}


def keep_vectors(deps: Dependencies, tx: WriteTransaction, turns: Sequence[Episode]) -> None:
    """Store those vectors of turns that are at hand, since they were read just now; the others wait."""
    embedder = deps.embedder()
    known = deps.at_hand([turn.text for turn in turns]) if embedder is not None else {}
    if embedder is None or not known:
        return
    vectors = [
        Vector(owner=Source.EPISODE, owner_id=turn.id, content_hash=turn.content_hash, values=known[turn.text])
        for turn in turns
        if turn.text in known
    ]
    tx.put_vectors(embedder.identity, vectors)
