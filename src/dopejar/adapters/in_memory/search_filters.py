"""Search filters as predicates over records and episodes.

Takes: tables, a filter and the time. Gives: whether a row may be returned, and the record as it stood then. Never:
ranks.
"""

from __future__ import annotations

from datetime import datetime

from dopejar.adapters.in_memory.tables import Tables
from dopejar.values.episode import Episode
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import BLOCK_TAG, Kind, Record, RecordState, Status
from dopejar.values.scope import Namespace, is_among


def may_return(tables: Tables, owner_id: str, where: SearchFilter, now: datetime) -> bool:
    """Whether the filter lets a record or an episode through. `now` decides what still holds where no time is asked."""
    if where.source is Source.RECORD:
        return record_as_filtered(tables, RecordId(owner_id), where, now) is not None
    episode = tables.episodes.get(EpisodeId(owner_id))
    return episode is not None and allows_episode(tables, episode, where)


def record_as_filtered(tables: Tables, record_id: RecordId, where: SearchFilter, now: datetime) -> Record | None:
    """The record as the filter sees it, at its ledger entry where it names one; None where it may not be returned."""
    record = tables.records.get(record_id)
    if record is None or record.namespace is not where.read_scope.namespace:
        return None
    if not where.read_scope.all_projects and not is_among(record.scope, where.read_scope.scopes):
        return None
    if BLOCK_TAG in record.attributes or (where.kinds and record.kind not in where.kinds):
        return None
    stood = record
    if where.believed_seq is not None:
        state = _state_at(tables, record_id, where.believed_seq)
        if state is None or record.status is Status.ERASED:
            return None
        stood = state.record
    if not _has_status(record, stood, where) or not _is_valid(tables, stood, where, now):
        return None
    return stood if _rests_within(tables, record_id, where) else None


def _state_at(tables: Tables, record_id: RecordId, seq: int) -> RecordState | None:
    states = tables.states.get(record_id) or ()
    return next(
        (state for state in states if state.from_seq <= seq and (state.to_seq is None or state.to_seq > seq)), None
    )


def _has_status(record: Record, stood: Record, where: SearchFilter) -> bool:
    is_belief = where.believed_seq is not None and where.valid_at is None
    if stood.status is Status.ACTIVE or (stood.status is Status.SUPERSEDED and not is_belief):
        return True
    # an unproven bullet is returned where bullets are asked for: otherwise it could never prove itself
    return stood.status is Status.QUARANTINED and record.kind is Kind.BULLET and Kind.BULLET in where.kinds


def _is_valid(tables: Tables, stood: Record, where: SearchFilter, now: datetime) -> bool:
    if where.valid_at is not None:
        return stood.valid_from <= where.valid_at and (stood.valid_to is None or stood.valid_to > where.valid_at)
    if where.believed_seq is None:
        newest = tables.ledger.get(len(tables.ledger))
        present = max(now, newest.at) if newest else now
        if stood.valid_from > present:
            return where.announced and stood.status is not Status.SUPERSEDED
        if stood.valid_to is None:
            return stood.status is not Status.SUPERSEDED
        return present < stood.valid_to
    if stood.valid_to is None:
        return True
    entry = tables.ledger.get(where.believed_seq)
    return entry is None or stood.valid_to > entry.at


def _rests_within(tables: Tables, record_id: RecordId, where: SearchFilter) -> bool:
    """Whether some evidence lies in the filter's conversation and has one of its origins."""
    if where.conversation is None and not where.origins:
        return True
    episodes = (tables.episodes.get(row.episode_id) for row in tables.evidence.get(record_id) or ())
    return any(
        episode is not None
        and where.conversation in (None, episode.conversation)
        and (not where.origins or episode.origin in where.origins)
        for episode in episodes
    )


def allows_episode(tables: Tables, episode: Episode, where: SearchFilter) -> bool:
    """Whether the filter lets an episode through."""
    conversation = tables.conversations.get(episode.conversation)
    namespace = Namespace.PROD if conversation is None else conversation.namespace
    if not episode.text or namespace is not where.read_scope.namespace:
        return False
    if not where.read_scope.hears(episode.project):
        return False
    return (
        where.conversation in (None, episode.conversation)
        and episode.conversation not in where.without
        and (not where.origins or episode.origin in where.origins)
        and (where.valid_at is None or episode.at <= where.valid_at)
    )
