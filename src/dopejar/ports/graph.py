"""The graph's part of the store: edges between records and entities, and what they lead to.

Takes: ends (record ids, or entities as `kind:name`) and filters. Gives: edges, entities, record ids. Never: decides, or
shows what a filter hides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import RecordId
from dopejar.values.recall import SearchFilter
from dopejar.values.record import Record

EdgeReader = Callable[[Record], Sequence[Edge]]
"""Reads a record's edges from its words. A store is opened with one and keeps edges in step with records by it."""


class GraphReader(Protocol):
    """Reading the graph. Edges come as stored: who shows one looks first whether its record may be seen."""

    def edges(self, ends: Sequence[str], kinds: Sequence[EdgeKind] = ()) -> tuple[Edge, ...]:
        """Edges that touch any of the ends."""
        ...

    def neighbourhood(self, start: str, hops: int, limit: int) -> tuple[Edge, ...]:
        """Edges within so many hops of an end (at most 3), nearest first."""
        ...

    def has_edges(self) -> bool:
        """Whether anything is linked at all."""
        ...

    def entities(self, where: SearchFilter, limit: int) -> tuple[str, ...]:
        """Ids of the entities that records within the filter name."""
        ...

    def linked(self, ends: Sequence[str], where: SearchFilter, limit: int) -> tuple[RecordId, ...]:
        """Records within the filter that are linked to one of the entities by any of its names, the newest first."""
        ...
