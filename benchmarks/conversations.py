"""What memory believes after histories that were told to an assistant, one conversation a step, and learned from.

Takes: a folder with `scenarios.jsonl`. Gives: a file for the scorer of `dopejar bench behaviour`. Never: reads what a
scenario expects but its questions.

    python -m benchmarks.conversations DIR --out PRED --home DIR [--reader grammar]    # --home: with a model

A person approves everything that waits after each conversation: what is read is measured, not who decides.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dopejar.bench.behaviour import run
from dopejar.engine.dependencies import Reviewer
from dopejar.engine.memory import Memory
from dopejar.errors import StaleProposalError
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Origin
from dopejar.values.proposal_enums import Action
from dopejar.values.transcript import LiveTurn


def learned(memory: Memory, reviewer: Reviewer, step: Mapping[str, Any]) -> list[str]:
    """A step as a conversation that ends with it: its `turns`, a minute apart, or one turn; no receipts."""
    turns = step.get("turns") or [step]
    name = f"{step['at']} {content_hash(turns[0]['say'])}"
    for number, turn in enumerate(turns):
        at = datetime.fromisoformat(step["at"]) + timedelta(minutes=number)
        said = LiveTurn(conversation=name, source_id=str(number), text=turn["say"], origin=Origin(turn["by"]), at=at)
        memory.observe(said)
    memory.sessions.end(name)
    for item in memory.review.queue():
        proposal = item.proposal
        if proposal.action is not Action.ERASE:
            with suppress(StaleProposalError):  # what it was about has changed with the one before
                memory.review.approve([proposal.id], reviewer, seen={proposal.id: proposal.version})
    return []


def main() -> None:
    """Read the arguments and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--reader", default="fitted")
    chosen = parser.parse_args()
    print(json.dumps(run(chosen.data, chosen.out, chosen.home, chosen.reader, learned)))


if __name__ == "__main__":
    main()
