"""Edges, and the records that they lead to.

Takes: ends, filters and edges. Gives: edges, entities, ids of linked records. Never: shows what an edge of a hidden
record says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dopejar.adapters.in_memory.search import SearchReads, SearchWrites
from dopejar.adapters.in_memory.search_filters import may_return
from dopejar.values.edge import EXTRACTED_KINDS, Edge, EdgeKind, equivalent_entities
from dopejar.values.ids import RecordId
from dopejar.values.recall import SearchFilter

_MOST_HOPS: Final = 3
_HUB: Final = 64  # records; what more of them mention tells nothing about which one is meant
_ALIAS_ROUNDS: Final = 3  # of names that stand for names


class GraphReads(SearchReads):
    """`ports.store.GraphReader`."""

    def _touching(self, end: str) -> set[Edge]:
        return {*self._tables.edges.keys_at("src", end), *self._tables.edges.keys_at("dst", end)}

    def edges(self, ends: Sequence[str], kinds: Sequence[EdgeKind] = ()) -> tuple[Edge, ...]:
        """Edges that touch any of the ends."""
        touching = {edge for end in ends for edge in self._touching(end) if not kinds or edge.kind in kinds}
        return tuple(sorted(touching, key=_place))

    def extracted_edges(self, ids: Sequence[RecordId]) -> dict[RecordId, tuple[Edge, ...]]:
        """The edges that name each of the records as the one they were read from."""
        edges = {record_id: tuple(self._tables.edges.keys_at("record", record_id)) for record_id in ids}
        return {record_id: extracted for record_id, extracted in edges.items() if extracted}

    def neighbourhood(self, start: str, hops: int, limit: int) -> tuple[Edge, ...]:
        """Edges within so many hops of an end (at most 3), nearest first."""
        depths: dict[Edge, int] = {}
        seen, frontier = {start}, {start}
        for depth in range(min(hops, _MOST_HOPS)):
            reached = {edge for end in frontier for edge in self._touching(end)}
            for edge in reached:
                depths.setdefault(edge, depth)
            frontier = {end for edge in reached for end in (edge.src, edge.dst)} - seen
            seen |= frontier
        return tuple(sorted(depths, key=lambda edge: (depths[edge], _place(edge)))[:limit])

    def has_edges(self) -> bool:
        """Whether there is any edge."""
        return len(self._tables.edges) > 0

    def entities(self, where: SearchFilter, limit: int) -> tuple[str, ...]:
        """Ids of the entities that records within the filter name."""
        edges = [edge for edge in self._tables.edges if self._is_visible(edge, where)]
        return tuple(sorted({end for edge in edges for end in (edge.src, edge.dst) if not _is_record(end)})[:limit])

    def linked(self, ends: Sequence[str], where: SearchFilter, limit: int) -> tuple[RecordId, ...]:
        """Records within the filter that are linked to one of the entities by any of its names, the newest first.

        An entity that more than 64 records mention is passed over.
        """
        edges = self._tables.edges
        fresh = {end for end in ends if edges.count_at("dst", end)}
        seen: set[str] = set()
        records: set[RecordId] = set()
        for _ in range(_ALIAS_ROUNDS):
            seen |= fresh
            names: set[str] = set()
            for end in fresh:
                names.update(edge.dst for edge in edges.at("src", end) if self._is_alias(edge, where))
                leading_here = edges.at("dst", end)
                if sum(_is_record(edge.src) for edge in leading_here) > _HUB:
                    continue
                names.update(edge.src for edge in leading_here if self._is_alias(edge, where))
                records.update(
                    edge.record_id
                    for edge in leading_here
                    if edge.record_id is not None and _is_record(edge.src) and self._is_visible(edge, where)
                )
            fresh = {end for name in names for end in equivalent_entities(name)} - seen
        return tuple(sorted(records, key=self._tables.records.number, reverse=True)[:limit])

    def _is_alias(self, edge: Edge, where: SearchFilter) -> bool:
        return edge.kind is EdgeKind.ALIAS_OF and not _is_record(edge.src) and self._is_visible(edge, where)

    def _is_visible(self, edge: Edge, where: SearchFilter) -> bool:
        return edge.record_id is not None and may_return(self._tables, edge.record_id, where, self._now())


class GraphWrites(GraphReads, SearchWrites):
    """`ports.store.GraphWriter`."""

    def put_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges; one that exists stays."""
        for edge in edges:
            if edge not in self._tables.edges:
                self._tables.edges.put(edge, edge)

    def replace_extracted_edges(self, record_id: RecordId, edges: Iterable[Edge]) -> None:
        """Replace the edges of the kinds in `EXTRACTED_KINDS` that were read from a record; other kinds stay."""
        fresh = {edge for edge in edges if edge.kind in EXTRACTED_KINDS}
        for edge in self._tables.edges.keys_at("record", record_id):
            if edge.kind in EXTRACTED_KINDS and edge not in fresh:
                self._tables.edges.drop(edge)
        self.put_edges(sorted(fresh, key=_place))

    def drop_edges_of(self, record_id: RecordId) -> None:
        """Remove every edge that names the record as the one it was read from."""
        for edge in self._tables.edges.keys_at("record", record_id):
            self._tables.edges.drop(edge)


def _is_record(end: str) -> bool:
    return end.startswith("m_")


def _place(edge: Edge) -> tuple[str, str, str, str]:
    return edge.src, edge.dst, edge.kind.value, edge.record_id or ""
