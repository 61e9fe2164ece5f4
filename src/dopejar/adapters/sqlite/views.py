"""The read view and the write transaction, composed of the reads and writes of each table.

Takes: a connection in a transaction. Gives: `ports.store.ReadView` and `WriteTransaction`. Never: commits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, cast

from dopejar.adapters.sqlite.episodes import EpisodeReads
from dopejar.adapters.sqlite.graph import GraphReads
from dopejar.adapters.sqlite.held_rows import HeldRowReads, HeldRowWrites
from dopejar.adapters.sqlite.integrity_check import IntegrityChecks, IntegrityRepairs
from dopejar.adapters.sqlite.vector_writer import VectorWrites
from dopejar.adapters.sqlite.vectors import VectorReads
from dopejar.errors import StoreError

if TYPE_CHECKING:
    from dopejar.ports.store import StoreSizes


def _ended(*_: object) -> NoReturn:
    raise StoreError("This snapshot or transaction is over. Read inside the block that opened it.")


class ReadSession(IntegrityChecks, GraphReads, EpisodeReads, VectorReads, HeldRowReads):
    """A snapshot."""

    def schema_version(self) -> int:
        """The number of the file's schema."""
        return self._number("PRAGMA user_version")

    def sizes(self) -> StoreSizes:
        """Counts and bytes."""
        from dopejar.ports.store import StoreSizes  # recall asks for none

        return StoreSizes(
            episodes=self._count("episodes"),
            records=self._counts("SELECT status, count(*) FROM records GROUP BY status ORDER BY status"),
            proposals=self._counts("SELECT state, count(*) FROM proposals GROUP BY state ORDER BY state"),
            ledger=self._count("ledger"),
            vectors=self._count("vector_codes"),
            outbox=self._count("outbox"),
            edges=self._count("edges"),
            bytes=self._bytes(),
        )

    def _count(self, table: str) -> int:
        return self._number(f"SELECT count(*) FROM {table}")

    def _counts(self, sql: str) -> dict[str, int]:
        return dict(cast("list[tuple[str, int]]", self._rows(sql)))

    def _bytes(self) -> int:
        log = self._path.with_name(self._path.name + "-wal")
        return sum(file.stat().st_size for file in (self._path, log) if file.exists())

    def end(self) -> None:
        """Refuse every later call: the connection serves another block by then."""
        self._execute = _ended  # type: ignore[assignment] # takes any arguments and never returns


class WriteSession(IntegrityRepairs, VectorWrites, HeldRowWrites, ReadSession):
    """The writer's transaction."""
