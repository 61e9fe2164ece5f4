"""Near statements under other keys: found by words and by vectors, told apart by what they say.

Takes: two extractions, or a draft and a search over records. Gives: a `Comparison`, or the records near a draft with
their wordings. Never: retires a record; it names the chain and integrity's rules decide.

Vectors find what is about the same; vectors of another kind tell of the nearest whether they say the same. Whether
two statements are one is decided in one place: `sameness.same_statement(told, known, nearness)`, a pure function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.pipelines.ingest.atoms import Extraction, Reason
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.integrity.comparison import Comparison, Relation, Statement, compare, statement, strongest
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness
from dopejar.pipelines.ingest.paraphrase.trait_weights import weighing_of
from dopejar.ports.embedder import Embedder, EmbedderIdentity
from dopejar.text.code_languages import code_languages
from dopejar.text.normalisation import content_hash
from dopejar.text.words import query_terms
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.recall import Hit, SearchFilter, Source
from dopejar.values.record import Draft, Evidence, EvidenceRole, Record, Status
from dopejar.values.scope import UNIVERSAL, ReadScope, Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.values.episode import Episode

NOTHING_TOLD: Final[Mapping[EpisodeId, float]] = MappingProxyType({})
NO_TEXTS: Final[Mapping[EpisodeId, str]] = MappingProxyType({})
_SILENT = "the later words assert nothing"


class RecordIndex(Protocol):
    """What a search for near records needs; a snapshot of the store has it."""

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms, best first."""
        ...

    def load_records(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Record]:
        """The records with these ids that the filter allows."""
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
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> dict[str, float]:
        """Cosines of the records or episodes with these ids."""
        ...

    def load_episodes(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Episode]:
        """The episodes with these ids that the filter allows."""
        ...

    def resting_on(self, episodes: Sequence[EpisodeId]) -> tuple[RecordId, ...]:
        """Records with evidence in these episodes."""
        ...

    def records(self, ids: Sequence[RecordId]) -> dict[RecordId, Record]:
        """Those of the ids that exist."""
        ...


_ABOUT_THE_SAME: Final = 0.25  # cosine; a record further off is not asked what it says
_RECORDS: Final = 6  # that are asked
_WORDINGS: Final = 8  # of each, those it was first told in
_BY_WORDS: Final = 5  # by words alone the first few tell; each more is compared and tells nothing new


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbour:
    """A record near a statement, in every wording it was stated in.

    Beside each stands how near it is in meaning, None where that is not known.
    """

    record: Record
    wordings: tuple[str, ...]
    nearness: tuple[Nearness | None, ...] = ()


def _wordings(
    record: Record,
    evidence: Sequence[Evidence],
    cosine: float | None,
    told: Mapping[EpisodeId, float] = NOTHING_TOLD,
    texts: Mapping[EpisodeId, str] = NO_TEXTS,
) -> dict[str, float | None]:
    """The wordings of a record's evidence, those with whole `texts` in these, each with its cosine.

    `told` are cosines of the episodes that they were told in.
    """
    beside: dict[str, float | None] = {record.text: cosine}
    for one in evidence:
        wording = texts.get(one.episode_id, one.wording)
        if one.role is EvidenceRole.ASSERTS and wording:
            known = beside.get(wording)
            beside[wording] = told.get(one.episode_id) if known is None else known
    return beside


@dataclass(frozen=True, slots=True)
class LexicalNear:
    """Near records by their words, from the store's full-text index; what a pending act changed is not in it yet."""

    index: RecordIndex

    def near(self, draft: Draft, limit: int) -> tuple[Neighbour, ...]:
        """Active records of the draft's namespace and scope, nearest first."""
        where = _where(draft, Source.RECORD)
        hits = self.index.lexical(query_terms(draft.text), where, min(limit, _BY_WORDS))
        found = self.index.load_records([hit.id for hit in hits], where)
        evidence = self.index.evidence_of([one.id for one in found.values()])
        records = [found[hit.id] for hit in hits if hit.id in found]
        return tuple(
            Neighbour(record=one, wordings=tuple(_wordings(one, evidence.get(one.id, ()), None))) for one in records
        )

    def find_by_whole_text(self, draft: Draft, limit: int) -> tuple[Neighbour, ...]:
        """None: a whole text is compared by meaning."""
        return ()

    def nearness(self, told: str, known: Sequence[str]) -> tuple[Nearness | None, ...]:
        """None for each: words alone are compared."""
        return tuple(None for _ in known)


