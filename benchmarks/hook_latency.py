"""The hook of a coding assistant at a prompt: CPU time of a fresh process that recalls.

Takes: folders in the neutral format. Gives: one JSON object with the median and the 95th percentile in milliseconds of
CPU time, beside those of a bare interpreter. Never: loads a model, or leaves its store behind.

    python -m benchmarks.hook_latency DIR [--records N] [--calls N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from dopejar.bench.retrieval import no_progress
from dopejar.bench.store_sample import fill, read_sets, statements
from dopejar.compose import STORE_NAME, open_store

_HOOK: Final = ("-m", "dopejar.doors.hook")
_LONGEST: Final = 2_000  # characters of a prompt


def cpu_ms(arguments: tuple[str, ...], payload: bytes, environment: dict[str, str]) -> float:
    """CPU time of one process, user and system together."""
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
    )
    assert process.stdin is not None
    process.stdin.write(payload)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return (usage.ru_utime + usage.ru_stime) * 1000


def main() -> None:
    """Parse the arguments, measure, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with one data set in the neutral format, or with several")
    parser.add_argument("--records", type=int, default=1_000, help="how many records the store has")
    parser.add_argument("--calls", type=int, default=40, help="how many prompts are counted")
    arguments = parser.parse_args()
    turns, asked = read_sets(arguments.data)
    asked = random.Random(0).sample([text for text in asked if len(text) <= _LONGEST], arguments.calls + 1)
    with tempfile.TemporaryDirectory(prefix="dopejar-hook-") as made:
        store = open_store(Path(made) / STORE_NAME)
        fill(store, statements(turns, arguments.records, 0), no_progress)
        store.close()
        environment = {**os.environ, "DOPEJAR_HOME": made, "DOPEJAR_EMBEDDER_KIND": "none"}
        payloads = [
            json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "bench", "cwd": made, "prompt": text})
            for text in asked
        ]
        bare = median(cpu_ms(("-c", "pass"), b"", environment) for _ in range(5))
        taken = [cpu_ms(_HOOK, payload.encode(), environment) for payload in payloads][1:]
    figures = {"records": arguments.records, "interpreter_ms": round(bare, 1), "p50_ms": round(median(taken), 1)}
    sys.stdout.write(json.dumps({**figures, "p95_ms": round(quantiles(taken, n=20)[-1], 1)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
