"""The manual gardener: a conversation becomes blocks, and what holds for all of a block is said once.

Run it with `python examples/seed_manual_gardener.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dopejar import open_memory
from dopejar.seeds import (
    ContextAssembler,
    DossierGovernor,
    ManualGardener,
    fact_store,
    get_block_metadata,
    get_facts_for_block,
)

TALK = (
    "I am using Python 3.9 for the kiln controller.",
    "The kiln controller logs into a ring buffer.",
    "When I say the vault, I mean the archive server of the kiln.",
    "The kiln controller writes its log into the vault at night.",
)
BEGAN = datetime(2026, 3, 4, 9, tzinfo=UTC)

with open_memory(said_by="user") as memory:
    messages = [
        {"role": "user", "content": text, "at": BEGAN + timedelta(minutes=place)} for place, text in enumerate(TALK)
    ]
    memory.add(messages, conversation="kiln")
    memory.garden.tend()
    (block,) = memory.garden.blocks()

    gardener = ManualGardener(memory)
    print(gardener.process_bridge_block(block.id)["status"], memory.garden.block(block.id).state)  # > success archived
    print(get_block_metadata(memory, block.id)["global_tags"])  # > env: python-3.9
    print(len(get_facts_for_block(memory, block.id)) > 1)  # > True
    print(fact_store(memory, "python 3.9")[0]["evidence_snippet"])  # > Python 3.9

    chunks = [{"block_id": block.id, "turn_id": place, "text": text} for place, text in enumerate(TALK)]
    print(ContextAssembler(memory).hydrate_chunks_with_metadata(chunks))  # > Active Rules: [env: python-3.9]

    facts = [
        {"value": "I am using Python 3.9", "turn_id": 0},
        {"value": "Never use eval()", "turn_id": 2},
        {"value": "Call the server Box A", "turn_id": 3},
        {"value": "I work remotely", "turn_id": 4},
    ]
    print(gardener._classify_facts_for_tagging(facts))  # noqa: SLF001 - the document's name  # > no-eval

    governor = DossierGovernor(memory)
    governor.process_fact_packet({"facts": ["Kestrel was renamed to Merlin."], "cluster_label": "services"})
    governor.process_fact_packet({"facts": ["Merlin runs on port 8443."], "cluster_label": "services"})
    print(memory.dossiers.find("Kestrel").names)  # > 'Kestrel', 'Merlin'
    print(memory.dossiers.find("Kestrel").summary)  # > Merlin runs on port 8443.