@dataclass(frozen=True, slots=True)
class SemanticNear:
    """Near records by words and by vectors: of their own text, and of the episodes in which they were told."""

    index: VectorIndex
    embedder: Embedder
    paraphrase_embedder: Embedder
    text: str = ""  # all that is told
    vectors: dict[str, "npt.NDArray[np.float32]"] = field(default_factory=dict, compare=False, repr=False)

    def near(self, draft: Draft, limit: int) -> tuple[Neighbour, ...]:
        """Active records of the draft's namespace and scope; those near by meaning first, then those near by words."""
        return self._around(draft, draft.text, limit, (draft.scope,), whole=False)

    def find_by_whole_text(self, draft: Draft, limit: int) -> tuple[Neighbour, ...]:
        """The records near to all that is told, each in the whole texts that it was told in.

        What holds for one programming language and what holds everywhere stand side by side: people name the language
        in one wording and leave it out in the next.
        """
        return self._around(draft, self.text, limit, _scopes(draft, self.text), whole=True) if self.text else ()

    def nearness(self, told: str, known: Sequence[str]) -> tuple[Nearness | None, ...]:
        """How near in meaning a text is to each of the others."""
        about = [float(self._vector(told) @ self._vector(one)) for one in known]
        weighing = weighing_of(self.paraphrase_embedder.identity.name)
        return tuple(Nearness(*one, weighing) for one in zip(about, self._says(told, known), strict=True))

    def _says(self, told: str, known: Sequence[str]) -> list[float]:
        if not known:
            return []
        mine, *theirs = self.paraphrase_embedder.embed([told, *known])
        return [float(mine @ one) for one in theirs]

    def _vector(self, text: str) -> "npt.NDArray[np.float32]":
        """The vector of a text, embedded once; closing punctuation makes no other text."""
        mark = content_hash(text)
        if mark not in self.vectors:
            self.vectors[mark] = self.embedder.embed([text])[0]
        return self.vectors[mark]

    def _around(
        self, draft: Draft, text: str, limit: int, scopes: tuple[Scope, ...], *, whole: bool
    ) -> tuple[Neighbour, ...]:
        vector, where, identity = self._vector(text), _where(draft, Source.RECORD, scopes), self.embedder.identity
        cosines = {hit.id: hit.score for hit in self.index.nearest(vector, identity, where, limit)}
        by_words = [hit.id for hit in self.index.lexical(query_terms(draft.text), where, limit)]
        cosines |= self.index.similarities(
            vector, identity, Source.RECORD, [one for one in by_words if one not in cosines]
        )
        loaded = self.index.load_records([*dict.fromkeys([*cosines, *by_words])], where)
        found = {one.id: (one, cosines.get(one.id)) for one in loaded.values()}
        told = self._told(vector, _where(draft, Source.EPISODE, scopes), 2 * limit)
        others = self.index.records([one for one in self.index.resting_on(tuple(told)) if one not in found])
        found |= {one.id: (one, None) for one in others.values() if _is_beside(one, draft, scopes)}
        evidence = self.index.evidence_of(list(found))
        texts = {mark: text for mark, (_, text) in told.items()} if whole else {}
        near = {mark: cosine for mark, (cosine, _) in told.items()}
        return self._asked(
            text,
            [(one, _wordings(one, evidence.get(one.id, ()), cosine, near, texts)) for one, cosine in found.values()],
        )

    def _asked(self, text: str, found: Sequence[tuple[Record, dict[str, float | None]]]) -> tuple[Neighbour, ...]:
        """The records, nearest first; of the nearest it is known how near each of their first wordings is.

        What a record says is what it was first told to say: a stray wording that it took in later draws in nothing.
        """
        ranked = sorted(((_best(beside), record, beside) for record, beside in found), key=lambda one: -one[0])
        near = [beside for best, _, beside in ranked[:_RECORDS] if best >= _ABOUT_THE_SAME]
        asked = dict.fromkeys(one for beside in near for one in islice(beside, _WORDINGS))
        about = {one: cosine for beside in near for one, cosine in beside.items() if cosine is not None}
        missing = [one for one in asked if one not in about]
        if missing:
            about.update(zip(missing, map(float, self.embedder.embed(missing) @ self._vector(text)), strict=True))
        says = dict(zip(asked, self._says(text, [*asked]), strict=True))
        weighing = weighing_of(self.paraphrase_embedder.identity.name)
        nearness = {one: Nearness(about[one], cosine, weighing) for one, cosine in says.items()}
        return tuple(
            Neighbour(record=record, wordings=tuple(beside), nearness=tuple(map(nearness.get, beside)))
            for _, record, beside in ranked
        )

    def _told(
        self, vector: "npt.NDArray[np.float32]", where: SearchFilter, limit: int
    ) -> dict[EpisodeId, tuple[float, str]]:
        hits = self.index.nearest(vector, self.embedder.identity, where, limit)
        episodes = self.index.load_episodes([hit.id for hit in hits], where)
        return {episodes[hit.id].id: (hit.score, episodes[hit.id].text) for hit in hits if hit.id in episodes}


def _best(beside: Mapping[str, float | None]) -> float:
    return max((cosine for cosine in beside.values() if cosine is not None), default=-1.0)


def _where(draft: Draft, source: Source, scopes: tuple[Scope, ...] = ()) -> SearchFilter:
    return SearchFilter(read_scope=ReadScope(namespace=draft.namespace, scopes=scopes or (draft.scope,)), source=source)


def _scopes(draft: Draft, text: str) -> tuple[Scope, ...]:
    """Where else the same may stand: everywhere, and with the languages that are named; a project stays by itself."""
    if draft.scope.kind == "project":
        return (draft.scope,)
    return tuple(dict.fromkeys((UNIVERSAL, draft.scope, *map(Scope.language, code_languages(text)))))


def _is_beside(record: Record, draft: Draft, scopes: tuple[Scope, ...]) -> bool:
    is_near = record.namespace == draft.namespace and record.scope in scopes and record.side == draft.side
    return record.status is Status.ACTIVE and is_near


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
