"""Codecs between values and rows of the file.

Takes: values, or rows in the order of the column lists here. Gives: rows, or values. Never: reads or writes the file.

Each codec is written out by hand: a record is decoded in some microseconds, which reflection would multiply.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from dopejar.errors import InputError
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, RecordId, TraceId
from dopejar.values.record import Evidence, EvidenceRole, Kind, Layer, Record, RecordBrief, Status, Sublayer
from dopejar.values.scope import Namespace, Scope, Side

Cell = str | int | float | bytes | None
"""What a column can hold."""
Row = tuple[Cell, ...]

if TYPE_CHECKING:
    RecordRow = tuple[
        RecordId, str, str, str, str, str, str, str, str, str, str, str, float, float, float, str, int, str, str,
        str | None, int, str, int, str, RecordId | None, RecordId | None, str, int, int, int, str | None, str,
    ]  # fmt: skip
    EpisodeRow = tuple[
        EpisodeId, ConversationId, int, str, str, str, str, str, EpisodeId | None, str, str, TraceId, str, str, str, str
    ]
    EvidenceRow = tuple[EpisodeId, int, int, str, str, str, float, float, float, ActId]
    ConversationRow = tuple[ConversationId, str, str, str, str | None, str, str, str, str, int, str, str]

RECORD_FIELDS: Final = (
    "id",
    "kind",
    "text",
    "key",
    "slot",
    "value",
    "layer",
    "sublayer",
    "namespace",
    "scope",
    "side",
    "status",
    "confidence",
    "certainty",
    "trust",
    "tags",
    "pinned",
    "created_at",
    "valid_from",
    "valid_to",
    "temporary",
    "content_hash",
    "version",
    "made_by",
    "supersedes",
    "superseded_by",
    "approved_by",
    "access_count",
    "helpful_count",
    "harmful_count",
    "last_accessed_at",
    "attributes",
)
"""The order of a record's row and of its image in a state."""

_KINDS: Final = {kind.value: kind for kind in Kind}
_LAYERS: Final = {layer.value: layer for layer in Layer}
_SUBLAYERS: Final = {sublayer.value: sublayer for sublayer in Sublayer}
_NAMESPACES: Final = {namespace.value: namespace for namespace in Namespace}
_SIDES: Final = {side.value: side for side in Side}
_STATUSES: Final = {status.value: status for status in Status}
_ORIGINS: Final = {origin.value: origin for origin in Origin}
_EPISODE_KINDS: Final = {kind.value: kind for kind in EpisodeKind}
_EDGE_KINDS: Final = {kind.value: kind for kind in EdgeKind}
_ROLES: Final = {role.value: role for role in EvidenceRole}
_NO_ATTRIBUTES: Final[Mapping[str, str]] = MappingProxyType({})

scope_of = lru_cache(maxsize=1024)(Scope.parse)
"""The scope of a column's text; scopes are few and repeat."""

dumps: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def when(at: datetime) -> str:
    """A time as it is stored: ISO 8601 in UTC, which sorts as text. Raises InputError for a naive time."""
    if at.tzinfo is None:
        raise InputError(f"The time {at.isoformat()} has no time zone. Pass a timezone-aware datetime.")
    return at.astimezone(UTC).isoformat()


def when_or_none(at: datetime | None) -> str | None:
    """A time as it is stored, or NULL."""
    return None if at is None else when(at)


