"""Governed turns under `kill -9`: two processes on one conversation, killed at any moment, again and again.

Takes: nothing. Gives: one JSON object with the kills, the turns that were acknowledged, and what was wrong. Never: a
data directory that stays.

    python -m benchmarks.turn_kills [--kills 500] [--folder /dev/shm]

Each round begins two processes that take turns and answers on the same conversation, and kills both at a random moment.
Then a third one reads the state: it has to load, no turn may be there twice or half, every acknowledged one must be
there, and the turn that was under way is sent again under its id, which governs it once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from dopejar import Memory, Partner, open_memory
from dopejar.errors import DopejarError

SAID = (
    "Let's work on the release notes.",
    "The first paragraph is done.",
    "Hold on, something else first.",
    "STOP! Wrong project!",
    "What is left?",
)
_LONGEST = 0.5  # seconds until a kill


@dataclass(slots=True)
class Tally:
    """What the rounds came to."""

    kills: int = 0
    acknowledged: set[str] = field(default_factory=set)
    sent_again: int = 0
    faults: list[str] = field(default_factory=list)


def main() -> None:
    """Kill, look, print; exit 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--folder", type=Path, help="where the data directory lies meanwhile")
    chosen = parser.parse_args()
    tally, draw = Tally(), random.Random(11)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        home = Path(folder)
        with _opened(home) as memory:
            Partner(memory).turn("Good morning.", turn_id="first", recall=False)
        while tally.kills < chosen.kills:
            _round(home, tally, draw)
        with _opened(home) as memory:
            turns = Partner(memory).state.focus.turn
    print(
        json.dumps(
            {
                "kills": tally.kills,
                "turns": turns,
                "acknowledged": len(tally.acknowledged),
                "sent_again": tally.sent_again,
                "faults": tally.faults,
            }
        )
    )
    sys.exit(1 if tally.faults else 0)


def _round(home: Path, tally: Tally, draw: random.Random) -> None:
    children = [_begin(home, f"r{tally.kills}-{place}", draw.randrange(1 << 30)) for place in range(2)]
    time.sleep(draw.uniform(0.01, _LONGEST))
    for child, _ in children:
        os.kill(child, signal.SIGKILL)
    begun: list[str] = []
    for child, pipe in children:
        os.waitpid(child, 0)
        tally.kills += 1
        with os.fdopen(pipe) as lines:
            for line in lines.read().splitlines():
                word, _, name = line.partition(" ")
                begun.append(name) if word == "begin" else tally.acknowledged.add(name)
    with _opened(home) as memory:
        _check(memory, tally)
        for name in begun:
            if name not in tally.acknowledged:  # the host cannot know, and sends it again
                Partner(memory).turn(SAID[0], turn_id=name, recall=False)
                tally.acknowledged.add(name)
                tally.sent_again += 1
        _check(memory, tally)


def _begin(home: Path, name: str, seed: int) -> tuple[int, int]:
    """A process that takes turns until it is killed; its number, and where it says what it began and finished."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        _take_turns(home, name, writing, random.Random(seed))
    finally:
        os._exit(1)


def _take_turns(home: Path, name: str, pipe: int, draw: random.Random) -> None:
    with _opened(home) as memory:
        partner = Partner(memory)
        for number in range(1_000_000):
            turn = f"{name}-{number}"
            os.write(pipe, f"begin {turn}\n".encode())
            partner.turn(draw.choice(SAID), turn_id=turn, recall=False)
            os.write(pipe, f"done {turn}\n".encode())
            try:
                if partner.state.proposals:
                    partner.answer(draw.choice(partner.state.proposals).gate, approved=draw.random() < 0.7)
            except (DopejarError, IndexError):
                continue  # the other process was faster


def _check(memory: Memory, tally: Tally) -> None:
    """What has to hold of the state and the turns that are kept, at any moment."""
    state = Partner(memory).state
    with memory.store.read() as view:
        (row,) = (one for one in view.conversations(10) if one.name == "main")
        kept = [one.source_id for one in view.turns(row.id, 0)]
    turns = [one for one in kept if one.startswith("r")]
    checks = {
        "a turn is kept twice": len(set(turns)) != len(turns),
        "an acknowledged turn is lost": bool(tally.acknowledged - set(turns)),
        "turns kept and turns governed differ": state.focus.turn != len(turns) + 1,
        "the layers count different turns": state.altitude.turn != state.focus.turn,
        "a turn is known twice": len(set(state.turn_ids)) != len(state.turn_ids),
        "more than one lane is active": sum(one.status == "active" for one in state.lanes.lanes) > 1,
        "the last turn is unknown": bool(turns) and turns[-1] not in state.turn_ids,
    }
    tally.faults += [f"after {tally.kills} kills: {fault}" for fault, is_so in checks.items() if is_so]


def _opened(home: Path) -> Memory:
    return open_memory(home, environment={}, said_by="user")


if __name__ == "__main__":
    main()
