"""Records, evidence, states, tombstones and use notes.

Takes: ids, filters and values. Gives: values. Never: derives a record or a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from dopejar.adapters.in_memory.snapshot import Snapshot, require_text, with_prefix
from dopejar.adapters.in_memory.tables import Uses
from dopejar.errors import NotFoundError, StaleProposalError
from dopejar.ports.store import Outbox, Tombstone
from dopejar.values.ids import ActId, EpisodeId, RecordId
from dopejar.values.recall import Citation, RecordFilter, Source
from dopejar.values.record import (
    BLOCK_TAG,
    WITHIN_A_TEXT,
    Evidence,
    EvidenceRole,
    Kind,
    Record,
    RecordState,
    StatedSpan,
    Status,
)
from dopejar.values.scope import Namespace, Scope, Side, is_among

_CITED_ROLES = (EvidenceRole.ASSERTS, EvidenceRole.CONTEXT)
_KEYLESS_KINDS = (Kind.BULLET, Kind.PATTERN)  # several of these may have one key


class RecordReads(Snapshot):
    """`ports.store.RecordReader` and `UsageReader`."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        record = self._tables.records.get(record_id)
        return None if record is None else self._shown(record)

    def records(self, ids: Sequence[RecordId]) -> dict[RecordId, Record]:
        """Those of the ids that exist, in the order asked for."""
        return {record.id: record for record in map(self.record, ids) if record is not None}

    def _standing(self, index: str, value: str) -> list[Record]:
        """Records with this index value that are not erased, by `valid_from`."""
        records = self._tables.records.at(index, value) if value else []
        standing = [self._shown(record) for record in records if record.status is not Status.ERASED]
        return sorted(standing, key=lambda record: record.valid_from)

    def _standing_in(
        self, namespace: Namespace, scope: Scope, side: Side, index: str, value: str
    ) -> tuple[Record, ...]:
        place = (namespace, scope, side)
        standing = self._standing(index, value)
        return tuple(record for record in standing if (record.namespace, record.scope, record.side) == place)

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record with this slot (or, having no slot, this key), erased ones left out, by `valid_from`."""
        return self._standing_in(namespace, scope, side, "chain", chain)

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Every record with this key, erased ones left out, by `valid_from`."""
        return self._standing_in(namespace, scope, side, "key", key)

    def with_key_anywhere(self, key: str) -> tuple[Record, ...]:
        """Records with this key in any namespace and scope, erased ones left out: active ones first, newest first."""
        numbers = self._tables.records.number
        newest_first = sorted(
            self._standing("key", key), key=lambda record: (record.created_at, numbers(record.id)), reverse=True
        )
        return tuple(sorted(newest_first, key=lambda record: record.status is not Status.ACTIVE))

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Every record with this content hash in any scope, erased ones left out."""
        return tuple(
            self._shown(record)
            for record in self._tables.records.at("content", content_hash)
            if record.namespace is namespace and record.status is not Status.ERASED
        )

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What the record rests on, oldest first."""
        return self._tables.evidence.get(record_id) or ()

    def evidence_of(self, ids: Sequence[RecordId]) -> dict[RecordId, tuple[Evidence, ...]]:
        """Evidence of several records; a record without any has no entry."""
        return {record_id: rows for record_id in ids if (rows := self.evidence(record_id))}

    def evidence_in(self, episodes: Sequence[EpisodeId]) -> dict[RecordId, tuple[Evidence, ...]]:
        """What records rest on in these episodes; a record without any there has no entry."""
        asked = frozenset(episodes)
        resting = self.evidence_of(sorted(self.resting_on(episodes)))
        return {record_id: tuple(row for row in rows if row.episode_id in asked) for record_id, rows in resting.items()}

    def stated_in(self, episodes: Sequence[EpisodeId]) -> tuple[StatedSpan, ...]:
        """Where these episodes state, or stated until it was withdrawn, what records say; by record, oldest first."""
        stating = (EvidenceRole.ASSERTS, EvidenceRole.WITHDRAWN)
        return tuple(
            StatedSpan(record_id, row.episode_id, row.start, row.end)
            for record_id, rows in self.evidence_in(episodes).items()
            for row in rows
            if row.role in stating
        )

    def citations_of(self, ids: Sequence[RecordId], most: int) -> dict[RecordId, tuple[Citation, ...]]:
        """The newest `most` turns that several records rest on, oldest first; nothing that was withdrawn."""
        cited: dict[RecordId, tuple[Citation, ...]] = {}
        for record_id in ids:
            by_turn: dict[EpisodeId, Citation] = {}
            for row in self.evidence(record_id):
                episode = self._tables.episodes.get(row.episode_id)
                if episode is not None and row.role in _CITED_ROLES:
                    by_turn[row.episode_id] = Citation(
                        episode_id=row.episode_id,
                        conversation=episode.conversation,
                        at=episode.at,
                        speaker=episode.speaker or episode.origin.value,
                        quote=row.wording,
                        origin=episode.origin,
                    )
            if by_turn:
                cited[record_id] = tuple(by_turn.values())[-most:]
        return cited

    def resting_on(self, episodes: Sequence[EpisodeId]) -> tuple[RecordId, ...]:
        """Records with evidence in these episodes, in the order they came in."""
        tables = self._tables
        ids = {record_id for episode in episodes for record_id in tables.evidence.keys_at("episode", episode)}
        return tuple(sorted((record_id for record_id in ids if record_id in tables.records), key=tables.records.number))

    def states(self, record_id: RecordId) -> tuple[RecordState, ...]:
        """How the record stood over the ledger's time, oldest first."""
        return self._tables.states.get(record_id) or ()

    def states_of_act(self, act_id: ActId) -> tuple[RecordState, ...]:
        """The states that an act brought about."""
        states = [state for row in self._tables.states.at("act", act_id) for state in row if state.act_id == act_id]
        return tuple(sorted(states, key=lambda state: (state.from_seq, state.record.id)))

    def list_records(self, where: RecordFilter, limit: int, after: RecordId | None = None) -> tuple[Record, ...]:
        """A page of records, newest first, after the given one. Raises NotFoundError where that one does not exist."""
        tables = self._tables

        def place(record: Record) -> tuple[datetime, int]:
            return record.created_at, tables.records.number(record.id)

        records = [record for record in tables.records.values() if self._is_listed(record, where)]
        if after is not None:
            last = tables.records.get(after)
            if last is None:
                raise NotFoundError(f"There is no record {after} to continue from. List from the beginning.")
            records = [record for record in records if place(record) < place(last)]
        return tuple(map(self._shown, sorted(records, key=place, reverse=True)[:limit]))

    def _is_listed(self, record: Record, where: RecordFilter) -> bool:
        return (
            (not where.ids or record.id in where.ids)
            and (not where.statuses or record.status in where.statuses or _holds_until_later(record, where))
            and (not where.kinds or record.kind in where.kinds)
            and (not where.scopes or is_among(record.scope, where.scopes))
            and where.namespace in (None, record.namespace)
            and (where.namespace is None or BLOCK_TAG not in record.attributes)
            and where.side in (None, record.side)
            and record.key.startswith(where.key_prefix)
            and (not where.tag or where.tag in record.tags)
            and (where.conversation is None or where.conversation in self._conversations_of(record.id))
            and (where.holds_at is None or record.valid_to is None or record.valid_to > where.holds_at)
        )

    def _conversations_of(self, record_id: RecordId) -> set[str]:
        episodes = (self._tables.episodes.get(row.episode_id) for row in self.evidence(record_id))
        return {episode.conversation for episode in episodes if episode is not None}

    def find_record_id(self, prefix: str) -> tuple[RecordId, ...]:
        """At most ten whole ids that begin with the prefix."""
        return tuple(map(RecordId, with_prefix(self._tables.records, prefix)))

    def has_tombstones(self) -> bool:
        """Whether anything was erased."""
        return len(self._tables.tombstones) > 0

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every tombstone."""
        return tuple(sorted(self._tables.tombstones.values(), key=lambda stone: (stone.kind, stone.digest)))

    def has_tombstone(self, kind: str, digests: Sequence[str]) -> tuple[str, ...]:
        """Those of the digests that have a tombstone of this kind, in the order asked for."""
        return tuple(digest for digest in digests if (kind, digest) in self._tables.tombstones)

    def used_since(self, at: datetime, limit: int) -> tuple[tuple[RecordId, int], ...]:
        """Records that were used then or later, each with all its uses, the most used first."""
        used = [(name, uses.count) for name, uses in self._tables.uses.items() if uses.last_at >= at]
        return tuple(sorted(used, key=lambda row: (-row[1], row[0]))[:limit])

    def has_injected(self) -> bool:
        """Whether recall ever returned anything."""
        return len(self._tables.injected) > 0

    def injected(self, digests: Sequence[str], before: datetime | None = None) -> tuple[str, ...]:
        """Those of the digests that recall returned before; with a time, before that."""
        known = ((digest, self._tables.injected.get(digest)) for digest in digests)
        return tuple(digest for digest, at in known if at is not None and (before is None or at < before))


class RecordWrites(RecordReads):
    """`ports.store.RecordWriter` and `UsageWriter`."""

    def put_record(self, record: Record) -> None:
        """Insert or replace the row of a record; vectors and outbox follow its text."""
        require_text(record.text)
        tables = self._tables
        self._require_free_key(record)
        before = tables.records.get(record.id)
        tables.records.put(record.id, record)
        if before is None or (before.text, before.content_hash) != (record.text, record.content_hash):
            self._renew_vectors(Source.RECORD, record.id, has_text=bool(record.text))

    def _require_free_key(self, record: Record) -> None:
        if not _holds_key(record):
            return
        for other in self._tables.records.at("key", record.key):
            place = (other.namespace, other.scope, other.side) == (record.namespace, record.scope, record.side)
            if place and other.id != record.id and _holds_key(other):
                raise StaleProposalError(
                    f"Another active record already holds the key {record.key!r} in {record.scope}. Read it, then"
                    " supersede or reinforce it."
                )

    def _renew_vectors(self, owner: Source, owner_id: str, *, has_text: bool) -> None:
        """Drop the vectors of an older text; a new text waits for its own, an empty one for none."""
        tables = self._tables
        vectors = tables.vectors.keys_at("owner", (owner, owner_id))
        for vector in vectors:
            tables.vectors.drop(vector)
        if vectors:
            tables.matrices.clear()
        if not has_text or owner is Source.EPISODE:
            for seq in tables.outbox.keys_at("owner", (owner, owner_id)):
                tables.outbox.drop(seq)
        if has_text:
            tables.last_outbox += 1
            line = Outbox(seq=tables.last_outbox, kind="embed", owner=owner, owner_id=owner_id)
            tables.outbox.put(line.seq, line)

    def put_state(self, state: RecordState) -> None:
        """Insert or replace the state that begins at `from_seq`; an earlier state that is still open ends there."""
        record_id = state.record.id
        states = {earlier.from_seq: _ended(earlier, state.from_seq) for earlier in self.states(record_id)}
        states[state.from_seq] = state
        self._tables.states.put(record_id, tuple(states[seq] for seq in sorted(states)))

    def put_evidence(self, record_id: RecordId, evidence: Sequence[Evidence]) -> None:
        """Replace what the record rests on."""
        self._tables.evidence.put(record_id, tuple(sorted(evidence, key=lambda row: row.at)))

    def put_tombstones(self, stones: Iterable[Tombstone]) -> None:
        """Add tombstones; one that exists keeps its time."""
        for stone in stones:
            if (stone.kind, stone.digest) not in self._tables.tombstones:
                self._tables.tombstones.put((stone.kind, stone.digest), stone)

    def note_used(self, ids: Sequence[RecordId], at: datetime) -> None:
        """Count one use of each record; ids that do not exist are skipped."""
        tables = self._tables
        for record_id in ids:
            if record_id in tables.records:
                uses = tables.uses.get(record_id) or Uses(0, at)
                tables.uses.put(record_id, Uses(uses.count + 1, max(uses.last_at, at)))

    def drop_uses(self, record_id: RecordId) -> None:
        """Remove the use count and the time of the last use of a record."""
        self._tables.uses.drop(record_id)

    def note_injected(self, digests: Sequence[str], at: datetime) -> None:
        """Remember digests of what recall returned; one that is known keeps its first time."""
        for digest in digests:
            if digest not in self._tables.injected:
                self._tables.injected.put(digest, at)


def _holds_key(record: Record) -> bool:
    """Whether the record is the one present record of its key."""
    is_present = record.status is Status.ACTIVE and record.valid_to is None and not record.temporary
    return is_present and record.key != "" and record.kind not in _KEYLESS_KINDS


def _ended(state: RecordState, seq: int) -> RecordState:
    if state.to_seq is not None or state.from_seq >= seq:
        return state
    return RecordState(record=state.record, from_seq=state.from_seq, to_seq=seq, act_id=state.act_id)


def _holds_until_later(record: Record, where: RecordFilter) -> bool:
    """Whether a superseded record is among the active ones: what is announced for a later day does not hide it."""
    at = where.holds_at
    if at is None or Status.ACTIVE not in where.statuses:
        return False
    return record.holds_until_later(at) and record.holds_until_later(at + WITHIN_A_TEXT)
