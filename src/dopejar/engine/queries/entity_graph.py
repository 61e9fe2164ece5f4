"""`Memory.graph`: the neighbourhood of an entity: its aliases, what it is connected with, and the records that say so.

Takes: a name or a record's id, and a view. Gives: a neighbourhood; each edge names the record and the turn that state
it. Never: changes anything, or walks over a record that may not be read in this scope.

Edges extracted from texts are stored. That one version supersedes another, that a waiting statement contradicts a
record, and where a record was made, follows from the chain, the queue and the evidence, and is read from there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.engine.arguments import checked
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

MAX_DEPTH: Final = 3
_ALIAS_ROUNDS: Final = 3
_MOST_EDGES: Final = 2000  # examined in one hop
_MOST_NAMES: Final = 20_000  # searched for a similar one
_MOST_WAITING: Final = 1000
_PLAIN_MENTIONS: Final = 20  # records that hold a name as a plain word
_SHORTEST_NAME: Final = 3
_MOST_SUGGESTIONS: Final = 5
_SUGGESTION_RATIO: Final = 0.6  # difflib's similarity of two names, from which on one is suggested
_INFORMATIVE: Final = (EdgeKind.ALIAS_OF, EdgeKind.PART_OF, EdgeKind.DEPENDS_ON, EdgeKind.USES)
_MENTIONS: Final = (EdgeKind.REFERENCES, EdgeKind.RELATES_TO)
_RANK: Final = {kind: (kind in _MENTIONS) - (kind in _INFORMATIVE) for kind in EdgeKind}


@dataclass(frozen=True, slots=True)
class _Step:
    """An edge of the walk: its distance in hops, and its end nearer to the start."""

    hops: int
    near: str
    edge: Edge

    @property
    def far(self) -> str:
        """The end that is further from the start."""
        return self.edge.dst if self.near == self.edge.src else self.edge.src

    @property
    def rank(self) -> tuple[int, int, EdgeKind, Edge]:
        """Where it is listed: by hops, then the most informative kinds first."""
        return self.hops, _RANK[self.edge.kind], self.edge.kind, self.edge


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
    """The edges around an entity.

    `known_as` are the ids of the entity and its aliases; `left_out` counts edges beyond the limit. `is_cut`: a hop had
    more edges than are examined.
    """

    asked: str
    known_as: tuple[str, ...]
    neighbours: tuple[GraphNeighbour, ...]
    left_out: int = 0
    is_cut: bool = False


def find_neighbourhood(
    view: ReadView,
    name: str,
    read_scope: ReadScope,
    now: datetime,
    *,
    depth: int = 1,
    limit: int = 100,
    also: Sequence[str] = (),
) -> Neighbourhood:
    """The edges within `depth` hops of the entities with this name, nearest and most informative first.

    `also` are further ids that the name means, such as that of the project at hand.

    Raises:
        InputError: the name is empty, or the depth is not 1 to 3.
        NotFoundError: nothing has this name; the message suggests similar names.
    """
    asked = name.strip()
    if not asked:
        raise InputError("Name an entity, such as `Postgres` or `service:billing`, or give a record's id.")
    if not 1 <= depth <= MAX_DEPTH:
        raise InputError(f"The depth must be from 1 to {MAX_DEPTH}, not {depth}.")
    walk = _Walk(view, read_scope, now)
    start = walk.resolve(asked, also)
    if not start:
        raise NotFoundError(_unknown_name_message(view, asked, read_scope))
    steps = walk.spread(start, depth)
    steps += walk.plain_mentions(start, {step.edge.record_id for step in steps})
    informative = {step.edge.record_id for step in steps if step.hops == 1 and step.edge.kind in _INFORMATIVE}
    # a record that states an informative edge need not be listed again for merely mentioning the entity
    listed = [
        step for step in steps if not (step.hops == 1 and _is_mention(step.edge) and step.edge.record_id in informative)
    ]
    listed.sort(key=lambda step: step.rank)
    shown = listed[:limit]
    citations = view.citations_of([step.edge.record_id for step in shown if step.edge.record_id is not None], 1)
    return Neighbourhood(
        asked=asked,
        known_as=start,
        neighbours=tuple(walk.neighbour(step, citations) for step in shown),
        left_out=len(listed) - len(shown),
        is_cut=walk.is_cut,
    )


def _is_mention(edge: Edge) -> bool:
    """Whether an edge only states that a record mentions its other end."""
    return edge.src == edge.record_id and edge.kind in _MENTIONS


class _Walk:
    """One walk over the readable part of the graph; every record is read once."""

    def __init__(self, view: ReadView, read_scope: ReadScope, now: datetime) -> None:
        self._view, self._read_scope, self._now = view, read_scope, now
        self._records: dict[RecordId, Record | None] = {}
        self._contradictions: list[Edge] | None = None
        self._waiting_texts: dict[str, str] = {}  # texts of waiting statements, by node
        self.is_cut = False

    def _record(self, record_id: RecordId) -> Record | None:
        self._load([record_id])
        return self._records[record_id]

    def _load(self, ids: Iterable[RecordId]) -> None:
        """Read the records that are not read yet; one that may not be read in this scope becomes None."""
        missing = tuple(dict.fromkeys(record_id for record_id in ids if record_id not in self._records))
        loaded = self._view.records(missing) if missing else {}
        for record_id in missing:
            record = loaded.get(record_id)
            is_readable = record is not None and self._read_scope.sees(record.namespace, record.scope)
            self._records[record_id] = record if is_readable else None

    def _is_valid_source(self, record_id: RecordId | None) -> bool:
        """Whether edges of this record are shown: it is active, holds now and may be read in this scope."""
        if record_id is None:
            return True
        record = self._records.get(record_id)
        return (
            record is not None
            and record.status is Status.ACTIVE
            and (record.valid_to is None or record.valid_to > self._now)
        )

    def _edges(self, nodes: Sequence[str], kinds: Sequence[EdgeKind] = ()) -> list[Edge]:
        edges = sorted(self._view.edges(nodes, kinds), key=lambda edge: (_is_mention(edge), _RANK[edge.kind]))
        self.is_cut = self.is_cut or len(edges) > _MOST_EDGES
        edges = edges[:_MOST_EDGES]
        self._load(edge.record_id for edge in edges if edge.record_id is not None)
        return [edge for edge in edges if self._is_valid_source(edge.record_id)]

    def resolve(self, name: str, also: Sequence[str]) -> tuple[str, ...]:
        """The nodes with this name: a record, or the entities of this name and of its aliases."""
        from dopejar.pipelines.graph.entities import entity_ids_for_name

        if name.startswith("m_"):
            ids = [record_id for record_id in self._view.find_record_id(name) if self._record(record_id) is not None]
            return (ids[0],) if len(ids) == 1 else ()
        candidates = dict.fromkeys((*also, *entity_ids_for_name(name)))
        known: dict[str, None] = {}
        unvisited = list(candidates)
        for _ in range(_ALIAS_ROUNDS + 1):
            edges = self._edges(unvisited)
            connected = {node for edge in edges for node in (edge.src, edge.dst)}
            known.update(dict.fromkeys(node for node in unvisited if node in connected))
            aliases = dict.fromkeys(
                node for edge in edges if edge.kind is EdgeKind.ALIAS_OF for node in (edge.src, edge.dst)
            )
            unvisited = [node for alias in aliases for node in equivalent_entities(alias) if node not in candidates]
            if not unvisited:
                break
            candidates.update(dict.fromkeys(unvisited))
        return tuple(known)

    def spread(self, start: Sequence[str], depth: int) -> list[_Step]:
        """The edges within `depth` hops of the start; each node is expanded once."""
        expanded = set(start)
        frontier = list(start)
        steps: dict[Edge, _Step] = {}
        for hops in range(1, depth + 1):
            nodes = set(frontier)
            reached: dict[str, None] = {}
            for edge in self._edges_around(frontier):
                step = _Step(hops, edge.src if edge.src in nodes else edge.dst, edge)
                steps.setdefault(edge, step)
                reached[step.far] = None
            frontier = [node for node in self._expandable(reached) if node not in expanded]
            expanded.update(frontier)
            if not frontier:
                break
        return list(steps.values())

    def plain_mentions(self, start: Sequence[str], known: Container[RecordId | None]) -> Iterator[_Step]:
        """Records that hold a name as a plain word, from which no edge is extracted: full-text search finds them."""
        where = SearchFilter(read_scope=self._read_scope, source=Source.RECORD)
        for node in start:
            kind, _, name = node.partition(":")
            terms = index_terms(name)
            if len(terms) != 1 or len(name) < _SHORTEST_NAME or kind not in ENTITY_KINDS:
                continue
            hits = self._view.lexical(terms, where, _PLAIN_MENTIONS)
            records = self._view.load_records([hit.id for hit in hits], where).values()
            self._load(record.id for record in records)
            for record in records:
                if record.id not in known and self._is_valid_source(record.id):
                    yield _Step(1, node, Edge(src=record.id, dst=node, kind=EdgeKind.RELATES_TO, record_id=record.id))

    def _expandable(self, nodes: Iterable[str]) -> Iterator[str]:
        """The nodes to walk on from; not the speaker and whole projects, which connect with nearly everything."""
        from dopejar.pipelines.graph.edges import SPEAKER

        scopes = {str(record.scope) for record in self._records.values() if record is not None}
        for node in nodes:
            if node == SPEAKER or node in scopes or node.startswith(("c_", "p_")):
                continue
            if node.startswith("m_"):
                yield node
            else:
                yield from equivalent_entities(node)

    def _edges_around(self, nodes: Sequence[str]) -> Iterator[Edge]:
        yield from self._edges(nodes)
        ids = [RecordId(node) for node in nodes if node.startswith("m_")]
        evidence = self._view.evidence_of(ids) if ids else {}
        for record_id in ids:
            record = self._record(record_id)
            if record is None:
                continue
            yield from self._edges_of_chain(record)
            yield from (edge for edge in self._contradicting() if edge.dst == record_id)
            turns = [row.episode_id for row in evidence.get(record_id, ()) if row.role is EvidenceRole.ASSERTS]
            for conversation in sorted({turn.conversation for turn in self._view.episodes(turns).values()}):
                yield Edge(src=record_id, dst=conversation, kind=EdgeKind.CREATED_IN, record_id=record_id)

    def _edges_of_chain(self, record: Record) -> Iterator[Edge]:
        if record.scope.kind == "project":
            yield Edge(src=record.id, dst=str(record.scope), kind=EdgeKind.CREATED_IN, record_id=record.id)
        earlier, later = record.supersedes, record.superseded_by
        self._load(record_id for record_id in (earlier, later) if record_id is not None)
        if earlier is not None and self._records[earlier] is not None:
            yield Edge(src=record.id, dst=earlier, kind=EdgeKind.SUPERSEDES, record_id=record.id)
        if later is not None and self._records[later] is not None:
            yield Edge(src=later, dst=record.id, kind=EdgeKind.SUPERSEDES, record_id=later)

    def _contradicting(self) -> Sequence[Edge]:
        """Edges from what waits for a person to the records that it contradicts."""
        if self._contradictions is None:
            from dopejar.values.proposal import Add, Supersede  # recall needs no proposals

            self._contradictions = []
            for proposal in self._view.proposals((ProposalState.STAGED,), _MOST_WAITING):
                payload = proposal.payload
                if not isinstance(payload, Add | Supersede):
                    continue
                draft = payload.draft
                if not self._read_scope.sees(draft.namespace, draft.scope):
                    continue
                node = str(proposal.record_id or proposal.id)
                self._waiting_texts[node] = draft.text
                self._contradictions += [
                    Edge(src=node, dst=record_id, kind=EdgeKind.CONTRADICTS)
                    for record_id in proposal.signals.conflicts_with
                ]
        return self._contradictions

    def neighbour(self, step: _Step, citations: dict[RecordId, tuple[Citation, ...]]) -> GraphNeighbour:
        """A step as it is shown."""
        edge = step.edge
        record = self._records.get(edge.record_id) if edge.record_id is not None else None
        return GraphNeighbour(
            hops=step.hops,
            kind=edge.kind,
            direction="out" if step.near == edge.src else "in",
            near=step.near,
            far=step.far,
            name=self._label(step.far),
            record_id=edge.record_id,
            text=record.text if record is not None else self._waiting_texts.get(edge.src, ""),
            citations=citations.get(edge.record_id, ()) if edge.record_id is not None else (),
        )

    def _label(self, node: str) -> str:
        record = self._records.get(RecordId(node))
        if record is not None:
            return record.text
        return self._waiting_texts.get(node) or node.partition(":")[2] or node


def _unknown_name_message(view: ReadView, asked: str, read_scope: ReadScope) -> str:
    """That nothing has this name, with similar names."""
    from difflib import get_close_matches

    entities = view.entities(SearchFilter(read_scope=read_scope, source=Source.RECORD), _MOST_NAMES)
    names: dict[str, str] = {}  # a path is also found by its last part, with and without its suffix
    for name in sorted({entity.partition(":")[2] for entity in entities}):
        last = name.rpartition("/")[2]
        names |= {last.rpartition(".")[0] or last: name, last: name}
        names[name] = name
    wanted = asked.casefold().replace(" ", "-")
    overlapping = [name for name in names if wanted in name or (len(name) >= _SHORTEST_NAME and name in wanted)]
    close = [*get_close_matches(wanted, names, _MOST_SUGGESTIONS, _SUGGESTION_RATIO), *overlapping]
    suggestions = list(dict.fromkeys(names[name] for name in close))[:_MOST_SUGGESTIONS]
    if suggestions:
        return f"No entity is called {asked!r}. Similar names: {', '.join(suggestions)}."
    return f"No entity is called {asked!r}, and no name is similar. `dopejar recall` searches the text of memories."


@checked
class EntityGraph:
    """The graph of entities, walked from a name."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def names(self, limit: int = 500) -> tuple[str, ...]:
        """The entities that active memories of any project name, as `kind:name`."""
        where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)
        with self._deps.store.read() as view:
            return view.entities(where, limit)

    def neighbourhood(
        self, entity: str, depth: int = 1, *, limit: int = 100, all_projects: bool = False, namespace: str = "prod"
    ) -> Neighbourhood:
        """The edges within `depth` hops of an entity, under any of its names, each with its source.

        Args:
            entity: a name (`Postgres`), a name with its kind (`service:billing`), a path, or a record's id.
            depth: hops, 1 to 3.
            limit: edges at most, the nearest first.
            all_projects: read every scope.
            namespace: prod, test or ephemeral.

        Raises:
            NotFoundError: nothing has this name; similar names are suggested.
        """
        read_scope = replace(ReadScope.inside(self._project, Namespace(namespace)), all_projects=all_projects)
        project = self._project
        also = (f"project:{project.id}",) if project is not None and entity in (project.id, project.label) else ()
        with self._deps.store.read() as view:
            now = self._deps.clock.now()
            return find_neighbourhood(view, entity, read_scope, now, depth=depth, limit=limit, also=also)
