"""Vectors of records and episodes: exact cosines, and nearest neighbours.

Takes: unit vectors with their embedder. Gives: hits. Never: compares vectors of two embedders.

A process caches the sign codes of every vector and follows the file's changes: new vectors have higher numbers, and
dropped ones are listed in `vector_drops`. Candidates are joined to the snapshot, so that a cache that is ahead of it or
behind it can omit a hit and never leak one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import dumps
from dopejar.adapters.sqlite.sign_codes import (
    EXACT_BELOW,
    IN_MEMORY_BELOW,
    RESCORED,
    CachedVectors,
    code_bytes,
    distances,
    matrix_of,
    no_cached_vectors,
    pack,
    smallest,
)
from dopejar.adapters.sqlite.text_search import TextSearchReads
from dopejar.errors import EmbedderMismatchError
from dopejar.values.recall import Hit, SearchFilter, Source

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.adapters.sqlite.sign_codes import Floats, Numbers
    from dopejar.ports.embedder import EmbedderIdentity

_ALLOWED_KEPT: Final = 8  # selective filters whose rows are cached
_FLOATS: Final = "SELECT number, floats FROM vectors WHERE number IN (SELECT value FROM json_each(?))"
_EMBEDDER: Final = "SELECT number, dimensions, mean FROM embedders WHERE name = ? AND digest = ?"
_MISSING: Final = """
SELECT * FROM (
  SELECT 'record', id, content_hash, text FROM records
  WHERE text <> '' AND status <> 'erased'
    AND NOT EXISTS (SELECT 1 FROM vectors WHERE owner = 'record' AND owner_row = records.rowid AND embedder = ?1)
  ORDER BY rowid LIMIT ?2
) UNION ALL SELECT * FROM (
  SELECT 'episode', id, content_hash, text FROM episodes
  WHERE text <> ''
    AND NOT EXISTS (SELECT 1 FROM vectors WHERE owner = 'episode' AND owner_row = episodes.rowid AND embedder = ?1)
  ORDER BY rowid LIMIT ?2
) LIMIT ?2
"""


def require_dimensions(dimensions: int, embedder: EmbedderIdentity) -> None:
    """Raises EmbedderMismatchError where vectors of so many dimensions are not the embedder's."""
    if dimensions != embedder.dimensions:
        raise EmbedderMismatchError(
            f"A vector of {dimensions} dimensions is none of {embedder}, which has {embedder.dimensions}."
            " Run `dopejar models reembed`."
        )


