"""What a store promises about vectors.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.errors import EmbedderMismatchError
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.ports.store import ReadView, Vector, WriteTransaction
from dopejar.testing.builders import a_record, append_conversation, insert_record, raising, update_record
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import Record, Status
from dopejar.values.scope import ReadScope, Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RECORDS = SearchFilter(read_scope=ReadScope(), source=Source.RECORD)
COMPASS = EmbedderIdentity(name="compass", dimensions=8, digest="d1")
OTHER = EmbedderIdentity(name="other", dimensions=8, digest="d2", lexical=True)


def pointing(*parts: float) -> "npt.NDArray[np.float32]":
    """A unit vector of eight dimensions that points there."""
    import numpy as np

    vector = np.zeros(8, dtype=np.float32)
    vector[: len(parts)] = parts
    return vector / np.linalg.norm(vector)


def vector_of(record: Record, *parts: float) -> Vector:
    """A record's vector."""
    return Vector(owner=Source.RECORD, owner_id=record.id, content_hash=record.content_hash, values=pointing(*parts))


def nearest(view: ReadView, *parts: float, where: SearchFilter = RECORDS, limit: int = 9) -> list[str]:
    """Ids of the nearest records, nearest first."""
    ids = [hit.id for hit in view.nearest(pointing(*parts), COMPASS, where, limit)]
    assert list(view.load_records(ids, where)) == ids
    return ids


def _give(tx: WriteTransaction, directions: Iterable[tuple[Record, tuple[float, ...]]]) -> None:
    for record, parts in directions:
        insert_record(tx, record)
        tx.put_vectors(COMPASS, [vector_of(record, *parts)])


NORTH, EAST, SOUTH = a_record("north"), a_record("east"), a_record("south")


