"""Reads records, their states, their evidence and the graph.

Takes: ids and filters. Gives: values. Never: changes a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import starmap
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import (
    EVIDENCE_COLUMNS,
    Cell,
    Row,
    edge_of,
    evidence_of,
    record_of,
    record_of_image,
    when,
)
from dopejar.adapters.sqlite.sql_filters import NO_BLOCK_TAG, or_any_language
from dopejar.adapters.sqlite.transaction import Transaction, listed, marks, prefix_range
from dopejar.errors import NotFoundError
from dopejar.values.episode import Origin
from dopejar.values.recall import Citation
from dopejar.values.record import WITHIN_A_TEXT, RecordState, StatedSpan

if TYPE_CHECKING:
    from dopejar.ports.store import Tombstone
    from dopejar.values.edge import Edge, EdgeKind
    from dopejar.values.ids import ActId, ConversationId, EpisodeId, RecordId
    from dopejar.values.recall import RecordFilter
    from dopejar.values.record import Evidence, Record
    from dopejar.values.scope import Namespace, Scope, Side

# The shown access count: the episodes that assert the record, and its uses.
RECORD_COLUMNS: Final = (
    "r.id, r.kind, r.text, r.key, r.slot, r.value, r.layer, r.sublayer, r.namespace, r.scope, r.side, r.status,"
    " r.confidence, r.certainty, r.trust, r.tags, r.pinned, r.created_at, r.valid_from, r.valid_to, r.temporary,"
    " r.content_hash, r.version, r.made_by, r.supersedes, r.superseded_by, r.approved_by,"
    " max(r.assertions, 1) + coalesce((SELECT u.count FROM uses u WHERE u.record_row = r.rowid), 0),"
    " r.helpful_count, r.harmful_count,"
    " coalesce((SELECT max(u.last_at, coalesce(r.last_accessed_at, '')) FROM uses u WHERE u.record_row = r.rowid),"
    " r.last_accessed_at), r.attributes"
)
_ORIGINS: Final = {origin.value: origin for origin in Origin}
_SELECT: Final = f"SELECT {RECORD_COLUMNS} FROM records r"
_ONE: Final = f"{_SELECT} WHERE r.id = ?"
_MANY: Final = f"{_SELECT} WHERE r.id IN (SELECT value FROM json_each(?))"
_CHAIN: Final = (
    f"{_SELECT} WHERE r.chain = ? AND r.scope = ? AND r.namespace = ? AND r.side = ? AND r.status <> 'erased'"
    " ORDER BY r.valid_from, r.rowid"
)
_WITH_KEY: Final = (
    f"{_SELECT} WHERE r.key = ? AND r.namespace = ? AND r.scope = ? AND r.side = ? AND r.status <> 'erased'"
    " ORDER BY r.valid_from, r.rowid"
)
_WITH_KEY_ANYWHERE: Final = (
    f"{_SELECT} WHERE r.key = ? AND r.status <> 'erased'"
    " ORDER BY r.status = 'active' DESC, r.created_at DESC, r.rowid DESC"
)
_WITH_CONTENT: Final = (
    f"{_SELECT} WHERE r.content_hash = ? AND r.namespace = ? AND r.status <> 'erased' ORDER BY r.rowid"
)
_EVIDENCE: Final = f"SELECT {EVIDENCE_COLUMNS} FROM evidence WHERE record_id = ? ORDER BY at, place"
_EVIDENCE_OF: Final = (
    f"SELECT record_id, {EVIDENCE_COLUMNS} FROM evidence"
    " WHERE record_id IN (SELECT value FROM json_each(?)) ORDER BY record_id, at, place"
)
_EVIDENCE_IN: Final = (
    f"SELECT record_id, {EVIDENCE_COLUMNS} FROM evidence"
    " WHERE episode_id IN (SELECT value FROM json_each(?)) ORDER BY record_id, at, place"
)
_STATED_IN: Final = (
    "SELECT record_id, episode_id, span_start, span_end FROM evidence"
    " WHERE episode_id IN (SELECT value FROM json_each(?)) AND role IN ('asserts', 'withdrawn')"
    " ORDER BY record_id, at, place"
)
# Withdrawn evidence is no source any more, and an outcome states how a record fared, not where it comes from.
_CITATIONS_OF: Final = (
    "SELECT v.record_id, v.episode_id, e.conversation, e.at, e.speaker, e.origin, v.wording"
    " FROM evidence v JOIN episodes e ON e.id = v.episode_id"
    " WHERE v.record_id IN (SELECT value FROM json_each(?)) AND v.role IN ('asserts', 'context')"
    " ORDER BY v.record_id, v.at, v.place"
)
_RESTING_ON: Final = (
    "SELECT DISTINCT v.record_id FROM evidence v JOIN records r ON r.id = v.record_id"
    " WHERE v.episode_id IN (SELECT value FROM json_each(?)) ORDER BY r.rowid"
)
_STATES: Final = "SELECT image, from_seq, to_seq, act_id FROM record_states WHERE record_id = ? ORDER BY from_seq"
_STATES_OF_ACT: Final = (
    "SELECT image, from_seq, to_seq, act_id FROM record_states WHERE act_id = ? ORDER BY from_seq, record_id"
)
_FIND: Final = "SELECT id FROM records WHERE id >= ? AND id < ? ORDER BY id LIMIT 10"
_WITH_TOMBSTONE: Final = "SELECT digest FROM tombstones WHERE kind = ? AND digest IN (SELECT value FROM json_each(?))"
_EDGES: Final = (
    "SELECT src, dst, kind, record_id FROM edges WHERE src IN (SELECT value FROM json_each(?1))"
    " UNION SELECT src, dst, kind, record_id FROM edges WHERE dst IN (SELECT value FROM json_each(?1))"
    " ORDER BY src, dst, kind, record_id"
)
# Two branches, one per direction, each from the reached nodes to their edges (CROSS JOIN fixes that order): a single
# branch over a union of both directions would not use the indexes. The inner limit stops a walk through a hub with very
# many neighbours; the queue is first in, first out, so the farthest nodes are left out.
_NEIGHBOURHOOD: Final = """
WITH RECURSIVE reached (node, depth) AS (
  VALUES (?1, 0)
  UNION
  SELECT e.dst, reached.depth + 1 FROM reached CROSS JOIN edges e ON e.src = reached.node WHERE reached.depth < ?2
  UNION
  SELECT e.src, reached.depth + 1 FROM reached CROSS JOIN edges e ON e.dst = reached.node WHERE reached.depth < ?2
  LIMIT 20000
), nearest (node, depth) AS (
  SELECT node, min(depth) FROM reached GROUP BY node HAVING min(depth) < ?2
)
SELECT src, dst, kind, record_id, min(depth) FROM (
  SELECT e.src, e.dst, e.kind, e.record_id, n.depth FROM nearest n CROSS JOIN edges e ON e.src = n.node
  UNION ALL
  SELECT e.src, e.dst, e.kind, e.record_id, n.depth FROM nearest n CROSS JOIN edges e ON e.dst = n.node
) GROUP BY src, dst, kind, record_id ORDER BY min(depth), src, dst, kind, record_id LIMIT ?3
"""


def state_of(row: Row) -> RecordState:
    """The state of a row (image, from_seq, to_seq, act_id)."""
    image, from_seq, to_seq, act_id = cast("tuple[str, int, int | None, ActId]", row)
    return RecordState(record=record_of_image(image), from_seq=from_seq, to_seq=to_seq, act_id=act_id)


def _owned_evidence(row: Row) -> "tuple[RecordId, Evidence]":
    return cast("RecordId", row[0]), evidence_of(row[1:])


def _owned_citation(row: Row) -> "tuple[RecordId, Citation]":
    return cast("RecordId", row[0]), _citation_of(row[1:])


def _citation_of(row: "Sequence[Cell]") -> Citation:
    """The citation of a row (episode, conversation, its time, speaker, origin, wording)."""
    episode_id, conversation, at, speaker, origin, wording = cast(
        "tuple[EpisodeId, ConversationId, str, str, str, str]", row
    )
    return Citation(
        episode_id=episode_id,
        conversation=conversation,
        at=datetime.fromisoformat(at),
        speaker=speaker or origin,
        quote=wording,
        origin=_ORIGINS[origin],
    )


class RecordReads(Transaction):
    """`ports.store.RecordReader`."""

    def record(self, record_id: "RecordId") -> "Record | None":
        """The record with this whole id."""
        row = self._row(_ONE, (record_id,))
        return self._require_decoded("record", record_of, row)

    def records(self, ids: "Sequence[RecordId]") -> "dict[RecordId, Record]":
        """Those of the ids that exist, in the order asked for."""
        records = {record.id: record for record in self._decoded(record_of, self._rows(_MANY, (listed(ids),)))}
        return {record_id: records[record_id] for record_id in ids if record_id in records}

    def chain(self, namespace: "Namespace", scope: "Scope", side: "Side", chain: str) -> "tuple[Record, ...]":
        """Every record with this slot (or, having no slot, this key), erased ones left out, by `valid_from`."""
        if not chain:
            return ()
        return self._decoded(record_of, self._rows(_CHAIN, (chain, str(scope), namespace.value, side.value)))

    def with_key(self, namespace: "Namespace", scope: "Scope", side: "Side", key: str) -> "tuple[Record, ...]":
        """Every record with this key, erased ones left out, by `valid_from`."""
        if not key:
            return ()
        return self._decoded(record_of, self._rows(_WITH_KEY, (key, namespace.value, str(scope), side.value)))

    def with_key_anywhere(self, key: str) -> "tuple[Record, ...]":
        """Records with this key in any namespace and scope, erased ones left out: active ones first, newest first."""
        return self._decoded(record_of, self._rows(_WITH_KEY_ANYWHERE, (key,))) if key else ()

    def with_content(self, namespace: "Namespace", content_hash: str) -> "tuple[Record, ...]":
        """Every record with this content hash in any scope, erased ones left out."""
        return self._decoded(record_of, self._rows(_WITH_CONTENT, (content_hash, namespace.value)))

    def evidence(self, record_id: "RecordId") -> "tuple[Evidence, ...]":
        """What the record rests on, oldest first."""
        return self._decoded(evidence_of, self._rows(_EVIDENCE, (record_id,)))

    def evidence_of(self, ids: "Sequence[RecordId]") -> "dict[RecordId, tuple[Evidence, ...]]":
        """Evidence of several records at once; a record without any has no entry."""
        return self._evidence_by_record(_EVIDENCE_OF, ids)

    def evidence_in(self, episodes: "Sequence[EpisodeId]") -> "dict[RecordId, tuple[Evidence, ...]]":
        """What records rest on in these episodes; a record without any there has no entry."""
        return self._evidence_by_record(_EVIDENCE_IN, episodes)

    def stated_in(self, episodes: "Sequence[EpisodeId]") -> "tuple[StatedSpan, ...]":
        """Where these episodes state, or stated until it was withdrawn, what records say; by record, oldest first."""
        rows = self._rows(_STATED_IN, (listed(episodes),))
        return tuple(starmap(StatedSpan, cast("list[tuple[RecordId, EpisodeId, int, int]]", rows)))

    def _evidence_by_record(self, sql: str, ids: Sequence[str]) -> "dict[RecordId, tuple[Evidence, ...]]":
        evidence: dict[RecordId, list[Evidence]] = {}
        for record_id, rests_on in self._decoded(_owned_evidence, self._rows(sql, (listed(ids),))):
            evidence.setdefault(record_id, []).append(rests_on)
        return {record_id: tuple(rows) for record_id, rows in evidence.items()}

    def citations_of(self, ids: "Sequence[RecordId]", most: int) -> "dict[RecordId, tuple[Citation, ...]]":
        """The newest `most` turns that several records rest on, oldest first; nothing that was withdrawn."""
        citations: dict[RecordId, dict[EpisodeId, Citation]] = {}
        for record_id, citation in self._decoded(_owned_citation, self._rows(_CITATIONS_OF, (listed(ids),))):
            citations.setdefault(record_id, {})[citation.episode_id] = citation
        return {record_id: tuple(by_turn.values())[-most:] for record_id, by_turn in citations.items()}

    def resting_on(self, episodes: "Sequence[EpisodeId]") -> "tuple[RecordId, ...]":
        """Records with evidence in these episodes, in the order they came in."""
        return tuple(cast("list[RecordId]", self._texts(_RESTING_ON, (listed(episodes),))))

    def states(self, record_id: "RecordId") -> tuple[RecordState, ...]:
        """How the record stood over the ledger's time, oldest first."""
        return self._decoded(state_of, self._rows(_STATES, (record_id,)))

    def states_of_act(self, act_id: "ActId") -> tuple[RecordState, ...]:
        """The states that an act brought about."""
        return self._decoded(state_of, self._rows(_STATES_OF_ACT, (act_id,)))

    def list_records(self, where: "RecordFilter", limit: int, after: "RecordId | None" = None) -> "tuple[Record, ...]":
        """A page of records, newest first, after the given one. Raises NotFoundError where it does not exist."""
        conditions, values = _conditions(where)
        if after is not None:
            row = self._row("SELECT created_at, rowid FROM records WHERE id = ?", (after,))
            if row is None:
                raise NotFoundError(f"There is no record {after} to continue from. List from the beginning.")
            conditions.append("(r.created_at, r.rowid) < (?, ?)")
            values += row
        clause = f"WHERE {' AND '.join(conditions)} " if conditions else ""
        sql = f"{_SELECT} {clause}ORDER BY r.created_at DESC, r.rowid DESC LIMIT ?"
        rows = self._rows(sql, (*values, limit))
        records = self._decoded(record_of, rows)
        if rows and not records:  # a page of unreadable rows is not the end
            return self.list_records(where, limit, cast("RecordId", rows[-1][0]))
        return records

    def find_record_id(self, prefix: str) -> "tuple[RecordId, ...]":
        """At most ten whole ids that begin with the prefix."""
        return tuple(cast("list[RecordId]", self._texts(_FIND, prefix_range(prefix))))

    def edges(self, ends: Sequence[str], kinds: "Sequence[EdgeKind]" = ()) -> "tuple[Edge, ...]":
        """Edges that touch any of the ends."""
        wanted = {kind.value for kind in kinds}
        rows = self._rows(_EDGES, (listed(ends),))
        return self._decoded(edge_of, [row for row in rows if not wanted or row[2] in wanted])

    def neighbourhood(self, start: str, hops: int, limit: int) -> "tuple[Edge, ...]":
        """Edges within so many hops of an end (at most 3), nearest first."""
        rows = self._rows(_NEIGHBOURHOOD, (start, min(hops, 3), limit))
        return self._decoded(edge_of, [row[:4] for row in rows])

    def has_tombstones(self) -> bool:
        """Whether anything was erased."""
        return bool(self._texts("SELECT digest FROM tombstones LIMIT 1"))

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every tombstone."""
        rows = self._rows("SELECT kind, digest, at FROM tombstones ORDER BY kind, digest")
        return self._decoded(_tombstone_of, rows)

    def has_tombstone(self, kind: str, digests: Sequence[str]) -> tuple[str, ...]:
        """Those of the digests that have a tombstone of this kind, in the order asked for."""
        buried = set(self._texts(_WITH_TOMBSTONE, (kind, listed(digests))))
        return tuple(digest for digest in digests if digest in buried)


def _tombstone_of(row: Row) -> Tombstone:
    from dopejar.ports.store import Tombstone  # recall reads none

    kind, digest, at = cast("tuple[str, str, str]", row)
    return Tombstone(kind=kind, digest=digest, at=datetime.fromisoformat(at))


def _conditions(where: "RecordFilter") -> tuple[list[str], list[Cell]]:
    conditions: list[str] = []
    values: list[Cell] = []

    def among(column: str, wanted: Sequence[str], otherwise: str = "") -> None:
        if wanted:
            conditions.append(f"({column} IN ({marks(len(wanted))}){otherwise})")
            values.extend(wanted)

    if where.holds_at is not None and "active" in where.statuses:
        # what is announced for a later day does not hide what holds until then
        conditions.append(
            f"(r.status IN ({marks(len(where.statuses))})"
            " OR (r.status = 'superseded' AND r.valid_from <= ? AND r.valid_to > ?))"
        )
        values.extend([*where.statuses, when(where.holds_at), when(where.holds_at + WITHIN_A_TEXT)])
    else:
        among("r.status", where.statuses)
    among("r.kind", where.kinds)
    among("r.scope", [str(scope) for scope in where.scopes], or_any_language(where.scopes))
    if where.namespace is not None:
        conditions.append(NO_BLOCK_TAG)
    among("r.namespace", () if where.namespace is None else (where.namespace,))
    among("r.side", () if where.side is None else (where.side,))
    if where.key_prefix:
        conditions.append("r.key >= ? AND r.key < ?")
        values.extend(prefix_range(where.key_prefix))
    if where.tag:
        conditions.append("EXISTS (SELECT 1 FROM json_each(iif(json_valid(r.tags), r.tags, '[]')) t WHERE t.value = ?)")
        values.append(where.tag)
    if where.conversation is not None:
        conditions.append(
            "r.id IN (SELECT v.record_id FROM episodes e JOIN evidence v ON v.episode_id = e.id"
            " WHERE e.conversation = ?)"
        )
        values.append(where.conversation)
    if where.ids:
        conditions.append("r.id IN (SELECT value FROM json_each(?))")
        values.append(listed(where.ids))
    if where.holds_at is not None:
        conditions.append("(r.valid_to IS NULL OR r.valid_to > ?)")
        values.append(when(where.holds_at))
    return conditions, values
