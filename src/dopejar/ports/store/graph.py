"""The graph: edges between records and entities, and what they lead to.

Takes: ends (record ids, or entities as `kind:name`) and filters. Gives: edges, entities, record ids. Never: reads an
edge from words, or shows a record that the filter hides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol
from dopejar.values.ids import RecordId
from dopejar.values.recall import SearchFilter

if TYPE_CHECKING:  # annotations only: recall loads no module that it does not call
    from dopejar.values.edge import Edge, EdgeKind


class GraphReader(Protocol):
    """Reads the graph. Edges come as stored: the caller checks whether an edge's record may be shown."""

    def edges(self, ends: Sequence[str], kinds: Sequence[EdgeKind] = ()) -> tuple[Edge, ...]:
        """Edges that touch any of the ends."""

    def extracted_edges(self, ids: Sequence[RecordId]) -> dict[RecordId, tuple[Edge, ...]]:
        """The edges that name each of the records as the one they were read from."""

    def neighbourhood(self, start: str, hops: int, limit: int) -> tuple[Edge, ...]:
        """Edges within so many hops of an end (at most 3), nearest first."""

    def has_edges(self) -> bool:
        """Whether there is any edge."""

    def entities(self, where: SearchFilter, limit: int) -> tuple[str, ...]:
        """Ids of the entities that records within the filter name."""

    def linked(self, ends: Sequence[str], where: SearchFilter, limit: int) -> tuple[RecordId, ...]:
        """Records within the filter that are linked to one of the entities by any of its names, the newest first."""


class GraphWriter(Protocol):
    """Writes edges. `memory.commit` alone calls it."""

    def put_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges; one that exists stays."""

    def replace_extracted_edges(self, record_id: RecordId, edges: Iterable[Edge]) -> None:
        """Replace the edges of the kinds in `EXTRACTED_KINDS` that were read from a record; other kinds stay."""

    def drop_edges_of(self, record_id: RecordId) -> None:
        """Remove every edge that names the record as the one it was read from."""