def time_of(text: str) -> datetime:
    """The time of a column. Raises ValueError for one without a time zone, which no store writes."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at


def time_or_none(text: str | None) -> datetime | None:
    """The time of a nullable column."""
    return None if text is None else time_of(text)


def names(text: str) -> tuple[str, ...]:
    """A JSON list of strings. Raises ValueError for other JSON."""
    if text == "[]":
        return ()
    values = json.loads(text)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(text)
    return tuple(values)


def _attributes(text: str) -> Mapping[str, str]:
    values = json.loads(text)
    if not isinstance(values, dict):
        raise TypeError(text)
    return cast("Mapping[str, str]", values)


def record_row(record: Record) -> list[Cell]:
    """A record in the order of `RECORD_FIELDS`."""
    return [
        record.id,
        record.kind,
        record.text,
        record.key,
        record.slot,
        record.value,
        record.layer,
        record.sublayer,
        record.namespace,
        str(record.scope),
        record.side,
        record.status,
        record.confidence,
        record.certainty,
        record.trust,
        dumps(record.tags) if record.tags else "[]",
        int(record.pinned),
        when(record.created_at),
        when(record.valid_from),
        when_or_none(record.valid_to),
        int(record.temporary),
        record.content_hash,
        record.version,
        record.made_by,
        record.supersedes,
        record.superseded_by,
        record.approved_by,
        record.access_count,
        record.helpful_count,
        record.harmful_count,
        when_or_none(record.last_accessed_at),
        dumps(dict(record.attributes)) if record.attributes else "{}",
    ]


def record_of(row: Row) -> Record:
    """The record of a row in the order of `RECORD_FIELDS`."""
    (
        record_id, kind, text, key, slot, value, layer, sublayer, namespace, scope, side, status, confidence, certainty,
        trust, tags, pinned, created_at, valid_from, valid_to, temporary, content_hash, version, made_by, supersedes,
        superseded_by, approved_by, access_count, helpful_count, harmful_count, last_accessed_at, attributes,
    ) = cast("RecordRow", row)  # fmt: skip
    return Record(
        id=record_id,
        kind=_KINDS[kind],
        text=text,
        key=key,
        slot=slot,
        value=value,
        layer=_LAYERS[layer],
        sublayer=_SUBLAYERS[sublayer],
        namespace=_NAMESPACES[namespace],
        scope=scope_of(scope),
        side=_SIDES[side],
        status=_STATUSES[status],
        confidence=confidence,
        certainty=certainty,
        trust=trust,
        tags=names(tags),
        pinned=pinned != 0,
        created_at=time_of(created_at),
        valid_from=time_of(valid_from),
        valid_to=None if valid_to is None else time_of(valid_to),
        temporary=temporary != 0,
        content_hash=content_hash,
        version=version,
        made_by=made_by,
        supersedes=supersedes,
        superseded_by=superseded_by,
        approved_by=approved_by,
        access_count=access_count,
        helpful_count=helpful_count,
        harmful_count=harmful_count,
        last_accessed_at=None if last_accessed_at is None else time_of(last_accessed_at),
        attributes=_NO_ATTRIBUTES if attributes == "{}" else _attributes(attributes),
    )


def brief_of(row: Row) -> RecordBrief:
    """The brief of a row (id, text, key, attributes)."""
    record_id, text, key, attributes = cast("tuple[RecordId, str, str, str]", row)
    return RecordBrief(record_id, text, key, _NO_ATTRIBUTES if attributes == "{}" else _attributes(attributes))


def image_of(record: Record) -> str:
    """A record as it is kept in a state."""
    return dumps(record_row(record))


def record_of_image(image: str) -> Record:
    """The record that a state holds."""
    return record_of(tuple(json.loads(image)))


EPISODE_COLUMNS: Final = (
    "id, conversation, place, at, speaker, origin, project, kind, parent, outcome, content_hash, trace_id, languages,"
    " source_id, note, text"
)


def episode_row(episode: Episode) -> tuple[Cell, ...]:
    """An episode in the order of `EPISODE_COLUMNS`."""
    return (
        episode.id,
        episode.conversation,
        episode.index,
        when(episode.at),
        episode.speaker,
        episode.origin.value,
        episode.project,
        episode.kind.value,
        episode.parent,
        episode.outcome,
        episode.content_hash,
        episode.trace_id,
        dumps(episode.languages) if episode.languages else "[]",
        episode.source_id,
        episode.note,
        episode.text,
    )


def episode_of(row: Row) -> Episode:
    """The episode of a row in the order of `EPISODE_COLUMNS`."""
    (
        episode_id, conversation, place, at, speaker, origin, project, kind, parent, outcome, content_hash, trace_id,
        languages, source_id, note, text,
    ) = cast("EpisodeRow", row)  # fmt: skip
    return Episode(
        id=episode_id,
        conversation=conversation,
        index=place,
        at=time_of(at),
        speaker=speaker,
        origin=_ORIGINS[origin],
        text=text,
        kind=_EPISODE_KINDS[kind],
        parent=parent,
        outcome=outcome,
        content_hash=content_hash,
        trace_id=trace_id,
        project=project,
        languages=names(languages),
        source_id=source_id,
        note=note,
    )


EVIDENCE_COLUMNS: Final = "episode_id, span_start, span_end, at, wording, role, trust, confidence, certainty, act_id"


def evidence_row(evidence: Evidence) -> tuple[Cell, ...]:
    """Evidence in the order of `EVIDENCE_COLUMNS`."""
    return (
        evidence.episode_id,
        evidence.start,
        evidence.end,
        when(evidence.at),
        evidence.wording,
        evidence.role.value,
        evidence.trust,
        evidence.confidence,
        evidence.certainty,
        evidence.act_id,
    )


def evidence_of(row: Sequence[Cell]) -> Evidence:
    """The evidence of a row in the order of `EVIDENCE_COLUMNS`."""
    episode_id, start, end, at, wording, role, trust, confidence, certainty, act_id = cast("EvidenceRow", row)
    return Evidence(
        episode_id=episode_id,
        start=start,
        end=end,
        at=time_of(at),
        wording=wording,
        role=_ROLES[role],
        trust=trust,
        confidence=confidence,
        certainty=certainty,
        act_id=act_id,
    )


CONVERSATION_COLUMNS: Final = (
    "id, source, name, format, started_at, project, project_label, languages, fingerprint, imported, namespace, cwd"
)


def conversation_row(conversation: Conversation) -> tuple[Cell, ...]:
    """A conversation in the order of `CONVERSATION_COLUMNS`."""
    row = conversation
    return (
        row.id, row.source, row.name, row.format, when_or_none(row.started_at), row.project, row.project_label,
        dumps(row.languages), row.fingerprint, row.imported, row.namespace, row.cwd,
    )  # fmt: skip


def conversation_of(row: Row) -> Conversation:
    """The conversation of a row in the order of `CONVERSATION_COLUMNS`."""
    (
        conversation_id, source, name, format_, started_at, project, project_label, languages, fingerprint, imported,
        namespace, cwd,
    ) = cast("ConversationRow", row)  # fmt: skip
    return Conversation(
        id=conversation_id,
        source=source,
        name=name,
        format=format_,
        started_at=time_or_none(started_at),
        project=project,
        project_label=project_label,
        languages=names(languages),
        fingerprint=fingerprint,
        imported=imported,
        namespace=_NAMESPACES[namespace],
        cwd=cwd,
    )


def edge_of(row: Row) -> Edge:
    """The edge of a row (src, dst, kind, record_id)."""
    src, dst, kind, record_id = cast("tuple[str, str, str, RecordId]", row)
    return Edge(src=src, dst=dst, kind=_EDGE_KINDS[kind], record_id=record_id or None)
