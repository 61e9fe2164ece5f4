"""Checkpoints of correction extraction, one held row per conversation, and the spans that an undo withdrew.

Takes: a view or a transaction. Gives: how far a conversation was read, its one-off corrections by their place, and what
is not to be read again; all in step with undo and erasure. Never: holds words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.memory.hold import hold
from dopejar.memory.undo_history import find_root
from dopejar.pipelines.corrections.proposals.one_off_wishes import (
    ExtractionCheckpoint,
    WishLocation,
    dump_checkpoint,
    load_checkpoint,
)
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Episode
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.proposal import Undo
from dopejar.values.record import EvidenceRole
from dopejar.values.versioned_rows import KeyValueRow

CHECKPOINT = "corrections"
"""The kind of these rows."""

Spans = tuple[tuple[int, int], ...]


def checkpoint_of(view: ReadView, conversation: ConversationId) -> ExtractionCheckpoint | None:
    """The checkpoint of a conversation; None where its corrections were never extracted."""
    row = view.held(CHECKPOINT, conversation)
    return load_checkpoint(row.body) if row else None


def one_offs_of_others(
    view: ReadView, like: ExtractionCheckpoint, excluded: ConversationId
) -> dict[ConversationId, tuple[WishLocation, ...]]:
    """The one-off corrections that other conversations of the same project and namespace hold, by their places."""
    places = {}
    for row in view.held_of(CHECKPOINT):
        conversation = ConversationId(row.key)
        checkpoint = load_checkpoint(row.body)
        is_comparable = (checkpoint.project, checkpoint.namespace) == (like.project, like.namespace)
        if conversation != excluded and is_comparable and checkpoint.counts:
            places[conversation] = checkpoint.counts
    return places


def store_secret(view: ReadView) -> bytes:
    """The key under which marks are made: the store's own secret."""
    return bytes.fromhex(view.meta("secret") or "00")


def put_checkpoint(tx: WriteTransaction, conversation: ConversationId, checkpoint: ExtractionCheckpoint) -> None:
    """Note how far a conversation was read and which one-off corrections it holds."""
    old = tx.held(CHECKPOINT, conversation)
    if old is not None:
        checkpoint = replace(checkpoint, taken_back=load_checkpoint(old.body).taken_back)
    body, version = dump_checkpoint(checkpoint), old.version if old else 0
    row = KeyValueRow(kind=CHECKPOINT, key=conversation, body=body, version=version)
    hold(tx, row)


def follow_undo(tx: WriteTransaction, undo: Undo) -> None:
    """Keep the checkpoint in step where everything learned from its conversation is undone, or such an undo is."""
    root = find_root(tx, undo)
    if root.request.conversation is None:
        return
    row = tx.held(CHECKPOINT, root.request.conversation)
    if row is not None:
        turns = max((turn.index + 1 for turn in tx.turns(root.request.conversation)), default=0)
        checkpoint = replace(load_checkpoint(row.body), taken_back=turns if root.is_in_force else 0)
        hold(tx, replace(row, body=dump_checkpoint(checkpoint)))


def forget_one_offs(tx: WriteTransaction, conversations: Sequence[ConversationId]) -> None:
    """Drop the one-off corrections of conversations of which words were erased."""
    for conversation in conversations:
        row = tx.held(CHECKPOINT, conversation)
        if row is not None:
            hold(tx, replace(row, body=dump_checkpoint(replace(load_checkpoint(row.body), once=()))))


def undone_spans(view: ReadView, conversation: ConversationId, turns: Sequence[Episode]) -> dict[EpisodeId, Spans]:
    """Spans of the turns that an undo withdrew, by turn; whole turns where the conversation was undone.

    They stay unread until a person brings back what they said. Apart from a whole undo they are the words of memories
    that rest on them no longer. What was said after the undo is not among them.
    """
    checkpoint = checkpoint_of(view, conversation)
    undone_turns = checkpoint.taken_back if checkpoint else 0
    ids = tuple(turn.id for turn in turns)
    rows = [row for evidence in view.evidence_in(ids).values() for row in evidence]
    asserted = {(row.episode_id, row.start, row.end) for row in rows if row.role is EvidenceRole.ASSERTS}
    withdrawn: dict[EpisodeId, dict[tuple[int, int], None]] = {}
    for row in rows:
        if row.role is EvidenceRole.WITHDRAWN and (row.episode_id, row.start, row.end) not in asserted:
            withdrawn.setdefault(row.episode_id, {})[row.start, row.end] = None
    partly = {episode: tuple(sorted(withdrawn[episode])) for episode in ids if episode in withdrawn}
    wholly = {turn.id: ((0, len(turn.text)),) for turn in turns if turn.index < undone_turns}
    return {**partly, **wholly}
