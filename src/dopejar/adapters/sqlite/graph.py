"""The graph: edges that follow their record, and what is linked to an entity.

Takes: ends, filters, and the function that reads a record's edges. Gives: entities, rows of linked records, edges in
step with their records. Never: shows what an edge of a hidden record says.

Edges of the kinds in `READ_FROM_WORDS` are a projection, as full text is: written with the record in one transaction,
dropped and read anew by a repair. A store that was opened without a reader leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import edge_of, record_of
from dopejar.adapters.sqlite.filters import condition
from dopejar.adapters.sqlite.records import RECORD_COLUMNS, RecordReads
from dopejar.adapters.sqlite.session import listed
from dopejar.ports.store import Fault
from dopejar.values.edge import EXTRACTED_KINDS, EdgeKind, equivalent_entities

if TYPE_CHECKING:
    from dopejar.ports.graph import EdgeReader
    from dopejar.values.edge import Edge
    from dopejar.values.ids import RecordId
    from dopejar.values.recall import SearchFilter
    from dopejar.values.record import Record

EDGES: Final = "edges"  # what a fault of this projection is about
_HUB: Final = 64  # records; what more of them mention tells nothing about which one is meant
_ALIAS_ROUNDS: Final = 3  # of names that stand for names
_PAGE: Final = 1000
_SHOWN: Final = 5
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
_PAGE_OF_RECORDS: Final = (
    f"SELECT r.rowid, {RECORD_COLUMNS} FROM records r WHERE r.rowid > ? ORDER BY r.rowid LIMIT {_PAGE}"
)


def _read(edges: Iterable["Edge"]) -> "set[Edge]":
    return {edge for edge in edges if edge.kind in EXTRACTED_KINDS}


class GraphReads(RecordReads):
    """The part of `ports.store.RecordReader` that follows edges to what may be shown."""

    def has_edges(self) -> bool:
        """Whether anything is linked at all."""
        return bool(self._texts("SELECT src FROM edges LIMIT 1"))

    def entities(self, where: "SearchFilter", limit: int) -> tuple[str, ...]:
        """Ids of the entities that records within the filter name."""
        must = condition(where, self._now())
        rows = f"FROM edges e CROSS JOIN records r ON r.id = e.record_id {must.join} WHERE {must.where}"
        return tuple(
            self._texts(
                f"SELECT e.dst {rows} AND (e.dst < 'm_' OR e.dst >= 'm`')"
                f" UNION SELECT e.src {rows} AND {_IS_ENTITY} ORDER BY 1 LIMIT ?",
                (*must.values, *must.values, limit),
            )
        )

    def linked(self, ends: Sequence[str], where: "SearchFilter", limit: int) -> "tuple[RecordId, ...]":
        """Records within the filter that are linked to one of the entities by any of its names, the newest first.

        An entity that more than 64 records mention is passed over. One query where nothing is known of any; a second
        one else, and one more for each round of aliases.
        """
        fresh = tuple(self._texts(_NAMED, (listed(dict.fromkeys(ends)),)))
        if not fresh:
            return ()
        must = condition(where, self._now())
        joined = f"CROSS JOIN records r ON r.id = e.record_id {must.join} WHERE {must.where}"
        alias = f"e.kind = '{EdgeKind.ALIAS_OF.value}'"
        mentions = f"SELECT 1 FROM edges e WHERE e.dst = value AND {_IS_RECORD} LIMIT {_HUB + 1}"
        telling = f"SELECT value FROM json_each(?) WHERE (SELECT count(*) FROM ({mentions})) <= {_HUB}"
        sql = (
            f"SELECT e.dst, 0, '' FROM json_each(?) j CROSS JOIN edges e ON e.src = j.value AND {alias} {joined}"
            f" UNION ALL SELECT e.src, 0, '' FROM ({telling}) j"
            f" CROSS JOIN edges e ON e.dst = j.value AND {_IS_ENTITY} AND {alias} {joined}"
            f" UNION ALL SELECT '', r.rowid, r.id FROM ({telling}) j"
            f" CROSS JOIN edges e ON e.dst = j.value AND {_IS_RECORD} {joined}"
        )
        seen: set[str] = set()
        linked: dict[int, RecordId] = {}
        for _ in range(_ALIAS_ROUNDS):
            if not fresh:
                break
            seen.update(fresh)
            several = listed(fresh)
            rows = self._rows(sql, (several, *must.values, several, *must.values, several, *must.values))
            names = cast("list[tuple[str, int, RecordId]]", rows)
            linked.update((rowid, record_id) for name, rowid, record_id in names if not name)
            fresh = tuple(sorted({end for name, *_ in names if name for end in equivalent_entities(name)} - seen))
        return tuple(linked[rowid] for rowid in sorted(linked, reverse=True)[:limit])

    def edge_faults(self, read: "EdgeReader") -> Iterator[Fault]:
        """Records whose edges are not what their words say."""
        wrong = [record.id for record, fresh, old in self._edges_in_step(read) if fresh != old]
        if wrong:
            shown = ", ".join(wrong[:_SHOWN]) + (", ..." if len(wrong) > _SHOWN else "")
            words = "records whose edges are not what their words say"
            yield Fault(what=EDGES, detail=f"{len(wrong)} {words}: {shown}", repairable=True)

    def _edges_in_step(self, read: "EdgeReader") -> "Iterator[tuple[Record, set[Edge], set[Edge]]]":
        """Every record with the edges that its words say and those that are stored."""
        last = 0
        while rows := self._rows(_PAGE_OF_RECORDS, (last,)):
            last = cast("int", rows[-1][0])
            records = [record_of(row[1:]) for row in rows]
            stored: dict[RecordId | None, set[Edge]] = {}
            for row in self._rows(_OF_RECORDS, (listed([record.id for record in records]),)):
                edge = edge_of(row)
                if edge.kind in EXTRACTED_KINDS:
                    stored.setdefault(edge.record_id, set()).add(edge)
            for record in records:
                yield record, _read(read(record)), stored.get(record.id, set())


class GraphWrites(GraphReads):
    """The part of `ports.store.WriteTransaction` that keeps edges in step with their records."""

    edge_reader: "EdgeReader | None" = None

    def put_edges(self, edges: "Iterable[Edge]") -> None:
        """Add edges; one that is there stays."""
        self._run_many(
            "INSERT OR IGNORE INTO edges (src, dst, kind, record_id) VALUES (?, ?, ?, ?)",
            [(edge.src, edge.dst, edge.kind.value, edge.record_id or "") for edge in edges],
        )

    def drop_edges_of(self, record_id: "RecordId") -> None:
        """Remove the edges that were read from a record."""
        self._rows("DELETE FROM edges WHERE record_id = ? AND record_id <> ''", (record_id,))

    def _renew_edges(self, record: "Record", *, is_new: bool) -> None:
        """Bring the edges of a record in step with its words and its status."""
        if self.edge_reader is None:
            return
        old = set() if is_new else _read(edge_of(row) for row in self._rows(_OF_RECORD, (record.id,)))
        self._replace_edges(old, _read(self.edge_reader(record)))

    def _replace_edges(self, old: "set[Edge]", fresh: "set[Edge]") -> None:
        gone, new = old - fresh, fresh - old
        if gone:
            self._run_many(_DROP, [(one.src, one.dst, one.kind.value, one.record_id or "") for one in gone])
        if new:
            self.put_edges(new)

    def rebuild_edges(self) -> int:
        """Read the edges of every record anew; how many records had others. 0 where no reader was given."""
        self._rows("DELETE FROM edges WHERE record_id <> '' AND record_id NOT IN (SELECT id FROM records)")
        if self.edge_reader is None:
            return 0
        wrong = [(old, fresh) for _, fresh, old in self._edges_in_step(self.edge_reader) if fresh != old]
        for old, fresh in wrong:
            self._replace_edges(old, fresh)
        return len(wrong)