class VectorPromises(StoreContractBase):
    """Cosines, exact ones and the nearest."""

    def test_the_nearest_come_first_with_their_cosines(self, tmp_path: Path) -> None:
        """Hits are ordered by cosine and carry it; so do the similarities of given records."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                _give(tx, [(NORTH, (1, 0)), (EAST, (0, 1)), (SOUTH, (-1, 0))])
            with store.read() as view:
                assert nearest(view, 1, 0.1) == ["m_north", "m_east", "m_south"]
                assert nearest(view, 1, 0.1, limit=1) == ["m_north"]
                hits = view.nearest(pointing(1, 0), COMPASS, RECORDS, 9)
                assert [round(hit.score, 5) for hit in hits] == [1.0, 0.0, -1.0]
                ids = [hit.id for hit in hits]
                exact = view.similarities(pointing(1, 0), COMPASS, Source.RECORD, [*ids, "m_none"])
                assert {record_id: round(score, 5) for record_id, score in exact.items()} == dict(
                    zip(ids, [1.0, 0.0, -1.0], strict=True)
                )
                assert view.similarities(pointing(1, 0), COMPASS, Source.EPISODE, ids) == {}
                kept = view.vectors_of(COMPASS, Source.RECORD, ["m_north", "m_none", "m_east"])
                assert sorted(kept) == ["m_east", "m_north"]
                assert kept["m_north"].tolist() == pointing(1, 0).tolist()
                assert view.vectors_of(OTHER, Source.RECORD, ["m_north"]) == {}
                assert view.vectors_of(COMPASS, Source.EPISODE, ["m_north"]) == {}
                assert view.sizes().vectors == 3

    def test_the_filter_comes_before_the_ranking(self, tmp_path: Path) -> None:
        """However near, what the filter forbids takes no place among the hits."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                hidden = [a_record(f"hidden{place}", scope=Scope.project("x")) for place in range(40)]
                _give(tx, [(owner, (1, 0)) for owner in hidden])
                _give(tx, [(replace(SOUTH, status=Status.STAGED), (1, 0)), (EAST, (0, 1))])
            with store.read() as view:
                assert nearest(view, 1, 0, limit=3) == ["m_east"]

    def test_a_changed_or_erased_text_has_no_vector(self, tmp_path: Path) -> None:
        """A vector goes with the text it was made of, and one of an older text is not taken."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                _give(tx, [(NORTH, (1, 0)), (EAST, (0, 1))])
            with store.read() as view:
                assert len(nearest(view, 1, 0)) == 2
            with store.write() as tx:
                changed = a_record("north", "The north shelf is empty.")
                update_record(tx, changed)
                assert nearest(tx, 1, 0) == ["m_east"]
                tx.put_vectors(COMPASS, [vector_of(NORTH, 1, 0), vector_of(a_record("nobody"), 1, 0)])
                assert nearest(tx, 1, 0) == ["m_east"]
                tx.put_vectors(COMPASS, [vector_of(changed, 1, 0)])
                assert nearest(tx, 1, 0) == ["m_north", "m_east"]
            with store.read() as view:
                assert nearest(view, 1, 0) == ["m_north", "m_east"]

    def test_embedders_are_never_mixed(self, tmp_path: Path) -> None:
        """Each embedder finds its own vectors alone; wrong dimensions are refused; dropping one leaves the other."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                _give(tx, [(NORTH, (1, 0)), (EAST, (0, 1))])
                tx.put_vectors(OTHER, [vector_of(EAST, 1, 0)])
                assert set(tx.embedders()) == {COMPASS, OTHER}
                with raising(EmbedderMismatchError, "8"):
                    tx.put_vectors(COMPASS, [replace(vector_of(NORTH, 1), values=pointing(1)[:4])])
                with raising(EmbedderMismatchError):
                    tx.put_vectors(
                        replace(COMPASS, dimensions=4), [replace(vector_of(NORTH, 1), values=pointing(1)[:4])]
                    )
            with store.read() as view:
                assert len(view.nearest(pointing(1, 0), COMPASS, RECORDS, 9)) == 2
                assert len(view.nearest(pointing(1, 0), OTHER, RECORDS, 9)) == 1
                assert view.nearest(pointing(1, 0), replace(OTHER, digest="d3"), RECORDS, 9) == ()
                with raising(EmbedderMismatchError):
                    view.nearest(pointing(1, 0)[:4], COMPASS, RECORDS, 9)
            with store.write() as tx:
                assert tx.drop_vectors(COMPASS) == 2
                assert tx.drop_vectors(COMPASS) == 0
                assert tx.embedders() == (OTHER,)
            with store.read() as view:
                assert view.nearest(pointing(1, 0), COMPASS, RECORDS, 9) == ()
                assert len(view.nearest(pointing(1, 0), OTHER, RECORDS, 9)) == 1

    def test_what_has_no_vector_is_told(self, tmp_path: Path) -> None:
        """Everything with a text and without a vector of the embedder is listed with its text; nothing else is."""
        with self.opened(tmp_path) as store, store.write() as tx:
            (said,) = append_conversation(tx, "The north shelf is full.")
            insert_record(tx, NORTH, [])
            insert_record(tx, replace(EAST, text="", status=Status.ERASED), [])
            missing = {
                (Source.EPISODE, said.id, said.content_hash, said.text),
                (Source.RECORD, NORTH.id, NORTH.content_hash, NORTH.text),
            }
            assert set(tx.missing_vectors(COMPASS, 9)) == missing
            assert len(tx.missing_vectors(COMPASS, 1)) == 1
            assert tx.count_missing_vectors(COMPASS) == 2
            tx.put_vectors(COMPASS, [vector_of(NORTH, 1, 0)])
            assert [row[1] for row in tx.missing_vectors(COMPASS, 9)] == [said.id]
            assert set(tx.missing_vectors(OTHER, 9)) == missing
            assert (tx.count_missing_vectors(COMPASS), tx.count_missing_vectors(OTHER)) == (1, 2)
            tx.put_evidence(NORTH.id, [])
            update_record(tx, replace(NORTH, status=Status.ERASED, text="", content_hash="", key="", version=2))

    def test_a_rolled_back_vector_is_nowhere(self, tmp_path: Path) -> None:
        """What a transaction that failed had put is not found, neither then nor after the next vectors."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                _give(tx, [(NORTH, (1, 0))])
                insert_record(tx, EAST)
            with raising(ZeroDivisionError), store.write() as tx:
                tx.put_vectors(COMPASS, [vector_of(EAST, 1, 0)])
                assert len(nearest(tx, 1, 0)) == 2
                raise ZeroDivisionError
            with store.read() as view:
                assert nearest(view, 1, 0) == ["m_north"]
            with store.write() as tx:
                _give(tx, [(SOUTH, (-1, 0))])
            with store.read() as view:
                assert nearest(view, 1, 0) == ["m_north", "m_south"]
