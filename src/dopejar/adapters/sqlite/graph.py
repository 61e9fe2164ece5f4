"""Edges, and the records that they lead to.

Takes: ends, filters, edges that were read from records. Gives: edges, entities, ids of linked records. Never: shows
what an edge of a hidden record says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import edge_of
from dopejar.adapters.sqlite.records import RecordReads
from dopejar.adapters.sqlite.sql_filters import condition
from dopejar.adapters.sqlite.transaction import listed
from dopejar.values.edge import EXTRACTED_KINDS, EdgeKind, equivalent_entities

if TYPE_CHECKING:
    from dopejar.values.edge import Edge
    from dopejar.values.ids import RecordId
    from dopejar.values.recall import SearchFilter

_HUB: Final = 64  # records; an entity that more of them mention does not select among them
_ALIAS_ROUNDS: Final = 3  # of aliases of aliases
_IS_RECORD: Final = "e.src >= 'm_' AND e.src < 'm`'"  # record ids begin with m_; a range, so that an index can follow
_IS_ENTITY: Final = "(e.src < 'm_' OR e.src >= 'm`')"
_OF_RECORD: Final = "SELECT src, dst, kind, record_id FROM edges WHERE record_id = ? AND record_id <> ''"
_OF_RECORDS: Final = (
    "SELECT src, dst, kind, record_id FROM edges WHERE record_id <> ''"
    " AND record_id IN (SELECT value FROM json_each(?))"
)
_NAMED: Final = (  # whatever an edge names, some record mentions
    "SELECT j.value FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM edges e WHERE e.dst = j.value)"
)
_DROP: Final = "DELETE FROM edges WHERE src = ? AND dst = ? AND kind = ? AND record_id = ?"


def _extracted(edges: Iterable["Edge"]) -> "set[Edge]":
    return {edge for edge in edges if edge.kind in EXTRACTED_KINDS}


class GraphReads(RecordReads):
    """The part of `ports.store.GraphReader` that `RecordReads` has not."""

    def has_edges(self) -> bool:
        """Whether there is any edge."""
        return bool(self._texts("SELECT src FROM edges LIMIT 1"))

    def entities(self, where: "SearchFilter", limit: int) -> tuple[str, ...]:
        """Ids of the entities that records within the filter name."""
        passes = condition(where, self._now())
        rows = f"FROM edges e CROSS JOIN records r ON r.id = e.record_id {passes.join} WHERE {passes.where}"
        return tuple(
            self._texts(
                f"SELECT e.dst {rows} AND (e.dst < 'm_' OR e.dst >= 'm`')"
                f" UNION SELECT e.src {rows} AND {_IS_ENTITY} ORDER BY 1 LIMIT ?",
                (*passes.values, *passes.values, limit),
            )
        )

    def linked(self, ends: Sequence[str], where: "SearchFilter", limit: int) -> "tuple[RecordId, ...]":
        """Records within the filter that are linked to one of the entities by any of its names, the newest first.

        An entity that more than 64 records mention is skipped. One query where no entity is known; else a second one,
        and one more for each round of aliases.
        """
        fresh = tuple(self._texts(_NAMED, (listed(dict.fromkeys(ends)),)))
        if not fresh:
            return ()
        passes = condition(where, self._now())
        joined = f"CROSS JOIN records r ON r.id = e.record_id {passes.join} WHERE {passes.where}"
        alias = f"e.kind = '{EdgeKind.ALIAS_OF.value}'"
        mentions = f"SELECT 1 FROM edges e WHERE e.dst = value AND {_IS_RECORD} LIMIT {_HUB + 1}"
        selective = f"SELECT value FROM json_each(?) WHERE (SELECT count(*) FROM ({mentions})) <= {_HUB}"
        sql = (
            f"SELECT e.dst, 0, '' FROM json_each(?) j CROSS JOIN edges e ON e.src = j.value AND {alias} {joined}"
            f" UNION ALL SELECT e.src, 0, '' FROM ({selective}) j"
            f" CROSS JOIN edges e ON e.dst = j.value AND {_IS_ENTITY} AND {alias} {joined}"
            f" UNION ALL SELECT '', r.rowid, r.id FROM ({selective}) j"
            f" CROSS JOIN edges e ON e.dst = j.value AND {_IS_RECORD} {joined}"
        )
        seen: set[str] = set()
        linked: dict[int, RecordId] = {}
        for _ in range(_ALIAS_ROUNDS):
            if not fresh:
                break
            seen.update(fresh)
            several = listed(fresh)
            rows = self._rows(sql, (several, *passes.values, several, *passes.values, several, *passes.values))
            names = cast("list[tuple[str, int, RecordId]]", rows)
            linked.update((rowid, record_id) for name, rowid, record_id in names if not name)
            fresh = tuple(sorted({end for name, *_ in names if name for end in equivalent_entities(name)} - seen))
        return tuple(linked[rowid] for rowid in sorted(linked, reverse=True)[:limit])

    def extracted_edges(self, ids: "Sequence[RecordId]") -> "dict[RecordId, tuple[Edge, ...]]":
        """The edges that name each of the records as the one they were read from."""
        edges: dict[RecordId, list[Edge]] = {}
        for edge in self._decoded(edge_of, self._rows(_OF_RECORDS, (listed(ids),))):
            edges.setdefault(cast("RecordId", edge.record_id), []).append(edge)
        return {record_id: tuple(read) for record_id, read in edges.items()}


class GraphWrites(GraphReads):
    """`ports.store.GraphWriter`."""

    def put_edges(self, edges: "Iterable[Edge]") -> None:
        """Add edges; one that exists stays."""
        self._run_many(
            "INSERT OR IGNORE INTO edges (src, dst, kind, record_id) VALUES (?, ?, ?, ?)",
            [(edge.src, edge.dst, edge.kind.value, edge.record_id or "") for edge in edges],
        )

    def drop_edges_of(self, record_id: "RecordId") -> None:
        """Remove every edge that names the record as the one it was read from."""
        self._rows("DELETE FROM edges WHERE record_id = ? AND record_id <> ''", (record_id,))

    def replace_extracted_edges(self, record_id: "RecordId", edges: "Iterable[Edge]") -> None:
        """Replace the edges of the kinds in `EXTRACTED_KINDS` that were read from a record; other kinds stay."""
        old = _extracted(self._decoded(edge_of, self._rows(_OF_RECORD, (record_id,))))
        fresh = _extracted(edges)
        if gone := old - fresh:
            self._run_many(_DROP, [(edge.src, edge.dst, edge.kind.value, edge.record_id or "") for edge in gone])
        if new := fresh - old:
            self.put_edges(new)
