"""Durability: writers that are killed with kill -9 lose no acknowledged commit.

Takes: how many writers and rounds. Gives: acknowledged and lost commits, and the longest wait. Never: kills a process
that it did not start.

Each writer is a process that remembers one sentence after another, and writes each act to a pipe once the commit is
acknowledged. In each round every writer is killed at a random moment; then the store is opened and verified.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dopejar.compose import open_memory
from dopejar.errors import LedgerBrokenError, StoreError
from dopejar.values.ids import ActId

BAR_WAIT_SECONDS: Final = 0.5
_NO_VECTORS: Final = {"DOPEJAR_EMBEDDER_KIND": "none"}
_SHORTEST, _LONGEST = 0.3, 1.2  # seconds that a round's writers live after the first acknowledgement
_START_SECONDS: Final = 30.0
_ADJECTIVES: Final = ("amber", "brisk", "calm", "dusty", "eager", "faint", "gentle", "hollow", "ivory", "jagged")
_NOUNS: Final = ("anchor", "beacon", "cellar", "drawbridge", "engine", "furnace", "gable", "harbour", "inlet", "jetty")


@dataclass(frozen=True, kw_only=True, slots=True)
class DurabilityResult:
    """Counts over all rounds; times in seconds. `passed`: nothing lost, all intact, no wait above the bar."""

    writers: int
    rounds: int
    acknowledged: int
    lost: int
    kills: int
    is_ledger_whole: bool
    faults: tuple[str, ...]
    longest_wait: float
    median_wait: float
    longest_wait_bar: float = BAR_WAIT_SECONDS

    @property
    def passed(self) -> bool:
        """Whether the bar is reached."""
        return not self.lost and self.is_ledger_whole and not self.faults and self.longest_wait <= self.longest_wait_bar


@dataclass(kw_only=True)
class _Writer:
    """One child process, and what it acknowledged so far: act ids with the seconds that each took."""

    process: subprocess.Popen[str]
    acknowledged: list[tuple[str, float]] = field(default_factory=list)
    has_begun: threading.Event = field(default_factory=threading.Event)
    reader: threading.Thread | None = None

    def listen(self) -> None:
        """Collect acknowledgements until the pipe ends; a line that the kill cut off acknowledges nothing."""

        def collect() -> None:
            assert self.process.stdout is not None  # noqa: S101 - it was started with a pipe
            for line in self.process.stdout:
                if line.endswith("\n"):
                    act_id, seconds = line.split()
                    self.acknowledged.append((act_id, float(seconds)))
                    self.has_begun.set()

        self.reader = threading.Thread(target=collect, daemon=True)
        self.reader.start()

    def kill(self) -> None:
        """Kill -9, and collect the acknowledgements sent before."""
        self.process.kill()
        self.process.wait()
        if self.reader is not None:
            self.reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()


def run(
    rounds: int = 20,
    writers: int = 4,
    directory: Path | None = None,
    seed: int = 1,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> DurabilityResult:
    """Kill `writers` processes in each of `rounds`; nothing that they acknowledged may be missing afterwards."""
    if directory is not None:
        return _measured(directory, rounds, writers, random.Random(seed), progress)  # noqa: S311 - times of kills
    with tempfile.TemporaryDirectory(prefix="dopejar-durability-") as scratch:
        return _measured(Path(scratch), rounds, writers, random.Random(seed), progress)  # noqa: S311 - times of kills


def _measured(
    directory: Path, rounds: int, writers: int, chance: random.Random, progress: Callable[[str, int, int], None]
) -> DurabilityResult:
    acknowledged: dict[str, float] = {}
    lost: set[str] = set()
    faults: list[str] = []
    is_whole = True
    with open_memory(directory, environment=_NO_VECTORS, said_by="user"):
        pass  # the first round measures writing, not creating the file
    for number in range(rounds):
        progress("rounds", number, rounds)
        acknowledged.update(_round(directory, number, writers, chance))
        lost |= _missing(directory, acknowledged)
        new_faults, whole = _examined(directory)
        faults += new_faults
        is_whole = is_whole and whole
    progress("rounds", rounds, rounds)
    waits = sorted(acknowledged.values())
    return DurabilityResult(
        writers=writers,
        rounds=rounds,
        acknowledged=len(acknowledged),
        lost=len(lost),
        kills=rounds * writers,
        is_ledger_whole=is_whole,
        faults=tuple(dict.fromkeys(faults)),
        longest_wait=waits[-1] if waits else 0.0,
        median_wait=waits[len(waits) // 2] if waits else 0.0,
    )


def _round(directory: Path, number: int, writers: int, chance: random.Random) -> list[tuple[str, float]]:
    running = [_start(directory, number, writer) for writer in range(writers)]
    try:
        for writer in running:
            if not writer.has_begun.wait(_START_SECONDS):
                raise StoreError(
                    f"A writer acknowledged nothing within {_START_SECONDS:.0f} seconds. Try `dopejar doctor`."
                )
        for writer in chance.sample(running, len(running)):
            time.sleep(chance.uniform(_SHORTEST, _LONGEST) / len(running))
            writer.kill()
    finally:
        for writer in running:
            if writer.process.poll() is None:
                writer.kill()
    return [acknowledgement for writer in running for acknowledgement in writer.acknowledged]


def _start(directory: Path, number: int, writer: int) -> _Writer:
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "dopejar.bench.durability", str(directory), str(number), str(writer)],
        stdout=subprocess.PIPE,
        text=True,
    )
    started = _Writer(process=process)
    started.listen()
    return started


def _missing(directory: Path, acknowledged: Iterable[str]) -> set[str]:
    """Acts that were acknowledged and have no ledger entry, or whose records are not there."""
    missing = set()
    with open_memory(directory, environment=_NO_VECTORS, said_by="user") as memory, memory.store.read() as view:
        for act_id in acknowledged:
            entries = view.entries_of_act(ActId(act_id))
            if not entries or not view.states_of_act(ActId(act_id)):
                missing.add(act_id)
    return missing


def _examined(directory: Path) -> tuple[list[str], bool]:
    """The faults of the store's own check, and whether the hash chain of the ledger verifies."""
    with open_memory(directory, environment=_NO_VECTORS, said_by="user") as memory:
        file = memory.store.file
        faults = [f"{fault.what}: {fault.detail}" for fault in file.check()] if file is not None else []
        try:
            memory.verify()
        except LedgerBrokenError as fault:
            return [*faults, str(fault)], False
        return faults, True


def _write_until_killed(directory: Path, number: int, writer: int, out: Callable[[str], object]) -> None:
    """Remember sentences forever, and report the act of each once it is acknowledged."""
    place = 0
    with open_memory(directory, environment=_NO_VECTORS, said_by="user") as memory:
        memory.remember("The first port is 80.", dry_run=True)  # warm up: loading is not waiting
        while True:
            name = f"{_ADJECTIVES[place // 10 % 10]} {_NOUNS[place % 10]} {number}-{writer}-{place}"
            start = time.perf_counter()
            remembered = memory.remember(f"The {name} listens on port {1024 + (place * 7 + writer) % 60000}.")
            out(f"{remembered.act_id} {time.perf_counter() - start:.6f}\n")
            place += 1


def _write_line(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    _write_until_killed(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), _write_line)
