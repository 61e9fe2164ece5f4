"""Sign codes keep the near near, and what a process holds of them follows the file."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from dopejar.adapters.sqlite import SqliteStore
from dopejar.adapters.sqlite.sign_codes import code_bytes, distances, no_cached_vectors, pack, smallest
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.ports.store import Vector
from dopejar.testing.builders import a_conversation, an_episode, append_turns
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.ids import EpisodeId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.scope import ReadScope, Scope

EPISODES = SearchFilter(read_scope=ReadScope(), source=Source.EPISODE)
EMBEDDER = EmbedderIdentity(name="random", dimensions=64, digest="r")


@pytest.mark.parametrize(("dimensions", "size"), [(384, 48), (64, 8), (65, 16), (8, 8), (1, 8)])
def test_codes_are_whole_words(dimensions: int, size: int) -> None:
    """384 dimensions take 48 bytes; others are padded to whole 64-bit words."""
    assert code_bytes(dimensions) == size
    assert pack(np.ones((2, dimensions), dtype=np.float32), None).shape == (2, size)


def test_the_distance_is_the_number_of_differing_signs() -> None:
    """A distance counts exactly the dimensions in which two vectors lie on different sides of the mean."""
    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((50, 100)).astype(np.float32)
    mean = chance.standard_normal(100).astype(np.float32) / 4
    words = np.ascontiguousarray(np.frombuffer(pack(vectors, mean).tobytes(), dtype=np.uint64).reshape(50, -1).T)
    expected = ((vectors > mean) != (vectors[0] > mean)).sum(axis=1)
    assert distances(words, words[:, 0]).tolist() == expected.tolist()


@pytest.mark.parametrize("count", [0, 1, 7, 200, 500])
def test_the_smallest_are_those_of_a_full_sort(count: int) -> None:
    """Choosing first and sorting then gives the values that sorting alone gives, ascending."""
    values = np.random.default_rng(2).integers(0, 40, 200).astype(np.uint16)
    chosen = smallest(values, count)
    assert values[chosen].tolist() == sorted(values.tolist())[:count]
    assert len(set(chosen.tolist())) == len(chosen)


def test_nothing_is_held_at_first() -> None:
    """Before the first load there are no numbers, no codes and no floats."""
    held = no_cached_vectors(384)
    assert (len(held.numbers), held.codes.shape, held.last_number) == (0, (6, 0), 0)


def _fill(store: SqliteStore, vectors: "np.ndarray") -> None:
    with store.write() as tx:
        tx.put_conversation(a_conversation())
        projects = ["", "x"]
        told = [an_episode(f"text {place}", place, project=projects[place % 2]) for place in range(len(vectors))]
        append_turns(tx, told)
        tx.put_vectors(
            EMBEDDER,
            [
                Vector(owner=Source.EPISODE, owner_id=one.id, content_hash=one.content_hash, values=vectors[place])
                for place, one in enumerate(told)
            ],
        )


def _clustered(count: int) -> "np.ndarray":
    chance = np.random.default_rng(3)
    centres = chance.standard_normal((40, 64))
    vectors = centres[chance.integers(0, 40, count)] + 0.7 * chance.standard_normal((count, 64)) + 0.4
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_codes_find_nearly_what_an_exact_scan_finds(tmp_path: Path) -> None:
    """Above the size of exact scans, ten hits hold at least 98 % of the ten nearest, filtered or not."""
    vectors = _clustered(6000)
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as store:
        _fill(store, vectors)
        places = {an_episode("", place).id: place for place in range(6000)}
        everywhere = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
        none_here = SearchFilter(read_scope=ReadScope(scopes=(Scope.project("y"),)), source=Source.EPISODE)
        with store.read() as view:
            assert len(view._cached_vectors(1, Source.EPISODE, 64).numbers) > 4000
            for where, rows in ((everywhere, np.arange(6000)), (none_here, np.arange(0, 6000, 2))):
                kept = []
                for query in vectors[:40] @ np.eye(64, dtype=np.float32):
                    hits = view.nearest(query, EMBEDDER, where, 10)
                    best = {int(row) for row in rows[np.argsort(-(vectors[rows] @ query))[:10]]}
                    kept.append(len(best & {places[EpisodeId(hit.id)] for hit in hits}) / 10)
                    assert [hit.score for hit in hits] == pytest.approx(
                        [float(vectors[places[EpisodeId(hit.id)]] @ query) for hit in hits], abs=1e-5
                    )
                assert sum(kept) / len(kept) >= 0.98


def test_what_is_held_follows_other_handles(tmp_path: Path) -> None:
    """Vectors that another handle adds or drops are found, or no longer found, by the next snapshot."""
    vectors = _clustered(20)
    path = tmp_path / "store.db"
    with closing(SqliteStore.open(path)) as one, closing(SqliteStore.open(path)) as two:
        _fill(one, vectors[:10])
        with two.read() as view:
            assert len(view.nearest(vectors[0], EMBEDDER, SearchFilter(
                read_scope=ReadScope(all_projects=True), source=Source.EPISODE), 99)) == 10  # fmt: skip
        with one.write() as tx:
            more = [an_episode(f"text {place}", place) for place in range(10, 20)]
            append_turns(tx, more)
            tx.put_vectors(
                EMBEDDER,
                [
                    Vector(owner=Source.EPISODE, owner_id=e.id, content_hash=e.content_hash, values=vectors[e.index])
                    for e in more
                ],
            )
            tx.rewrite_episode(an_episode("", 0).id, "xt 0", "h")
        everywhere = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
        with two.read() as view:
            ids = {hit.id for hit in view.nearest(vectors[0], EMBEDDER, everywhere, 99)}
            assert ids == {an_episode("", place).id for place in range(1, 20)}
        with one.write() as tx:
            assert tx.drop_vectors(EMBEDDER) == 19
        with two.read() as view:
            assert view.nearest(vectors[0], EMBEDDER, everywhere, 99) == ()


def test_another_store_in_the_place_of_an_old_one_starts_afresh(tmp_path: Path) -> None:
    """What was held of a store that is gone is never used for one that took its place."""
    vectors = _clustered(4)
    everywhere = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
    path = tmp_path / "store.db"
    for count in (4, 2, 3):
        with closing(SqliteStore.open(path, clock=FixedClock())) as store:
            _fill(store, vectors[:count])
            with store.read() as view:
                assert len(view.nearest(vectors[0], EMBEDDER, everywhere, 9)) == count
        path.unlink()
