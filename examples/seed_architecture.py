"""The architecture's memory bus: working sets of single problems, references for all, traces, and the write gate.

Run it with `python examples/seed_architecture.py`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from dopejar import open_memory
from dopejar.seeds import SharedReference, WorkingSet

now = datetime.now(UTC)
with open_memory(said_by="user") as memory:
    # working sets: one per problem, isolated, and gone when they expire
    for problem, step in {"invoice-bug": "bisect", "new-logo": "sketch"}.items():
        body = json.dumps({"next": step})
        working = WorkingSet(problem_id=problem, lane_id="", body=body, expires_at=now + timedelta(hours=2))
        memory.workspace.hold_working_set(working)
    held = memory.workspace.working_set("invoice-bug")
    print(held.body if held else "")  # > {"next": "bisect"}

    # shared references: versioned, and citable by their version
    for version, focus in enumerate(("accuracy", "speed"), 1):
        value = json.dumps({"focus": focus})
        memory.workspace.put_reference(
            SharedReference(
                key="priorities", value=value, version=version, source="plan", updated_by="ana", updated_at=now
            )
        )
    first, newest = memory.workspace.reference("priorities", 1), memory.workspace.reference("priorities")
    print(first.value if first else "", newest.value if newest else "")  # > {"focus": "accuracy"} {"focus": "speed"}

    # semantic synthesis: what is distilled rests on evidence in the episodic trace
    (receipt,) = memory.remember("The invoices are printed in the Aldmere office.").receipts
    ((evidence, episode),) = memory.history(receipt.records[0].id).evidence
    print(evidence.wording in (episode.text if episode else ""))  # > True

    # the write gate: an agent's rule waits, and the ledger says who proposed it
    print(memory.remember("Never call the printer twice.", said_by="assistant").waits)  # > True
    print(memory.log(1)[0].proposer)  # > assistant
