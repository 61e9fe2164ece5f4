"""Values for the tests of recall: turns, records, ranked items."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dopejar.pipelines.recall.context_pack import CitationsByRecord
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import EpisodeId, RecordId, conversation_id
from dopejar.values.recall import Citation, Source
from dopejar.values.record import Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Scope, Side

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
TALK = conversation_id("test", "talk")


def turn(
    index: int, text: str, *, origin: Origin = Origin.USER, speaker: str = "", at: datetime | None = None
) -> Episode:
    """One turn of the conversation `TALK`."""
    return Episode(
        id=EpisodeId(f"e_{index:016d}"),
        conversation=TALK,
        index=index,
        at=at or NOON + timedelta(minutes=index),
        speaker=speaker or origin.value,
        origin=origin,
        text=text,
        content_hash=content_hash(text),
    )


def record(
    number: int,
    text: str,
    *,
    kind: Kind = Kind.FACT,
    status: Status = Status.ACTIVE,
    trust: float = 1.0,
    scope: Scope = UNIVERSAL,
    slot: str = "",
    valid_from: datetime = NOON,
    valid_to: datetime | None = None,
    temporary: bool = False,
    access_count: int = 1,
    tags: tuple[str, ...] = (),
) -> Record:
    """One record with everything the tests do not care about filled in."""
    return Record(
        id=RecordId(f"m_{number:016d}"),
        kind=kind,
        text=text,
        key=f"Self-Test-{number}",
        slot=slot,
        value="",
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        namespace=Namespace.PROD,
        scope=scope,
        side=Side.NONE,
        status=status,
        confidence=1.0,
        certainty=1.0,
        trust=trust,
        tags=tags,
        pinned=False,
        created_at=valid_from,
        valid_from=valid_from,
        valid_to=valid_to,
        temporary=temporary,
        content_hash=content_hash(text),
        version=1,
        made_by="test@1",
        access_count=access_count,
    )


def citations(of: Record, *turns: Episode) -> tuple[Citation, ...]:
    """The record rests on these turns."""
    return tuple(
        Citation(
            episode_id=one.id, conversation=one.conversation, at=one.at, speaker=one.speaker, quote=of.text,
            origin=one.origin,
        )
        for one in turns
    )  # fmt: skip


def ranked(item: Record | Episode, score: float) -> RankedItem:
    """The item with a score that the words alone made."""
    if isinstance(item, Record):
        return RankedItem(source=Source.RECORD, score=score, fused=score, lexical=score, record=item)
    return RankedItem(source=Source.EPISODE, score=score, fused=score, lexical=score, episode=item)


def sources(*pairs: tuple[Record, tuple[Episode, ...]]) -> CitationsByRecord:
    """What the records rest on."""
    return {one.id: citations(one, *turns) for one, turns in pairs}
