"""Erasure: plans what is removed under the right to be forgotten.

Takes: records, episodes or a conversation. Gives: what is to be blanked, and tombstones. Never: touches the ledger's
chain.

Erasing a record blanks the spans that it rests on. A blanked span takes its words from every other record that rests on
it: a record with other evidence is derived anew from the rest, a record without is erased as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dopejar.memory.derivation import assertions, derive
from dopejar.memory.erased_turn_copies import marks_to_bury
from dopejar.memory.lifecycle import Event, step
from dopejar.memory.tombstones import KEY, SOURCE, TEXT, key_digest, keyed_digest, text_digest
from dopejar.ports.store import ReadView, Tombstone
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.proposal import Erase
from dopejar.values.record import Evidence, EvidenceRole, Record, Status


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class EpisodeSpan:
    """A range of characters in an episode."""

    episode_id: EpisodeId
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """The plan of an erasure. `weakened` records lose evidence but keep enough of it to stay."""

    records: tuple[tuple[Record, Record], ...]  # before, after
    weakened: tuple[tuple[Record, tuple[Evidence, ...]], ...]
    spans: tuple[EpisodeSpan, ...]
    tombstones: tuple[Tombstone, ...]


def _whole_episodes(view: ReadView, ids: Iterable[EpisodeId]) -> list[EpisodeSpan]:
    episodes = view.episodes(tuple(ids)).values()
    return [EpisodeSpan(episode_id=episode.id, start=0, end=len(episode.text)) for episode in episodes]


def _overlaps_any(row: Evidence, spans: Sequence[EpisodeSpan]) -> bool:
    return any(span.episode_id == row.episode_id and row.start < span.end and span.start < row.end for span in spans)


def _by_episode(spans: Iterable[EpisodeSpan]) -> dict[EpisodeId, list[EpisodeSpan]]:
    grouped: dict[EpisodeId, list[EpisodeSpan]] = {}
    for span in spans:
        grouped.setdefault(span.episode_id, []).append(span)
    return grouped


def plan_erasure(view: ReadView, targets: Sequence[RecordId], request: Erase, secret: bytes, now: datetime) -> Erasure:
    """Everything that is erased with these targets. Re-import and restore honour the tombstones of the words."""
    spans: set[EpisodeSpan] = set(_whole_episodes(view, request.episodes))
    if request.conversation is not None:
        spans.update(_whole_episodes(view, [turn.id for turn in view.turns(request.conversation)]))
    erased: dict[RecordId, Record] = {}
    wordings: set[str] = set()
    for record_id in targets:
        record = view.record(record_id)
        if record is None or record.status is Status.ERASED:
            continue
        erased[record_id] = record
        for row in view.evidence(record_id):
            spans.add(EpisodeSpan(episode_id=row.episode_id, start=row.start, end=row.end))
            wordings.add(row.wording)
    weakened, unsupported, lost_wordings = _affected_records(view, spans, erased)
    erased.update(unsupported)
    tombstones = _tombstone_keys(view, erased.values(), wordings | lost_wordings, spans, secret)
    return Erasure(
        records=tuple((record, _blank(record)) for record in erased.values()),
        weakened=tuple(weakened),
        spans=tuple(sorted(spans)),
        tombstones=tuple(Tombstone(kind=kind, digest=digest, at=now) for kind, digest in tombstones),
    )


def _affected_records(
    view: ReadView, spans: Iterable[EpisodeSpan], erased: Collection[RecordId]
) -> tuple[list[tuple[Record, tuple[Evidence, ...]]], dict[RecordId, Record], set[str]]:
    """Other records that rest on the spans: those derived anew, those left without support, and the latter's words."""
    weakened: list[tuple[Record, tuple[Evidence, ...]]] = []
    unsupported: dict[RecordId, Record] = {}
    wordings: set[str] = set()
    by_episode = _by_episode(spans)
    for record_id in view.resting_on(tuple(by_episode)):
        if record_id in erased:
            continue
        record = view.record(record_id)
        rows = view.evidence(record_id)
        kept = tuple(row for row in rows if not _overlaps_any(row, by_episode.get(row.episode_id, [])))
        if record is None or len(kept) == len(rows):
            continue
        if assertions(kept):
            weakened.append((replace(derive(record, kept), version=record.version + 1), kept))
        elif record.status is not Status.ERASED:
            unsupported[record_id] = record
            wordings.update(row.wording for row in rows)
    return weakened, unsupported, wordings


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


def _tombstone_keys(
    view: ReadView, erased: Iterable[Record], wordings: set[str], spans: Iterable[EpisodeSpan], secret: bytes
) -> list[tuple[str, str]]:
    """Kind and digest of each tombstone, once each."""
    digests: dict[tuple[str, str], None] = {}
    for record in erased:
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
    digests |= dict.fromkeys(marks_to_bury(view, tuple(by_episode), _asserting(view, tuple(by_episode)), secret))
    return list(digests)


def _asserting(view: ReadView, episodes: Sequence[EpisodeId]) -> set[EpisodeId]:
    """Those of the turns that a memory was read from."""
    evidence = view.evidence_in(episodes).values()
    return {row.episode_id for rows in evidence for row in rows if row.role is EvidenceRole.ASSERTS}
