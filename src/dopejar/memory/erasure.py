"""The right to be forgotten.

Takes: records, episodes or a conversation. Gives: what is to be blanked and buried. Never: touches the ledger's chain.

Erasing a record blanks the spans it rests on. Blanking a span also takes its words from any other record that rests on
them: one with other evidence is derived anew from the rest, one without is erased as well.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dopejar.memory.derivation import assertions, derive
from dopejar.memory.lifecycle import Event, step
from dopejar.ports.store import ReadView, Tombstone
from dopejar.text.normalise import content_hash
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.proposal import Erase
from dopejar.values.record import Evidence, Record, Status

TEXT, KEY, SOURCE = "text", "key", "source"


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class EpisodeSpan:
    """Characters of an episode."""

    episode_id: EpisodeId
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """What an erasure comes to."""

    records: tuple[tuple[Record, Record], ...]  # before, after
    weakened: tuple[tuple[Record, tuple[Evidence, ...]], ...]
    spans: tuple[EpisodeSpan, ...]
    tombstones: tuple[Tombstone, ...]


def keyed_digest(secret: bytes, kind: str, text: str) -> str:
    """The keyed digest under which a text, key or source id is buried."""
    return hmac.new(secret, f"{kind}\x1f{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def text_digest(secret: bytes, text: str) -> str:
    """The digest of a normalised text."""
    return keyed_digest(secret, TEXT, content_hash(text))


def key_digest(secret: bytes, key: str, value: str) -> str:
    """The digest of what a key said: the concept itself may be spoken of again, this value of it not."""
    return keyed_digest(secret, KEY, f"{key}\x1f{value}")


def _whole(view: ReadView, ids: Iterable[EpisodeId]) -> list[EpisodeSpan]:
    found = view.episodes(tuple(ids))
    return [EpisodeSpan(episode_id=one.id, start=0, end=len(one.text)) for one in found.values()]


def _overlaps(evidence: Evidence, spans: Sequence[EpisodeSpan]) -> bool:
    return any(
        one.episode_id == evidence.episode_id and evidence.start < one.end and one.start < evidence.end for one in spans
    )


def _by_episode(spans: Iterable[EpisodeSpan]) -> dict[EpisodeId, list[EpisodeSpan]]:
    found: dict[EpisodeId, list[EpisodeSpan]] = {}
    for one in spans:
        found.setdefault(one.episode_id, []).append(one)
    return found


def plan_erasure(view: ReadView, targets: Sequence[RecordId], wish: Erase, secret: bytes, now: datetime) -> Erasure:
    """Everything that goes when these go. The same words do not come back: re-import and restore honour the stones."""
    spans: set[EpisodeSpan] = set(_whole(view, wish.episodes))
    if wish.conversation is not None:
        spans.update(_whole(view, [one.id for one in view.turns(wish.conversation)]))
    gone: dict[RecordId, Record] = {}
    wordings: set[str] = set()
    for record_id in targets:
        record = view.record(record_id)
        if record is None or record.status is Status.ERASED:
            continue
        gone[record_id] = record
        for one in view.evidence(record_id):
            spans.add(EpisodeSpan(episode_id=one.episode_id, start=one.start, end=one.end))
            wordings.add(one.wording)
    weakened: list[tuple[Record, tuple[Evidence, ...]]] = []
    by_episode = _by_episode(spans)
    for record_id in view.resting_on(tuple(by_episode)):
        if record_id in gone:
            continue
        record = view.record(record_id)
        rows = view.evidence(record_id)
        kept = tuple(one for one in rows if not _overlaps(one, by_episode.get(one.episode_id, [])))
        if record is None or len(kept) == len(rows):
            continue
        if assertions(kept):
            weakened.append((replace(derive(record, kept), version=record.version + 1), kept))
        elif record.status is not Status.ERASED:
            gone[record_id] = record
            wordings.update(one.wording for one in rows)
    return Erasure(
        records=tuple((one, _blank(one)) for one in gone.values()),
        weakened=tuple(weakened),
        spans=tuple(sorted(spans)),
        tombstones=tuple(
            Tombstone(kind=k, digest=d, at=now) for k, d in _stones(view, gone.values(), wordings, spans, secret)
        ),
    )


def _blank(record: Record) -> Record:
    return replace(
        record,
        status=step(record.status, Event.ERASE),
        text="",
        key="",
        slot="",
        value="",
        content_hash="",
        tags=(),
        attributes={},
        version=record.version + 1,
    )


def _stones(
    view: ReadView, gone: Iterable[Record], wordings: set[str], spans: Iterable[EpisodeSpan], secret: bytes
) -> list[tuple[str, str]]:
    digests: dict[tuple[str, str], None] = {}
    for record in gone:
        digests[TEXT, text_digest(secret, record.text)] = None
        if record.key and record.value:
            digests[KEY, key_digest(secret, record.key, record.value)] = None
    for wording in sorted(wordings):
        digests[TEXT, text_digest(secret, wording)] = None
    by_episode = _by_episode(spans)
    for episode in view.episodes(tuple(by_episode)).values():
        for span in by_episode[episode.id]:
            if span.start == 0 and span.end >= len(episode.text):
                digests[SOURCE, keyed_digest(secret, SOURCE, episode.id)] = None
            digests[TEXT, text_digest(secret, episode.text[span.start : span.end])] = None
    return list(digests)
