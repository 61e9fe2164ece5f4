"""The ingestion protocol: a repetition reinforces, a newer version supersedes, and tests stay apart.

Run it with `python examples/seed_ingestion_protocol.py`.
"""

from __future__ import annotations

from dopejar import open_memory
from dopejar.seeds import MemoryOrchestrator, route_namespace

with open_memory(said_by="user") as memory:
    orchestrator = MemoryOrchestrator(memory)
    for said in (
        "Our ledger service listens on port 7411.",
        "I think our ledger service listens on port 7411.",
        "Our ledger service listens on port 7412.",
    ):
        (receipt,) = orchestrator.add_memory(said).receipts
        print(receipt.outcome, receipt.records[-1].key)  # > LedgerService-Config-Port
    for version in memory.history("LedgerService-Config-Port").versions:
        print(version.status, version.text)  # > superseded Our ledger service listens on port 7411

    print(route_namespace("The mirror answers.", tags=["smoke"]))  # > ephemeral
    orchestrator.add_memory("Our lamp service listens on port 1.", tags=["test"])
    print(len(memory.list()), len(memory.list(namespace="test")))  # > 1 1
