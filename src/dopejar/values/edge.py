"""Edges of the graph.

Takes: names of entities and ids of records. Gives: frozen edges. Never: a belief of its own; each rests on a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dopejar.values.ids import RecordId


class EdgeKind(StrEnum):
    """The relation of one end to the other."""

    RELATES_TO = "relates_to"
    PART_OF = "part_of"
    DEPENDS_ON = "depends_on"
    REFERENCES = "references"
    USES = "uses"
    ALIAS_OF = "alias_of"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    CREATED_IN = "created_in"
    ABOUT = "about"
    COPY_OF = "copy_of"
    MAY_END = "may_end"


ENTITY_KINDS: Final = ("person", "project", "service", "tool", "file", "place", "host", "thing")
"""The kinds of entities. An entity's id is its kind, a colon, and the folded name; a `thing` is of unknown kind."""

EXTRACTED_KINDS: Final = frozenset(
    {
        EdgeKind.RELATES_TO,
        EdgeKind.REFERENCES,
        EdgeKind.PART_OF,
        EdgeKind.DEPENDS_ON,
        EdgeKind.USES,
        EdgeKind.ALIAS_OF,
    }
)
"""Kinds that are read from a record's words and change with them: a projection. `about`, `copy_of` and `may_end` are
stated by an act; `supersedes`, `contradicts` and `created_in` follow from chains, the queue, evidence: not stored."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Edge:
    """`src` and `dst` are record ids (`m_...`) or entities (`person:ana`, `project:atlas`, `tool:ruff`).

    In a proposal, an empty `src` is the record that it makes.
    """

    src: str
    dst: str
    kind: EdgeKind
    record_id: RecordId | None = None  # the record the edge was read from, and removed with


def equivalent_entities(entity: str) -> tuple[str, ...]:
    """The ids that may mean the same entity: a `thing` may be of any kind, and the other way round."""
    kind, _, name = entity.partition(":")
    kinds = ENTITY_KINDS if kind == "thing" else (kind, "thing")
    return tuple(f"{possible}:{name}" for possible in kinds)
