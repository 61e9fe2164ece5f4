"""Search: the full-text index, the vectors, and the outbox of texts that wait for a vector.

Takes: terms, unit vectors and a filter. Gives: hits by id, best first, and what they name. Never: cuts a text into
terms, embeds one, or returns what the filter forbids: every hit is joined to the store, so that a stale index may omit
and never leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dopejar.ports.embedder import EmbedderIdentity
from dopejar.ports.protocol import Protocol
from dopejar.values.recall import Hit, SearchFilter, Source
from dopejar.values.record import Record, RecordBrief

if TYPE_CHECKING:  # annotations only: recall loads no module that it does not call
    import numpy as np
    import numpy.typing as npt

    from dopejar.values.episode import Episode


@dataclass(frozen=True, kw_only=True, slots=True)
class Outbox:
    """Work that a commit left behind: `kind` is "embed"; `owner` and `owner_id` name the text."""

    seq: int
    kind: str
    owner: Source
    owner_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Vector:
    """A vector of one text by one embedder, unit length, float32."""

    owner: Source
    owner_id: str
    content_hash: str
    values: "npt.NDArray[np.float32]"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnindexedText:
    """A record or an episode that the full-text index does not hold; `key` is the record's."""

    owner: Source
    owner_id: str
    text: str
    key: str = ""


class SearchReader(Protocol):
    """Searches records and episodes."""

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms (any may match), filtered before ranking: the highest score, then the oldest."""

    def terms_from(self, prefix: str, source: Source, limit: int = -1) -> tuple[str, ...]:
        """The terms of the full-text index that begin with the prefix, in order; at most `limit` of them."""

    def nearest(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        """Cosines of the nearest vectors of the same embedder, filtered before ranking; higher is better.

        Raises EmbedderMismatchError where the vector has not the embedder's dimensions.
        """

    def similarities(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> dict[str, float]:
        """Exact cosines of those of the records or episodes that have a vector; raises as `nearest` does."""

    def vectors_of(
        self, embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> "dict[str, npt.NDArray[np.float32]]":
        """The vectors of those of the records or episodes that have one by this embedder."""

    def load_records(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Record]:
        """The records, checked once more against the filter; as believed then where it names a ledger entry."""

    def record_briefs(self, ids: Sequence[str], where: SearchFilter) -> dict[str, RecordBrief]:
        """Those of the records that pass the filter, as they are now: only what comparing them with words needs."""

    def load_episodes(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Episode]:
        """The episodes, checked once more against the filter."""

    def embedders(self) -> tuple[EmbedderIdentity, ...]:
        """The embedders that the store holds vectors of."""

    def missing_vectors(self, embedder: EmbedderIdentity, limit: int) -> tuple[tuple[Source, str, str, str], ...]:
        """(owner, id, content hash, text) of what has no vector by this embedder yet; records first."""

    def count_missing_vectors(self, embedder: EmbedderIdentity) -> int:
        """How many records and episodes have no vector by this embedder yet."""

    def missing_terms(self, limit: int) -> tuple[UnindexedText, ...]:
        """Texts that the full-text index does not hold; records first."""

    def outbox(self, limit: int) -> tuple[Outbox, ...]:
        """The oldest work that commits left behind."""


class SearchWriter(Protocol):
    """Writes the indexes. They are projections: each can be dropped and rebuilt from records and episodes."""

    def put_terms(self, source: Source, terms: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Replace the full-text terms of records or episodes, given as (id, terms); one without a text has none."""

    def drop_terms(self) -> None:
        """Empty the full-text index."""

    def put_vectors(self, embedder: EmbedderIdentity, vectors: Sequence[Vector]) -> None:
        """Store vectors; one whose owner is gone or has another text by now is left out.

        Raises EmbedderMismatchError where the dimensions differ.
        """

    def drop_vectors(self, embedder: EmbedderIdentity) -> int:
        """Remove every vector of an embedder; how many."""

    def done(self, work: Sequence[Outbox]) -> None:
        """Remove finished lines from the outbox."""
