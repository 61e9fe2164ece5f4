"""What every store promises, as tests that an adapter inherits.

Takes: a way to open a store on a directory. Gives: tests of every promise of `ports/store`. Never: knows an adapter,
and never skips: an adapter that lacks something fails here.
"""

from __future__ import annotations

from dopejar.testing.store_contract_episodes import EpisodePromises
from dopejar.testing.store_contract_erasure import ErasurePromises
from dopejar.testing.store_contract_file import FilePromises
from dopejar.testing.store_contract_graph import GraphPromises
from dopejar.testing.store_contract_held import HeldPromises
from dopejar.testing.store_contract_ledger import LedgerPromises
from dopejar.testing.store_contract_records import RecordPromises
from dopejar.testing.store_contract_search import SearchPromises
from dopejar.testing.store_contract_transactions import TransactionPromises
from dopejar.testing.store_contract_vectors import VectorPromises


class StoreContract(
    RecordPromises,
    GraphPromises,
    EpisodePromises,
    LedgerPromises,
    SearchPromises,
    VectorPromises,
    HeldPromises,
    ErasurePromises,
    TransactionPromises,
):
    """Inherit, supply `open_store`, and every promise is tested on it."""


class FileStoreContract(StoreContract, FilePromises):
    """The same for a store in a file, with durability and file administration."""
