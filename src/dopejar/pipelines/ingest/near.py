"""Near statements under other keys: found by words and by vectors, compared by what they say.

Takes: two extractions, or a draft and a search over records. Gives: a `Comparison`, or the records near a draft with
their wordings. Never: retires a record; it names the chain and integrity's rules decide.

Whether two statements are one is decided in one place: `same.same_statement(told, known, cosines)`, a pure function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.pipelines.ingest.atoms import Extraction, Reason
from dopejar.pipelines.ingest.compare import Comparison, Relation, Statement, compare, statement, strongest
from dopejar.pipelines.ingest.cues import cues
from dopejar.ports.embedder import Embedder
from dopejar.text.words import query_terms
from dopejar.values.embedding import EmbedderIdentity
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.recall import Hit, SearchFilter, Source
from dopejar.values.record import Draft, Evidence, EvidenceRole, Record, Status
from dopejar.values.scope import Reading

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.values.episode import Episode

NOTHING_TOLD: Final[Mapping[EpisodeId, float]] = MappingProxyType({})
_SILENT = "the later words assert nothing"


class RecordIndex(Protocol):
    """What a search for near records needs; a snapshot of the store has it."""

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms, best first."""
        ...

    def load_records(self, rowids: Sequence[int], where: SearchFilter) -> dict[int, Record]:
        """The rows as records."""
        ...

    def evidence_of(self, ids: Sequence[RecordId]) -> dict[RecordId, tuple[Evidence, ...]]:
        """What the records rest on."""
        ...


class VectorIndex(RecordIndex, Protocol):
    """What a search by vectors needs besides."""

    def nearest(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        """Cosines of the nearest vectors."""
        ...

    def similarities(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, source: Source, rowids: Sequence[int]
    ) -> dict[int, float]:
        """Cosines of the given rows."""
        ...

    def load_episodes(self, rowids: Sequence[int], where: SearchFilter) -> dict[int, Episode]:
        """The rows as episodes."""
        ...

    def resting_on(self, episodes: Sequence[EpisodeId]) -> tuple[RecordId, ...]:
        """Records with evidence in these episodes."""
        ...

    def records(self, ids: Sequence[RecordId]) -> dict[RecordId, Record]:
        """Those of the ids that exist."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbour:
    """A record near a statement, in every wording it was stated in; beside each the cosine, None where unknown."""

    record: Record
    wordings: tuple[str, ...]
    cosines: tuple[float | None, ...] = ()


def neighbour(
    record: Record, evidence: Sequence[Evidence], cosine: float | None, told: Mapping[EpisodeId, float] = NOTHING_TOLD
) -> Neighbour:
    """The record with the wordings of its evidence. `told` are cosines of the episodes they were told in."""
    beside: dict[str, float | None] = {record.text: cosine}
    for one in evidence:
        if one.role is EvidenceRole.ASSERTS and one.wording:
            known = beside.get(one.wording)
            beside[one.wording] = told.get(one.episode_id) if known is None else known
    return Neighbour(record=record, wordings=tuple(beside), cosines=tuple(beside.values()))


@dataclass(frozen=True, slots=True)
class LexicalNear:
    """Near records by their words, from the store's full-text index; what a pending act changed is not in it yet."""

    index: RecordIndex

    def near(self, draft: Draft, limit: int) -> tuple[Neighbour, ...]:
        """Active records of the draft's namespace and scope, nearest first."""
        where = _where(draft, Source.RECORD)
        hits = self.index.lexical(query_terms(draft.text), where, limit)
        found = self.index.load_records([hit.rowid for hit in hits], where)
        evidence = self.index.evidence_of([one.id for one in found.values()])
        return tuple(
            neighbour(found[hit.rowid], evidence.get(found[hit.rowid].id, ()), None)
            for hit in hits
            if hit.rowid in found
        )


@dataclass(frozen=True, slots=True)
class SemanticNear:
    """Near records by words and by vectors: of their own text, and of the episodes in which they were told."""

    index: VectorIndex
    embedder: Embedder

    def near(self, draft: Draft, limit: int) -> tuple[Neighbour, ...]:
        """Active records of the draft's namespace and scope; those near by meaning first, then those near by words."""
        vector = self.embedder.embed([draft.text])[0]
        where, identity = _where(draft, Source.RECORD), self.embedder.identity
        cosines = {hit.rowid: hit.score for hit in self.index.nearest(vector, identity, where, limit)}
        by_words = [hit.rowid for hit in self.index.lexical(query_terms(draft.text), where, limit)]
        cosines |= self.index.similarities(
            vector, identity, Source.RECORD, [row for row in by_words if row not in cosines]
        )
        loaded = self.index.load_records([*dict.fromkeys([*cosines, *by_words])], where)
        found = {one.id: (one, cosines.get(rowid)) for rowid, one in loaded.items()}
        told = self._told(vector, draft, limit)
        others = self.index.records([one for one in self.index.resting_on(tuple(told)) if one not in found])
        found |= {one.id: (one, None) for one in others.values() if _is_beside(one, draft)}
        evidence = self.index.evidence_of(list(found))
        return tuple(neighbour(one, evidence.get(one.id, ()), cosine, told) for one, cosine in found.values())

    def _told(self, vector: "npt.NDArray[np.float32]", draft: Draft, limit: int) -> dict[EpisodeId, float]:
        where = _where(draft, Source.EPISODE)
        hits = self.index.nearest(vector, self.embedder.identity, where, 2 * limit)
        episodes = self.index.load_episodes([hit.rowid for hit in hits], where)
        return {episodes[hit.rowid].id: hit.score for hit in hits if hit.rowid in episodes}


def _where(draft: Draft, source: Source) -> SearchFilter:
    return SearchFilter(reading=Reading(namespace=draft.namespace, scopes=(draft.scope,)), source=source)


def _is_beside(record: Record, draft: Draft) -> bool:
    place = (record.namespace, record.scope, record.side)
    return record.status is Status.ACTIVE and place == (draft.namespace, draft.scope, draft.side)


def relate(earlier: Extraction, later: Extraction, *, own: bool = True) -> Comparison:
    """What the later words do to the earlier ones. Not the speaker's `own` words: an update is only a conflict."""
    before = [statement(atom) for atom in earlier.atoms]
    after = [statement(atom) for atom in later.atoms]
    found = strongest([compare(old, new) for old in before for new in after])
    if found.relation is Relation.APART:
        found = _said_indirectly(before, later) or found
    if not own and found.relation is Relation.UPDATE:
        return Comparison(relation=Relation.CONFLICT, confidence=found.confidence, why="another speaker's claim")
    return found


def _said_indirectly(before: Sequence[Statement], later: Extraction) -> Comparison | None:
    """Reports with doubt leave no atom, and yet somebody should look."""
    for part in later.left_out:
        if part.reason is not Reason.REPORT or not cues("en").has("hedge.strong", part.text):
            continue
        words = set(part.text.casefold().split())
        if any(len(words & set(old.text.casefold().split())) >= 2 for old in before):
            return Comparison(relation=Relation.CONFLICT, confidence=0.5, why="a report, with doubt")
    return None
