"""The hook of a coding assistant at a prompt: what a fresh process takes that recalls, alone or by a resident process.

Takes: folders in the neutral format, and for the resident process the folder of an installed model. Gives: one JSON
object with the median and the 95th percentile in milliseconds of the hook's CPU time and of the time from its start to
its end, beside a bare interpreter. Never: loads a model in the hook, or leaves its store or a process behind.

Bytecode is written first, as in an installation, whatever the environment says of it.

    python -m benchmarks.hook_latency DIR [--records N] [--calls N] [--resident MODELS]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import dopejar
from dopejar.bench.retrieval import no_progress
from dopejar.bench.store_sample import fill, read_sets, statements
from dopejar.compose import STORE_NAME, open_memory
from dopejar.compose.stores import open_store

_HOOK: Final = ("-m", "dopejar.doors.hook")
_LONGEST: Final = 2_000  # characters of a prompt


def taken_ms(arguments: tuple[str, ...], payload: bytes, environment: dict[str, str]) -> tuple[float, float]:
    """CPU time of one process, user and system together, and the time from its start to its end."""
    begun = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
    )
    assert process.stdin is not None
    process.stdin.write(payload)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return (usage.ru_utime + usage.ru_stime) * 1000, elapsed * 1000


@contextmanager
def resident(home: Path, models: Path, environment: dict[str, str]) -> Iterator[None]:
    """A resident process over a store whose texts are embedded."""
    (home / "models").symlink_to(models.absolute())
    with open_memory(home, environment=environment) as memory:
        memory.maintenance.maintain()
    words = ("-m", "dopejar.doors.cli", "serve", "--resident")
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    assert process.stdout is not None
    assert process.stdout.readline()  # it listens
    yield
    assert process.poll() is None
    process.terminate()
    process.wait()
    process.stdout.close()


def main() -> None:
    """Parse the arguments, measure, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with one data set in the neutral format, or with several")
    parser.add_argument("--records", type=int, default=1_000, help="how many records the store has")
    parser.add_argument("--calls", type=int, default=40, help="how many prompts are counted")
    parser.add_argument("--resident", type=Path, metavar="MODELS", help="ask a resident process with this model")
    arguments = parser.parse_args()
    turns, asked = read_sets(arguments.data)
    asked = random.Random(0).sample([text for text in asked if len(text) <= _LONGEST], arguments.calls + 1)
    with tempfile.TemporaryDirectory(prefix="dopejar-hook-") as made, ExitStack() as stack:
        store = open_store(Path(made) / STORE_NAME)
        fill(store, statements(turns, arguments.records, 0), no_progress)
        store.close()
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "DOPEJAR_HOME": made, "PYTHONPYCACHEPREFIX": str(Path(made) / "bytecode")}
        subprocess.run([sys.executable, "-m", "compileall", "-q", *dopejar.__path__], env=environment, check=True)  # noqa: S603 - this interpreter
        if arguments.resident:
            stack.enter_context(resident(Path(made), arguments.resident, environment))
        else:
            environment["DOPEJAR_EMBEDDER_KIND"] = "none"
        payloads = [
            json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "bench", "cwd": made, "prompt": text})
            for text in asked
        ]
        bare = [taken_ms(("-c", "pass"), b"", environment) for _ in range(9)]
        taken = [taken_ms(_HOOK, payload.encode(), environment) for payload in payloads][1:]
    figures: dict[str, object] = {"records": arguments.records, "resident": bool(arguments.resident)}
    for name, column in (("cpu", 0), ("elapsed", 1)):
        times = [row[column] for row in taken]
        found = (median(row[column] for row in bare), median(times), quantiles(times, n=20)[-1])
        figures[name] = dict(zip(("interpreter_ms", "p50_ms", "p95_ms"), (round(ms, 1) for ms in found), strict=True))
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
