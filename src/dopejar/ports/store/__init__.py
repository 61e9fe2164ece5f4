"""The store: records, episodes, proposals, ledger, indexes, graph and held rows behind small ports.

Takes: values. Gives: values. Never: decides; `memory` computes every change and the store writes it.

A handle is for one tenant. `write()` commits when its block ends without a fault; acknowledged means durable, as far as
the store is. A new store implements `Store`, `ReadView` and `WriteTransaction`, passes the contract suite in
`dopejar.testing.store_contract`, and offers `FileAdministration` where it is a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from dopejar.ports.protocol import Protocol
from dopejar.ports.store.episodes import EpisodeReader, EpisodeWriter
from dopejar.ports.store.file_administration import SCRUB_ROW, Fault, FileAdministration
from dopejar.ports.store.graph import GraphReader, GraphWriter
from dopejar.ports.store.held_rows import HeldRowReader, HeldRowWriter
from dopejar.ports.store.ledger import LedgerReader, LedgerWriter
from dopejar.ports.store.records import RecordReader, RecordWriter, Tombstone
from dopejar.ports.store.review import ProposalLink, ReviewReader, ReviewWriter
from dopejar.ports.store.search import Outbox, SearchReader, SearchWriter, UnindexedText, Vector
from dopejar.ports.store.usage import UsageReader, UsageWriter

__all__ = [
    "SCRUB_ROW",
    "EpisodeReader",
    "EpisodeWriter",
    "Fault",
    "FileAdministration",
    "GraphReader",
    "GraphWriter",
    "HeldRowReader",
    "HeldRowWriter",
    "LedgerReader",
    "LedgerWriter",
    "Outbox",
    "ProposalLink",
    "ReadView",
    "RecordReader",
    "RecordWriter",
    "ReviewReader",
    "ReviewWriter",
    "SearchReader",
    "SearchWriter",
    "Store",
    "StoreSizes",
    "Tombstone",
    "UnindexedText",
    "UsageReader",
    "UsageWriter",
    "Vector",
    "WriteTransaction",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreSizes:
    """Counts and bytes for `status` and `doctor`. A store without a file has no bytes."""

    episodes: int
    records: Mapping[str, int]  # by status
    proposals: Mapping[str, int]  # by state
    ledger: int
    vectors: int
    outbox: int
    edges: int
    bytes: int


class ReadView(
    RecordReader,
    GraphReader,
    EpisodeReader,
    ReviewReader,
    LedgerReader,
    SearchReader,
    HeldRowReader,
    UsageReader,
    Protocol,
):
    """A snapshot: every read within it sees the same state."""

    def meta(self, key: str) -> str | None:
        """A value about the store itself: `secret` (hex), `change_seq`, ..."""

    def sizes(self) -> StoreSizes:
        """Counts and bytes."""


class WriteTransaction(
    ReadView,
    RecordWriter,
    GraphWriter,
    EpisodeWriter,
    ReviewWriter,
    LedgerWriter,
    SearchWriter,
    HeldRowWriter,
    UsageWriter,
    Protocol,
):
    """The one writer's transaction. It reads its own writes. A commit that changed a row raises `change_seq`."""

    def set_meta(self, key: str, value: str) -> None:
        """Write a value about the store itself."""

    def accept_altered_row(self, table: str, row: str) -> bool:
        """Let a row that something else altered match again; whether `FileAdministration.check` names it so."""


class Store(Protocol):
    """A store handle, for one tenant. Safe to use from several threads; never across a fork."""

    @property
    def is_read_only(self) -> bool:
        """Whether the store could be opened for reading alone."""

    @property
    def file(self) -> FileAdministration | None:
        """Administration of the data file; None where the store is no file."""

    def read(self) -> AbstractContextManager[ReadView]:
        """A snapshot to read from. Reading after the block has ended raises StoreError."""

    def write(self, *, wait: bool = True) -> AbstractContextManager[WriteTransaction]:
        """The writer's transaction; waits its turn, or without `wait` begins at once or not at all.

        Raises StoreBusyError, StoreFullError, StoreReadOnlyError.
        """

    def close(self) -> None:
        """Release what the handle holds."""
