"""Searching by words (BM25) and by vectors (exact cosines), and the outbox.

Takes: terms, unit vectors and a filter. Gives: hits, best first. Never: returns what the filter forbids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Final

from dopejar.adapters.in_memory.episodes import EpisodeReads, EpisodeWrites
from dopejar.adapters.in_memory.search_filters import allows_episode, may_return, record_as_filtered
from dopejar.adapters.in_memory.tables import EmbedderKey, TermCounts
from dopejar.adapters.store_errors import require_dimensions
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.ports.store import Outbox, UnindexedText, Vector
from dopejar.values.episode import Episode
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.recall import Hit, SearchFilter, Source
from dopejar.values.record import Record, RecordBrief, Status

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.in_memory.table import Table
    from dopejar.adapters.in_memory.tables import Matrix

_K1: Final = 1.2
_B: Final = 0.75
_LEAST_WEIGHT: Final = 1e-6  # of a term that stands in more than half of the texts


class SearchReads(EpisodeReads):
    """`ports.store.SearchReader`."""

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms (any may match), filtered before ranking: the highest score, then the oldest."""
        index = self._terms_of(where.source)
        if limit < 1 or not len(index):
            return ()
        average = sum(row.length for row in index.values()) / len(index)
        scores: dict[str, float] = {}
        for term in dict.fromkeys(terms):
            owners = index.keys_at("term", term)
            weight = max(log((len(index) - len(owners) + 0.5) / (len(owners) + 0.5)), _LEAST_WEIGHT) if owners else 0.0
            for owner_id in owners:
                row = index.get(owner_id)
                if row is not None:
                    scores[owner_id] = scores.get(owner_id, 0.0) + weight * _saturation(row, term, average)
        return self._best(scores, where, limit)

    def _terms_of(self, source: Source) -> Table[str, TermCounts]:
        return self._tables.record_terms if source is Source.RECORD else self._tables.episode_terms

    def terms_from(self, prefix: str, source: Source, limit: int = -1) -> tuple[str, ...]:
        """The terms of the full-text index that begin with the prefix, in order; at most `limit` of them."""
        terms = {term for row in self._terms_of(source).values() for term in row.counts if term.startswith(prefix)}
        return tuple(sorted(terms)[: limit if limit >= 0 else None])

    def _best(self, scores: Mapping[str, float], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """The first hits that the filter lets through: the highest score, then the oldest."""
        hits: list[Hit] = []
        now = self._now()
        for owner_id in sorted(scores, key=lambda owner_id: (-scores[owner_id], self._number(where.source, owner_id))):
            if may_return(self._tables, owner_id, where, now):
                hits.append(Hit(id=owner_id, score=scores[owner_id]))
                if len(hits) == limit:
                    break
        return tuple(hits)

    def _number(self, source: Source, owner_id: str) -> int:
        if source is Source.RECORD:
            return self._tables.records.number(RecordId(owner_id))
        return self._tables.episodes.number(EpisodeId(owner_id))

    def nearest(
        self, vector: npt.NDArray[np.float32], embedder: EmbedderIdentity, where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        """Cosines of the nearest vectors of the same embedder, filtered before ranking; raises as `similarities`."""
        require_dimensions(vector.shape[-1], embedder)
        owners, matrix = self._matrix(embedder, where.source)
        if not owners or limit < 1:
            return ()
        return self._best(dict(zip(owners, (matrix @ vector).tolist(), strict=True)), where, limit)

    def similarities(
        self, vector: npt.NDArray[np.float32], embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> dict[str, float]:
        """Exact cosines of those of the records or episodes that have a vector.

        Raises EmbedderMismatchError where the vector has not the embedder's dimensions.
        """
        require_dimensions(vector.shape[-1], embedder)
        return {owner_id: float(stored @ vector) for owner_id, stored in self.vectors_of(embedder, source, ids).items()}

    def _matrix(self, embedder: EmbedderIdentity, source: Source) -> Matrix:
        """The vectors of a source as the rows of one matrix, kept until a vector changes."""
        import numpy as np

        key = self._known(embedder)
        if (key, source) not in self._tables.matrices:
            vectors = [
                vector for (of, owner, _), vector in self._tables.vectors.items() if of == key and owner is source
            ]
            stacked = np.stack([vector.values for vector in vectors]) if vectors else np.zeros((0, embedder.dimensions))
            self._tables.matrices[key, source] = [vector.owner_id for vector in vectors], stacked.astype(np.float32)
        return self._tables.matrices[key, source]

    def _known(self, embedder: EmbedderIdentity) -> EmbedderKey:
        """The key of an embedder. Raises EmbedderMismatchError where its vectors here have other dimensions."""
        key = (embedder.name, embedder.digest)
        if known := self._tables.embedders.get(key):
            require_dimensions(known.dimensions, embedder)
        return key

    def vectors_of(
        self, embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors of those of the records or episodes that have one by this embedder."""
        key = self._known(embedder)
        vectors = (self._tables.vectors.get((key, source, owner_id)) for owner_id in ids)
        return {vector.owner_id: vector.values for vector in vectors if vector is not None}

    def load_records(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Record]:
        """The records, checked once more against the filter; as believed then where it names a ledger entry."""
        now, loaded = self._now(), dict[str, Record]()
        for record_id in ids:
            record = record_as_filtered(self._tables, RecordId(record_id), where, now)
            if record is not None:
                loaded[record_id] = record if where.believed_seq is not None else self._shown(record)
        return loaded

    def record_briefs(self, ids: Sequence[str], where: SearchFilter) -> dict[str, RecordBrief]:
        """Those of the records that pass the filter, as they are now: only what comparing them with words needs."""
        records = (self._tables.records.get(RecordId(name)) for name in self.load_records(ids, where))
        return {one.id: RecordBrief(one.id, one.text, one.key, one.attributes) for one in records if one is not None}

    def load_episodes(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Episode]:
        """The episodes, checked once more against the filter."""
        episodes = (self._tables.episodes.get(EpisodeId(episode_id)) for episode_id in ids)
        return {
            episode.id: episode
            for episode in episodes
            if episode is not None and allows_episode(self._tables, episode, where)
        }

    def embedders(self) -> tuple[EmbedderIdentity, ...]:
        """The embedders that the store holds vectors of."""
        used = {key for key, _, _ in self._tables.vectors}
        return tuple(embedder for key, embedder in self._tables.embedders.items() if key in used)

    def _texts(self) -> Iterable[tuple[Source, str, str, str, str]]:
        """(owner, id, content hash, text, key) of everything that is indexed; records first."""
        for record in self._tables.records.values():
            if record.text and record.status is not Status.ERASED:
                yield Source.RECORD, record.id, record.content_hash, record.text, record.key
        for episode in self._tables.episodes.values():
            if episode.text:
                yield Source.EPISODE, episode.id, episode.content_hash, episode.text, ""

    def missing_vectors(self, embedder: EmbedderIdentity, limit: int) -> tuple[tuple[Source, str, str, str], ...]:
        """(owner, id, content hash, text) of what has no vector by this embedder yet; records first."""
        key = self._known(embedder)
        texts = (text[:4] for text in self._texts() if (key, *text[:2]) not in self._tables.vectors)
        return tuple(text for _, text in zip(range(limit), texts, strict=False))

    def count_missing_vectors(self, embedder: EmbedderIdentity) -> int:
        """How many records and episodes have no vector by this embedder yet."""
        key = self._known(embedder)
        return sum((key, *text[:2]) not in self._tables.vectors for text in self._texts())

    def missing_terms(self, limit: int) -> tuple[UnindexedText, ...]:
        """Texts that the full-text index does not hold; records first."""
        missing = (
            UnindexedText(owner=owner, owner_id=owner_id, text=text, key=key)
            for owner, owner_id, _, text, key in self._texts()
            if owner_id not in self._terms_of(owner)
        )
        return tuple(text for _, text in zip(range(limit), missing, strict=False))

    def outbox(self, limit: int) -> tuple[Outbox, ...]:
        """The oldest work that commits left behind."""
        return tuple(line for _, line in zip(range(limit), self._tables.outbox.values(), strict=False))


class SearchWrites(SearchReads, EpisodeWrites):
    """`ports.store.SearchWriter`."""

    def put_terms(self, source: Source, terms: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Replace the full-text terms of records or episodes, given as (id, terms); one without a text has none."""
        index = self._terms_of(source)
        for owner_id, words in terms:
            if self._content_hash(source, owner_id) is None:
                index.drop(owner_id)
            else:
                index.put(owner_id, TermCounts(Counter(words), len(words)))

    def _content_hash(self, source: Source, owner_id: str) -> str | None:
        """The content hash of a record or episode that has a text."""
        if source is Source.RECORD:
            record = self._tables.records.get(RecordId(owner_id))
            return None if record is None or not record.text or record.status is Status.ERASED else record.content_hash
        episode = self._tables.episodes.get(EpisodeId(owner_id))
        return None if episode is None or not episode.text else episode.content_hash

    def drop_terms(self) -> None:
        """Empty the full-text index."""
        for source in Source:
            index = self._terms_of(source)
            for owner_id in list(index):
                index.drop(owner_id)

    def put_vectors(self, embedder: EmbedderIdentity, vectors: Sequence[Vector]) -> None:
        """Store vectors; one whose owner is gone or has another text by now is left out.

        Raises EmbedderMismatchError where the dimensions differ.
        """
        for vector in vectors:
            require_dimensions(vector.values.shape[-1], embedder)
        key = self._known(embedder)
        if key not in self._tables.embedders:
            self._tables.embedders.put(key, embedder)
        for vector in vectors:
            if self._content_hash(vector.owner, vector.owner_id) == vector.content_hash:
                self._tables.vectors.put((key, vector.owner, vector.owner_id), vector)
        self._tables.matrices.clear()

    def drop_vectors(self, embedder: EmbedderIdentity) -> int:
        """Remove every vector of an embedder; how many."""
        key = self._known(embedder)
        dropped = [vector for vector in self._tables.vectors if vector[0] == key]
        for vector in dropped:
            self._tables.vectors.drop(vector)
        self._tables.embedders.drop(key)
        self._tables.matrices.clear()
        return len(dropped)

    def done(self, work: Sequence[Outbox]) -> None:
        """Remove finished lines from the outbox."""
        for line in work:
            self._tables.outbox.drop(line.seq)


def _saturation(row: TermCounts, term: str, average: float) -> float:
    count = row.counts[term]
    return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * row.length / average))
