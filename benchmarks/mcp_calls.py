"""Calls of the MCP server: `memory_recall` beside an empty tool of the same server.

Takes: folders in the neutral format. Gives: one JSON object with the median and the 95th percentile of both, in
milliseconds, in this process and over standard input and output, with the median of the library alone, and how long
the first answer took. Never: leaves its store behind.

    python -m benchmarks.mcp_calls DIR [--records N] [--calls N]

The calls of both tools take turns, so that a busy machine is slow for both. The store has no vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Final, TypedDict

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from dopejar.bench.retrieval import no_progress
from dopejar.bench.store_sample import fill, read_sets, statements
from dopejar.compose import STORE_NAME, open_memory
from dopejar.compose.stores import open_store
from dopejar.doors.mcp.application import MemoryServer, create_server
from dopejar.doors.mcp.server import run_on_stdio
from dopejar.engine.memory import Memory

EMPTY: Final = "empty"
_WARM_UP: Final = 10
_LONGEST: Final = 10_000  # characters of a question that the server takes
_NO_VECTORS: Final = {**os.environ, "DOPEJAR_EMBEDDER_KIND": "none"}


class _Nothing(TypedDict):
    text: str


def server_with_empty_tool(memory: Memory) -> MemoryServer:
    """The server over a memory, with one tool more, which does nothing."""
    server = create_server(memory)

    def nothing(question: str) -> _Nothing:
        """Do nothing."""
        return {"text": question}

    server.add_tool(nothing, name=EMPTY)
    return server


async def measure(client: Client, questions: Sequence[str]) -> dict[str, float]:
    """Milliseconds of calls of both tools, one after the other."""
    taken: dict[str, list[float]] = {EMPTY: [], "memory_recall": []}
    for question in questions:
        for tool, times in taken.items():
            start = time.perf_counter()
            result = await client.call_tool(tool, {"question": question})
            assert not result.is_error
            times.append((time.perf_counter() - start) * 1000)
    figures: dict[str, float] = {}
    for tool, times in taken.items():
        counted = times[_WARM_UP:]
        figures[f"{tool}_p50"] = round(median(counted), 2)
        figures[f"{tool}_p95"] = round(quantiles(counted, n=20)[-1], 2)
    return {**figures, "more_p50": round(figures["memory_recall_p50"] - figures[f"{EMPTY}_p50"], 2)}


async def run(home: Path, questions: Sequence[str]) -> dict[str, object]:
    """Measure in this process, and over the pipes of another one."""
    with open_memory(home, environment=_NO_VECTORS) as memory:
        async with Client(server_with_empty_tool(memory)) as client:
            in_process = await measure(client, questions)
        library = round(median(_recall_ms(memory, question) for question in questions), 2)
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "benchmarks.mcp_calls", str(home), "--serve"], env=_NO_VECTORS
    )
    start = time.perf_counter()
    async with Client(parameters) as client:
        await client.list_tools()
        first = round((time.perf_counter() - start) * 1000)
        return {
            "library_p50": library,
            "in_process": in_process,
            "stdio": await measure(client, questions),
            "first_answer_ms": first,
        }


def _recall_ms(memory: Memory, question: str) -> float:
    start = time.perf_counter()
    memory.recall(question)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Parse the arguments, measure, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with one data set in the neutral format, or with several")
    parser.add_argument("--records", type=int, default=10_000, help="how many records the store has")
    parser.add_argument("--calls", type=int, default=200, help="how many calls of each tool are counted")
    parser.add_argument("--serve", action="store_true", help="only serve the store in DIR, as the measurement does")
    arguments = parser.parse_args()
    if arguments.serve:
        with open_memory(arguments.data, environment=_NO_VECTORS) as memory:
            run_on_stdio(server_with_empty_tool(memory))
        return
    turns, asked = read_sets(arguments.data)
    asked = random.Random(0).sample([text for text in asked if len(text) <= _LONGEST], _WARM_UP + arguments.calls)
    with tempfile.TemporaryDirectory(prefix="dopejar-mcp-") as made:
        home = Path(made)
        store = open_store(home / STORE_NAME)
        fill(store, statements(turns, arguments.records, 0), no_progress)
        store.close()
        result = anyio.run(run, home, asked)
    sys.stdout.write(json.dumps({"records": arguments.records, **result}, indent=2) + "\n")


if __name__ == "__main__":
    main()
