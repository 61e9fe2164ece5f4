"""Writing of vectors with their sign codes.

Takes: unit vectors with their embedder. Gives: rows. Never: stores a vector of a text that has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.row_writer import RowWriter
from dopejar.adapters.sqlite.sign_codes import matrix_of, pack
from dopejar.adapters.sqlite.vectors import VectorReads, require_dimensions
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.adapters.sqlite.sign_codes import Floats
    from dopejar.ports.embedder import EmbedderIdentity
    from dopejar.ports.store import Vector

_MEAN_AFTER: Final = 512  # vectors of an embedder before their mean is taken
_OWNERS: Final = {
    Source.RECORD: "SELECT rowid, content_hash FROM records WHERE id = ? AND text <> '' AND status <> 'erased'",
    Source.EPISODE: "SELECT rowid, content_hash FROM episodes WHERE id = ? AND text <> ''",
}


class VectorWrites(RowWriter, VectorReads):
    """The vectors of `ports.store.SearchWriter`."""

    _is_writing = True

    def put_vectors(self, embedder: EmbedderIdentity, vectors: "Sequence[Vector]") -> None:
        """Store vectors with their sign codes; EmbedderMismatchError where the dimensions differ.

        One whose owner does not exist, or has another text by now, is left out: its newer text waits in the outbox.
        """
        for vector in vectors:
            require_dimensions(vector.values.shape[-1], embedder)
        number, mean = self._embedder_to_write(embedder)
        for vector in vectors:
            row = self._row(_OWNERS[vector.owner], (vector.owner_id,))
            if row is not None and row[1] == vector.content_hash:
                self._put_vector(number, mean, vector, cast("int", row[0]))
        if mean is None:
            self._take_mean(number, embedder.dimensions)

    def _put_vector(self, number: int, mean: "Floats | None", vector: "Vector", owner_row: int) -> None:
        import numpy as np

        at = (vector.owner.value, owner_row, number)
        self._drop_where("owner = ? AND owner_row = ? AND embedder = ?", at)
        values = np.ascontiguousarray(vector.values, dtype=np.float32)
        self._rows(
            "INSERT INTO vectors (embedder, owner, owner_row, content_hash, floats) VALUES (?, ?, ?, ?, ?)",
            (number, vector.owner.value, owner_row, vector.content_hash, values.tobytes()),
        )
        self._rows(
            "INSERT INTO vector_codes (number, embedder, owner, owner_row, code) VALUES (?, ?, ?, ?, ?)",
            (
                self._connection.last_insert_rowid(),
                number,
                vector.owner.value,
                owner_row,
                pack(values.reshape(1, -1), mean).tobytes(),
            ),
        )
        self._has_changed_vectors = True

    def _embedder_to_write(self, embedder: EmbedderIdentity) -> "tuple[int, Floats | None]":
        known = self._embedder(embedder)
        if known is not None:
            return known
        self._rows(
            "INSERT INTO embedders (name, dimensions, digest, lexical) VALUES (?, ?, ?, ?)",
            (embedder.name, embedder.dimensions, embedder.digest, int(embedder.lexical)),
        )
        return self._connection.last_insert_rowid(), None

    def _take_mean(self, number: int, dimensions: int) -> None:
        """Once there are enough vectors, centre the codes on their mean, which balances the bits."""
        if self._number("SELECT count(*) FROM vector_codes WHERE embedder = ?", (number,)) < _MEAN_AFTER:
            return
        rows = self._rows("SELECT number, floats FROM vectors WHERE embedder = ?", (number,))
        matrix = matrix_of([cast("bytes", row[1]) for row in rows], dimensions)
        mean = matrix.mean(axis=0)
        self._rows("UPDATE embedders SET mean = ? WHERE number = ?", (mean.tobytes(), number))
        codes = pack(matrix, mean)
        self._run_many(
            "UPDATE vector_codes SET code = ? WHERE number = ?",
            [(code.tobytes(), row[0]) for code, row in zip(codes, rows, strict=True)],
        )
        self._rows("INSERT INTO vector_drops (number) VALUES (0)")

    def drop_vectors(self, embedder: EmbedderIdentity) -> int:
        """Remove every vector of an embedder; how many."""
        known = self._embedder(embedder)
        if known is None:
            return 0
        count = self._run("DELETE FROM vectors WHERE embedder = ?", (known[0],))
        self._rows("DELETE FROM embedders WHERE number = ?", (known[0],))
        self._rows("INSERT INTO vector_drops (number) VALUES (0)")
        self._has_changed_vectors = True
        return count
