"""What stands around an entity: its other names, what it is tied to, the records that say so.

Takes: a name or a record's id, and a view. Gives: a neighbourhood, each edge with the record and the turn that states
it. Never: changes anything, or walks over a record that may not be read here.

Edges read from words are stored. That one version supersedes another, that a waiting statement contradicts a record,
and where a record was made, is told by the chain, the queue and the evidence, and is read from there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError, NotFoundError
from dopejar.text.words import index_terms
from dopejar.values.edge import ENTITY_KINDS, Edge, EdgeKind, equivalent_entities
from dopejar.values.ids import RecordId
from dopejar.values.proposal_enums import ProposalState
from dopejar.values.recall import Citation, SearchFilter, Source
from dopejar.values.record import EvidenceRole, Record, Status
from dopejar.values.scope import Namespace, Project, ReadScope

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies
    from dopejar.ports.store import ReadView

DEEPEST: Final = 3
_ALIAS_ROUNDS: Final = 3
_MOST_EDGES: Final = 2000  # looked at in one hop
_MOST_NAMES: Final = 20_000  # looked through for a near one
_MOST_WAITING: Final = 1000
_PLAINLY: Final = 20  # records that hold a name as a plain word
_SHORTEST: Final = 2
_NEAR: Final = 5
_LIKE: Final = 0.6  # of two names, to be suggested
_TELLING: Final = (EdgeKind.ALIAS_OF, EdgeKind.PART_OF, EdgeKind.DEPENDS_ON, EdgeKind.USES)
_LEAST: Final = (EdgeKind.REFERENCES, EdgeKind.RELATES_TO)
_ORDER: Final = {kind: (kind in _LEAST) - (kind in _TELLING) for kind in EdgeKind}


@dataclass(frozen=True, kw_only=True, slots=True)
class GraphNeighbour:
    """One edge, seen from the entity. `direction` is `out` where the nearer end is its source, else `in`.

    `name` is the far end in words: an entity's name, a record's text, a conversation's id. `record_id` and `text` are
    the record that states the edge.
    """

    hops: int
    kind: EdgeKind
    direction: str
    near: str
    far: str
    name: str
    record_id: RecordId | None = None
    text: str = ""
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbourhood:
    """What stands around an entity.

    `known_as` are the ids it goes by; `left_out` counts edges beyond the limit. `is_cut`: so many edges meet on the way
    that not all of them were looked at.
    """

    asked: str
    known_as: tuple[str, ...]
    neighbours: tuple[GraphNeighbour, ...]
    left_out: int = 0
    is_cut: bool = False


def neighbourhood(
    view: ReadView,
    asked: str,
    read_scope: ReadScope,
    now: datetime,
    *,
    depth: int = 1,
    limit: int = 100,
    also: Sequence[str] = (),
) -> Neighbourhood:
    """The edges within `depth` hops of whatever is known by the name, nearest and most telling first.

    `also` are ids that the caller knows the name to mean: the project at hand.

    Raises:
        InputError: no name, or a depth that is not 1 to 3.
        NotFoundError: nothing is known by this name; the message suggests near ones.
    """
    if not asked.strip():
        raise InputError("Name an entity, such as `Postgres` or `service:billing`, or give a record's id.")
    if not 1 <= depth <= DEEPEST:
        raise InputError(f"The depth is 1 to {DEEPEST}, not {depth}.")
    walk = _Walk(view, read_scope, now)
    start = walk.start(asked.strip(), also)
    if not start:
        raise NotFoundError(_unknown(view, asked.strip(), read_scope))
    found = walk.spread(start, depth)
    found += walk.said_plainly(start, {edge.record_id for _, _, edge in found})
    told = {edge.record_id for hops, _, edge in found if hops == 1 and edge.kind in _TELLING}
    shown = [one for one in found if not (one[0] == 1 and _of_record(one[2]) and one[2].record_id in told)]
    shown.sort(key=lambda one: (one[0], _ORDER[one[2].kind], one[2].kind, one[2]))
    kept = shown[:limit]
    cited = view.citations_of([edge.record_id for _, _, edge in kept if edge.record_id is not None], 1)
    return Neighbourhood(
        asked=asked.strip(),
        known_as=start,
        neighbours=tuple(walk.neighbour(hops, near, edge, cited) for hops, near, edge in kept),
        left_out=len(shown) - len(kept),
        is_cut=walk.is_cut,
    )


def _of_record(edge: Edge) -> bool:
    """Whether an edge only says that a record mentions its other end."""
    return edge.src == edge.record_id and edge.kind in _LEAST


class _Walk:
    """One walk over what may be seen; every record is read once."""

    def __init__(self, view: ReadView, read_scope: ReadScope, now: datetime) -> None:
        self._view, self._reading, self._now = view, read_scope, now
        self._records: dict[RecordId, Record | None] = {}
        self._waiting: list[Edge] | None = None
        self._words: dict[str, str] = {}  # of waiting statements, by end
        self.is_cut = False

    def _record(self, record_id: RecordId) -> Record | None:
        self._load([record_id])
        return self._records[record_id]

    def _load(self, ids: Iterable[RecordId]) -> None:
        """Read those records that are not read yet; one that may not be read here is None."""
        fresh = tuple(dict.fromkeys(one for one in ids if one not in self._records))
        found = self._view.records(fresh) if fresh else {}
        for one in fresh:
            record = found.get(one)
            is_seen = record is not None and self._reading.sees(record.namespace, record.scope)
            self._records[one] = record if is_seen else None

    def _holds(self, record_id: RecordId | None) -> bool:
        """Whether an edge of this record may be shown: the record stands, holds now and may be read here."""
        if record_id is None:
            return True
        record = self._records.get(record_id)
        return (
            record is not None
            and record.status is Status.ACTIVE
            and (record.valid_to is None or record.valid_to > self._now)
        )

    def _edges(self, ends: Sequence[str], kinds: Sequence[EdgeKind] = ()) -> list[Edge]:
        edges = sorted(self._view.edges(ends, kinds), key=lambda one: (_of_record(one), _ORDER[one.kind]))
        self.is_cut = self.is_cut or len(edges) > _MOST_EDGES
        edges = edges[:_MOST_EDGES]
        self._load(one.record_id for one in edges if one.record_id is not None)
        return [one for one in edges if self._holds(one.record_id)]

    def start(self, asked: str, also: Sequence[str]) -> tuple[str, ...]:
        """The ids that the name is known by: a record's, or those of entities of this name and its aliases."""
        from dopejar.pipelines.graph.naming import ends_of

        if asked.startswith("m_"):
            found = [one for one in self._view.find_record_id(asked) if self._record(one) is not None]
            return (found[0],) if len(found) == 1 else ()
        ends = dict.fromkeys((*also, *ends_of(asked)))
        known: dict[str, None] = {}
        fresh = list(ends)
        for _ in range(_ALIAS_ROUNDS + 1):
            edges = self._edges(fresh)
            touched = {end for edge in edges for end in (edge.src, edge.dst)}
            known.update(dict.fromkeys(end for end in fresh if end in touched))
            aliases = [edge for edge in edges if edge.kind is EdgeKind.ALIAS_OF]
            names = dict.fromkeys(end for edge in aliases for end in (edge.src, edge.dst))
            fresh = [end for name in names for end in equivalent_entities(name) if end not in ends]
            if not fresh:
                break
            ends.update(dict.fromkeys(fresh))
        return tuple(known)

    def spread(self, start: Sequence[str], depth: int) -> list[tuple[int, str, Edge]]:
        """Edges by hops, each with its nearer end; a node is gone on from once."""
        seen = set(start)
        frontier = list(start)
        found: dict[Edge, tuple[int, str, Edge]] = {}
        for hops in range(1, depth + 1):
            here = set(frontier)
            further: dict[str, None] = {}
            for edge in self._around(frontier):
                near = edge.src if edge.src in here else edge.dst
                found.setdefault(edge, (hops, near, edge))
                further[edge.dst if near == edge.src else edge.src] = None
            frontier = [end for end in self._goes_on(further) if end not in seen]
            seen.update(frontier)
            if not frontier:
                break
        return list(found.values())

    def said_plainly(self, start: Sequence[str], known: Container[RecordId | None]) -> Iterator[tuple[int, str, Edge]]:
        """Records that hold a name as a plain word, which alone does not tell a name: full text finds them."""
        where = SearchFilter(read_scope=self._reading, source=Source.RECORD)
        for end in start:
            kind, _, name = end.partition(":")
            terms = index_terms(name)
            if len(terms) != 1 or len(name) <= _SHORTEST or kind not in ENTITY_KINDS:
                continue
            hits = self._view.lexical(terms, where, _PLAINLY)
            found = self._view.load_records([hit.id for hit in hits], where).values()
            self._load(one.id for one in found)
            for one in found:
                if one.id not in known and self._holds(one.id):
                    yield 1, end, Edge(src=one.id, dst=end, kind=EdgeKind.RELATES_TO, record_id=one.id)

    def _goes_on(self, ends: Iterable[str]) -> Iterator[str]:
        """The ends to walk on from; the speaker and whole projects are tied to nearly everything."""
        from dopejar.pipelines.graph.edges import SPEAKER

        scopes = {str(one.scope) for one in self._records.values() if one is not None}
        for end in ends:
            if end == SPEAKER or end in scopes or end.startswith(("c_", "p_")):
                continue
            if end.startswith("m_"):
                yield end
            else:
                yield from equivalent_entities(end)

    def _around(self, ends: Sequence[str]) -> Iterator[Edge]:
        yield from self._edges(ends)
        ids = [RecordId(end) for end in ends if end.startswith("m_")]
        rests_on = self._view.evidence_of(ids) if ids else {}
        for record_id in ids:
            record = self._record(record_id)
            if record is not None:
                yield from self._told_by_chain(record)
                yield from (one for one in self._contradicting() if one.dst == record_id)
                turns = [one.episode_id for one in rests_on.get(record_id, ()) if one.role is EvidenceRole.ASSERTS]
                spoken = {one.conversation for one in self._view.episodes(turns).values()}
                for place in sorted(spoken):
                    yield Edge(src=record_id, dst=place, kind=EdgeKind.CREATED_IN, record_id=record_id)

    def _told_by_chain(self, record: Record) -> Iterator[Edge]:
        if record.scope.kind == "project":
            yield Edge(src=record.id, dst=str(record.scope), kind=EdgeKind.CREATED_IN, record_id=record.id)
        self._load(one for one in (record.supersedes, record.superseded_by) if one is not None)
        if record.supersedes is not None and self._records[record.supersedes] is not None:
            yield Edge(src=record.id, dst=record.supersedes, kind=EdgeKind.SUPERSEDES, record_id=record.id)
        later = record.superseded_by
        if later is not None and self._records[later] is not None:
            yield Edge(src=later, dst=record.id, kind=EdgeKind.SUPERSEDES, record_id=later)

    def _contradicting(self) -> Sequence[Edge]:
        """What waits for a person because it contradicts a record."""
        if self._waiting is None:
            from dopejar.values.proposal import Add, Supersede  # recall looks at no proposal

            self._waiting = []
            for one in self._view.proposals((ProposalState.STAGED,), _MOST_WAITING):
                payload = one.payload
                if not isinstance(payload, Add | Supersede) or not self._reading.sees(
                    payload.draft.namespace, payload.draft.scope
                ):
                    continue
                end = str(one.record_id or one.id)
                self._words[end] = payload.draft.text
                self._waiting += [Edge(src=end, dst=to, kind=EdgeKind.CONTRADICTS) for to in one.signals.conflicts_with]
        return self._waiting

    def neighbour(self, hops: int, near: str, edge: Edge, cited: dict[RecordId, tuple[Citation, ...]]) -> GraphNeighbour:
        """An edge as it is shown."""
        far = edge.dst if near == edge.src else edge.src
        record = self._records.get(edge.record_id) if edge.record_id is not None else None
        return GraphNeighbour(
            hops=hops,
            kind=edge.kind,
            direction="out" if near == edge.src else "in",
            near=near,
            far=far,
            name=self._name(far),
            record_id=edge.record_id,
            text=record.text if record is not None else self._words.get(edge.src, ""),
            citations=cited.get(edge.record_id, ()) if edge.record_id is not None else (),
        )

    def _name(self, end: str) -> str:
        record = self._records.get(RecordId(end))
        if record is not None:
            return record.text
        return self._words.get(end) or (end.partition(":")[2] or end)


