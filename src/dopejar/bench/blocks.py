"""Blocks of a stream of turns: to which block the router puts each turn, in the neutral format of turns.

Takes: a folder with `turns.jsonl`, one stream per store. Gives: a line per turn with its block. Never: reads to which
session a turn belongs, nor a turn before those that come before it.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.bench.retrieval import (
    CHUNK,
    ORIGINS,
    Progress,
    Row,
    no_progress,
    quantile,
    read_rows,
    rows_by_store,
    text_field,
    time_field,
)
from dopejar.pipelines.garden.block_router import RouterState, route
from dopejar.pipelines.garden.blocks import IncomingTurn
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from dopejar.pipelines.garden.blocks import Vector
    from dopejar.ports.embedder import Embedder


def run(
    data: Path, out: Path, *, embedder: Embedder | None, times: bool = True, progress: Progress = no_progress
) -> dict[str, object]:
    """Route the turns of every store and write `out`: `{"store", "turn_id", "block"}` a line, in the turns' order.

    `times`: whether the router is told when turns were said. Without an embedder, words alone decide. Times are CPU
    time of routing a turn with its vector given. Raises InputError where the file is missing, or a line is not of the
    format.
    """
    stores = rows_by_store(read_rows(data / "turns.jsonl"))
    total, routes = sum(map(len, stores.values())), Counter[str]()
    lines: list[dict[str, str]] = []
    spent: list[float] = []
    blocks = 0
    for store, rows in stores.items():
        state = RouterState()
        vectors = _vectors(rows, embedder, len(lines), total, progress)
        for row, vector in zip(rows, vectors, strict=True):
            turn = _turn(row, vector, times=times)
            start = time.thread_time()
            state, routing = route(state, turn)
            spent.append((time.thread_time() - start) * 1000)
            routes[routing.route] += 1
            if routing.moved is not None:
                lines[-1]["block"] = routing.block
            lines.append({"store": store, "turn_id": turn.turn_id, "block": routing.block})
        blocks += len(state.blocks)
    out.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return {
        "stores": len(stores),
        "turns": total,
        "blocks": blocks,
        "resumed": routes["resume"],
        "embedder": str(embedder.identity) if embedder else "none",
        "times": times,
        "routing_p50_ms": quantile(spent, 0.5),
        "routing_p99_ms": quantile(spent, 0.99),
        "routing_mean_ms": round(sum(spent) / max(1, len(spent)), 3),
    }


def _turn(row: Row, vector: Vector | None, *, times: bool) -> IncomingTurn:
    return IncomingTurn(
        turn_id=text_field(row, "turn_id"),
        text=text_field(row, "text"),
        origin=ORIGINS.get(str(row.get("role") or "other"), Origin.OTHER),
        at=time_field(row, "session_time") if times else None,
        vector=vector,
    )


def _vectors(
    rows: Sequence[Row], embedder: Embedder | None, before: int, total: int, progress: Progress
) -> list[Vector | None]:
    """A vector for each row, or None for each where nobody embeds."""
    if embedder is None:
        return [None] * len(rows)
    found: list[Vector | None] = []
    for start in range(0, len(rows), CHUNK):
        found.extend(embedder.embed([text_field(row, "text") for row in rows[start : start + CHUNK]]))
        progress("vectors", before + len(found), total)
    return found