class VectorReads(TextSearchReads):
    """The part of `ports.store.SearchReader` that needs vectors."""

    _has_changed_vectors = False
    _is_writing = False

    @cached_property
    def _ids(self) -> dict[Source, dict[int, str]]:
        """Ids by row number of the owners that passed a filter in this snapshot."""
        return {}

    def nearest(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        """Cosine of the nearest vectors of the same embedder, filtered before ranking; higher is better.

        Exact up to `EXACT_BELOW` vectors; above, exact among the `RESCORED` nearest codes. Raises
        EmbedderMismatchError where the vector has not the embedder's dimensions.
        """
        require_dimensions(vector.shape[-1], embedder)
        known = self._embedder(embedder)
        if known is None or limit < 1:
            return ()
        number, mean = known
        cached = self._cached_vectors(number, where.source, embedder.dimensions)
        if not len(cached.numbers):
            return ()
        if cached.floats is not None and len(cached.numbers) <= EXACT_BELOW:
            return self._nearest_of(-(cached.floats @ vector), cached, where, limit)
        import numpy as np

        code = np.frombuffer(pack(vector.reshape(1, -1), mean).tobytes(), dtype=np.uint64)
        return self._rescored(distances(cached.codes, code), cached, vector, where, limit)

    def _nearest_of(self, far: "Floats", cached: CachedVectors, where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        places = self._first_allowed(far, cached, where, limit)
        return self._hits(where.source, cached.owner_rows[places], -far[places])

    def _rescored(
        self, far: "npt.NDArray[np.uint16]", cached: CachedVectors, vector: "Floats", where: SearchFilter, limit: int
    ) -> tuple[Hit, ...]:
        """The best of the nearest codes by exact cosine; the best few are filtered first."""
        import numpy as np

        wanted = max(RESCORED, limit)
        rows, cosines = self._compared(smallest(far, min(len(far), wanted)), cached, vector)
        first = 2 * limit + 100
        kept = np.flatnonzero(self._passing(rows[:first], where))[:limit]
        if len(kept) < limit and (first < len(rows) or len(rows) < len(far)):  # a selective filter comes first
            rows, cosines = self._compared(self._first_allowed(far, cached, where, wanted), cached, vector)
            kept = np.arange(min(limit, len(rows)))
        return self._hits(where.source, rows[kept], cosines[kept])

    def _hits(self, source: Source, owner_rows: "Numbers", cosines: "Floats") -> tuple[Hit, ...]:
        """The hits of rows that `_passing` has let through."""
        ids = self._ids.get(source, {})
        pairs = zip(owner_rows.tolist(), cosines.tolist(), strict=True)
        return tuple(Hit(id=ids[row], score=cosine) for row, cosine in pairs)

    def _compared(
        self, places: "npt.NDArray[np.intp]", cached: CachedVectors, vector: "Floats"
    ) -> "tuple[Numbers, Floats]":
        """The owners' row numbers at these positions and their exact cosines, best first."""
        import numpy as np

        if cached.floats is not None:
            rows, cosines = cached.owner_rows[places], cached.floats[places] @ vector
        else:
            owners = dict(zip(cached.numbers[places].tolist(), cached.owner_rows[places].tolist(), strict=True))
            numbers, floats = self._floats(list(owners), len(vector))
            rows = np.fromiter((owners[number] for number in numbers), dtype=np.int64, count=len(numbers))
            cosines = floats @ vector
        order = np.argsort(-cosines, kind="stable")
        return rows[order], cosines[order]

    def _first_allowed(
        self, far: "npt.NDArray[np.generic]", cached: CachedVectors, where: SearchFilter, wanted: int
    ) -> "npt.NDArray[np.intp]":
        """Positions of the nearest vectors whose owners pass the filter, as if all had been filtered first.

        The owners of the nearest few are looked up; where too few of them pass, every row is filtered.
        """
        import numpy as np

        nearest_positions = smallest(far, min(len(far), 2 * wanted + 100))
        kept = nearest_positions[self._passing(cached.owner_rows[nearest_positions], where)]
        if len(kept) >= wanted or len(nearest_positions) == len(far):
            return kept[:wanted]
        places = np.flatnonzero(np.isin(cached.owner_rows, self._all_allowed(where)))
        chosen = places[smallest(far[places], min(len(places), wanted))]
        # the cached rows may include some that have ceased to be valid since
        return chosen[self._passing(cached.owner_rows[chosen], where)]

    def _passing(self, owner_rows: "Numbers", where: SearchFilter) -> "npt.NDArray[np.bool_]":
        import numpy as np

        allowed = self._allowed(owner_rows.tolist(), where)
        self._ids.setdefault(where.source, {}).update(allowed)
        return np.isin(owner_rows, np.fromiter(allowed, dtype=np.int64, count=len(allowed)))

    def _all_allowed(self, where: SearchFilter) -> "Numbers":
        import numpy as np

        change_seq = self._change_seq()
        cached = self._cache.allowed.get(where)
        if cached is not None and cached[0] == change_seq and not self._is_writing:
            return cached[1]
        must = self._condition(where)
        table = "records r" if where.source is Source.RECORD else "episodes e"
        rows = self._rows(f"SELECT {table[-1]}.rowid FROM {table} {must.join} WHERE {must.where}", must.values)
        allowed = np.fromiter((cast("int", row[0]) for row in rows), dtype=np.int64, count=len(rows))
        if not self._is_writing:
            with self._cache.lock:
                if len(self._cache.allowed) >= _ALLOWED_KEPT:
                    self._cache.allowed.clear()
                self._cache.allowed[where] = (change_seq, allowed)
        return allowed

    def similarities(
        self, vector: "npt.NDArray[np.float32]", embedder: EmbedderIdentity, source: Source, ids: Sequence[str]
    ) -> dict[str, float]:
        """Exact cosines of those of the records or episodes that have a vector.

        Raises EmbedderMismatchError as `nearest` does.
        """
        require_dimensions(vector.shape[-1], embedder)
        known = self._embedder(embedder)
        if known is None or not ids:
            return {}
        owners = self._owners(source, ids)
        cached = self._cached_vectors(known[0], source, embedder.dimensions)
        if cached.floats is not None:
            places = cached.places_of(list(owners))
            cosines = cached.floats[places] @ vector
            return dict(zip([owners[row] for row in cached.owner_rows[places].tolist()], cosines.tolist(), strict=True))
        rows = self._rows(
            "SELECT owner_row, floats FROM vectors WHERE owner = ? AND embedder = ?"
            " AND owner_row IN (SELECT value FROM json_each(?))",
            (source.value, known[0], dumps(list(owners))),
        )
        if not rows:
            return {}
        cosines = matrix_of([cast("bytes", row[1]) for row in rows], len(vector)) @ vector
        return dict(zip([owners[cast("int", row[0])] for row in rows], cosines.tolist(), strict=True))

    def _owners(self, source: Source, ids: "Sequence[str]") -> dict[int, str]:
        """Row numbers of those of the records or episodes that exist, each with its id."""
        known = self._row_numbers
        owners = {known[source, owner_id]: owner_id for owner_id in ids if (source, owner_id) in known}
        unknown = [owner_id for owner_id in ids if (source, owner_id) not in known]
        if unknown:
            sql = f"SELECT rowid, id FROM {source.value}s WHERE id IN (SELECT value FROM json_each(?))"
            owners.update(cast("list[tuple[int, str]]", self._rows(sql, (dumps(unknown),))))
        return owners

    def vectors_of(
        self, embedder: EmbedderIdentity, source: Source, ids: "Sequence[str]"
    ) -> "dict[str, npt.NDArray[np.float32]]":
        """The kept vectors of those of the owners that have one by this embedder."""
        known = self._embedder(embedder)
        if known is None or not ids:
            return {}
        rows = self._rows(
            f"SELECT o.id, v.floats FROM {source.value}s o"
            " JOIN vectors v ON v.owner = ? AND v.embedder = ? AND v.owner_row = o.rowid"
            " WHERE o.id IN (SELECT value FROM json_each(?))",
            (source.value, known[0], dumps(list(ids))),
        )
        if not rows:
            return {}
        matrix = matrix_of([cast("bytes", row[1]) for row in rows], embedder.dimensions)
        return {cast("str", row[0]): matrix[place] for place, row in enumerate(rows)}

    def embedders(self) -> tuple[EmbedderIdentity, ...]:
        """Whose vectors the store holds."""
        from dopejar.ports.embedder import EmbedderIdentity  # lexical recall asks for none

        rows = self._rows(
            "SELECT name, dimensions, digest, lexical FROM embedders e"
            # the unary plus keeps SQLite from building an index over all vectors to return the first
            " WHERE (SELECT 1 FROM vectors v WHERE v.embedder = +e.number LIMIT 1) ORDER BY number"
        )
        return tuple(
            EmbedderIdentity(name=name, dimensions=dimensions, digest=digest, lexical=lexical != 0)
            for name, dimensions, digest, lexical in cast("list[tuple[str, int, str, int]]", rows)
        )

    def missing_vectors(self, embedder: EmbedderIdentity, limit: int) -> tuple[tuple[Source, str, str, str], ...]:
        """(owner, id, content hash, text) of what has no vector by this embedder yet; records first."""
        known = self._embedder(embedder)
        rows = self._rows(_MISSING, (0 if known is None else known[0], limit))
        return tuple(
            (Source(owner), owner_id, content_hash, text)
            for owner, owner_id, content_hash, text in cast("list[tuple[str, str, str, str]]", rows)
        )

    def count_missing_vectors(self, embedder: EmbedderIdentity) -> int:
        """How many records and episodes have no vector by this embedder yet."""
        known = self._embedder(embedder)
        return self._number(f"SELECT count(*) FROM ({_MISSING})", (0 if known is None else known[0], -1))

    def _embedder(self, embedder: EmbedderIdentity) -> "tuple[int, Floats | None] | None":
        """Its number here and the mean of its codes. Raises EmbedderMismatchError where the dimensions differ."""
        row = self._row(_EMBEDDER, (embedder.name, embedder.digest))
        if row is None:
            return None
        number, dimensions, mean = cast("tuple[int, int, bytes | None]", row)
        require_dimensions(dimensions, embedder)
        if mean is None:
            return number, None
        import numpy as np

        return number, np.frombuffer(mean, dtype=np.float32)

    def _floats(self, numbers: list[int], dimensions: int) -> "tuple[list[int], Floats]":
        rows = self._rows(_FLOATS, (dumps(numbers),))
        return [cast("int", row[0]) for row in rows], matrix_of([cast("bytes", row[1]) for row in rows], dimensions)

    def _change_seq(self) -> int:
        return self._number("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'change_seq'")

    def _cached_vectors(self, number: int, source: Source, dimensions: int) -> CachedVectors:
        """The cached vectors, updated to this snapshot; read afresh within a write that changed vectors."""
        if self._has_changed_vectors:
            return self._updated(no_cached_vectors(dimensions), number, source, dimensions)
        change_seq = self._change_seq()
        slot = (number, source.value)
        cached = self._cache.vectors.get(slot)
        if cached is not None and cached.change_seq >= change_seq:
            return cached
        with self._cache.lock:
            cached = self._cache.vectors.get(slot) or no_cached_vectors(dimensions)
            if cached.change_seq < change_seq:
                cached = replace(self._updated(cached, number, source, dimensions), change_seq=change_seq)
                self._cache.vectors[slot] = cached
            return cached

    def _updated(self, cached: CachedVectors, number: int, source: Source, dimensions: int) -> CachedVectors:
        import numpy as np

        drops = self._rows("SELECT seq, number FROM vector_drops WHERE seq > ? ORDER BY seq", (cached.last_drop,))
        if drops:
            gone = {cast("int", row[1]) for row in drops}
            fresh = no_cached_vectors(dimensions)
            cached = fresh if 0 in gone else cached.without(np.fromiter(gone, dtype=np.int64, count=len(gone)))
            cached = replace(cached, last_drop=cast("int", drops[-1][0]))
        new = self._rows(
            "SELECT number, owner_row, code FROM vector_codes WHERE number > ? AND embedder = ? AND owner = ?"
            " ORDER BY number",
            (cached.last_number, number, source.value),
        )
        return self._with_floats(_joined(cached, new, dimensions), dimensions)

    def _with_floats(self, cached: CachedVectors, dimensions: int) -> CachedVectors:
        """With the floats while the vectors are few; floats that were read before are kept."""
        import numpy as np

        count = len(cached.numbers)
        if count > IN_MEMORY_BELOW:
            return replace(cached, floats=None)
        have = 0 if cached.floats is None else len(cached.floats)
        if have == count:
            return cached
        numbers, floats = self._floats(cached.numbers[have:].tolist(), dimensions)
        order = np.argsort(np.asarray(numbers, dtype=np.int64))
        old = [] if cached.floats is None else [cached.floats]
        return replace(cached, floats=np.concatenate([*old, floats[order]]))


def _joined(cached: CachedVectors, new: "Sequence[tuple[object, ...]]", dimensions: int) -> CachedVectors:
    import numpy as np

    if not new:
        return cached
    codes = np.frombuffer(b"".join([cast("bytes", row[2]) for row in new]), dtype=np.uint64)
    return cached.joined(
        np.fromiter((cast("int", row[0]) for row in new), dtype=np.int64, count=len(new)),
        np.fromiter((cast("int", row[1]) for row in new), dtype=np.int64, count=len(new)),
        np.ascontiguousarray(codes.reshape(-1, code_bytes(dimensions) // 8).T),
    )