def _unknown(view: ReadView, asked: str, read_scope: ReadScope) -> str:
    """That nothing is known, and which names are near."""
    from difflib import get_close_matches

    known = view.entities(SearchFilter(read_scope=read_scope, source=Source.RECORD), _MOST_NAMES)
    names: dict[str, str] = {}  # of a path also its last part, with and without its ending
    for name in sorted({one.partition(":")[2] for one in known}):
        last = name.rpartition("/")[2]
        names |= {last.rpartition(".")[0] or last: name, last: name}
        names[name] = name
    wanted = asked.casefold().replace(" ", "-")
    within = [one for one in names if wanted in one or (len(one) > 2 and one in wanted)]
    close = [*get_close_matches(wanted, names, _NEAR, _LIKE), *within]
    near = list(dict.fromkeys(names[one] for one in close))[:_NEAR]
    if near:
        return f"Nothing is known of {asked!r}. Near it: {', '.join(near)}."
    return f"Nothing is known of {asked!r}, and no name is near. `dopejar recall` searches the words themselves."


class EntityGraph:
    """The graph of entities, walked from a name."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def neighbourhood(
        self, entity: str, depth: int = 1, *, limit: int = 100, all_projects: bool = False, namespace: str = "prod"
    ) -> Neighbourhood:
        """What stands within `depth` hops of an entity, under any of its names, each edge with its source.

        Args:
            entity: a name (`Postgres`), a name with its kind (`service:billing`), a path, or a record's id.
            depth: hops, 1 to 3.
            limit: edges at most, the nearest first.
            all_projects: read every scope.
            namespace: prod, test or ephemeral.

        Raises:
            NotFoundError: nothing is known by this name; near ones are suggested.
        """
        read_scope = replace(ReadScope.inside(self._project, Namespace(namespace)), all_projects=all_projects)
        project = self._project
        also = (f"project:{project.id}",) if project is not None and entity in (project.id, project.label) else ()
        with self._deps.store.read() as view:
            now = self._deps.clock.now()
            return neighbourhood(view, entity, read_scope, now, depth=depth, limit=limit, also=also)
