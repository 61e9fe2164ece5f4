"""What memory believes after short histories, in the format of the behaviour scorer.

Takes: a folder with `scenarios.jsonl`. Gives: the receipts, the active records and the packs of each history, as JSON
lines. Never: reads what a scenario expects; approves anything that was not said in the reviewer's session.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.compose import build, in_memory_store, make_reader
from dopejar.errors import InputError
from dopejar.settings import read_settings
from dopejar.values.recall import PackItem, RecordFilter, Source

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

_BUDGET: Final = 300  # tokens of a pack
_PASSPHRASE: Final = "a passphrase for one benchmark"


class _ScenarioClock:
    """`ports.clock.Clock` that stands still at the last step of a history."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        """The time of the last step."""
        return self._at


def run(data: Path, out: Path, home: Path, reader: str = "") -> dict[str, object]:
    """Tell each history to a fresh memory and write what it believes to `out`.

    `reader` is grammar or fitted; the configured one where empty. Returns counts and the median milliseconds of a step.

    Raises:
        InputError: the folder has no scenarios. SettingError: there is no such reader, or its model is not installed.
    """
    source = data / "scenarios.jsonl"
    if not source.is_file():
        raise InputError(f"{data} has no scenarios.jsonl. Give the folder of the scenarios with --data.")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines() if line.strip()]
    settings = read_settings(home, {})
    shared = cache(lambda: make_reader(settings, reader))
    times: list[float] = []
    with out.open("w", encoding="utf-8") as lines:
        for row in rows:
            clock = _ScenarioClock(datetime.fromisoformat(row["steps"][-1]["at"]))
            with build(settings, in_memory_store(), environment={}, clock=clock) as memory:
                memory._deps = replace(memory._deps, reader=shared)
                lines.write(json.dumps(_believe(memory, row, times), ensure_ascii=False) + "\n")
    return {"scenarios": len(rows), "median_ms": round(sorted(times)[len(times) // 2] * 1000, 1) if times else 0.0}


def _believe(memory: Memory, row: Mapping[str, object], times: list[float]) -> dict[str, object]:
    memory.reviewers.add("bench", _PASSPHRASE)
    reviewer = memory.reviewers.unlock("bench", _PASSPHRASE)
    receipts = []
    steps = row["steps"]
    assert isinstance(steps, list)
    for step in steps:
        start = time.perf_counter()
        said = memory.remember(
            step["say"],
            said_by=step["by"],
            at=datetime.fromisoformat(step["at"]),
            by=reviewer if step["by"] == "user" else None,
        )
        times.append(time.perf_counter() - start)
        receipts.append([receipt.outcome for receipt in said.receipts])
    expect = row["expect"]
    assert isinstance(expect, dict)
    questions = [asked["q"] for asked in expect.get("recall", ())]
    active = [record.text for record in memory.list_records(RecordFilter(namespace=None))]
    answers = [{"q": question, "items": _items(memory, question)} for question in questions]
    return {"id": row["id"], "receipts": receipts, "active": active, "recall": answers}


def _items(memory: Memory, question: str) -> Sequence[Mapping[str, object]]:
    return [_item(item) for item in memory.recall(question, budget=_BUDGET).items]


def _item(item: PackItem) -> Mapping[str, object]:
    kind = "record" if item.source is Source.RECORD else "quotation"
    out_of_force = [mark for mark in item.marks if mark in ("superseded", "deprecated", "retracted", "expired", "rejected", "erased")]
    status = out_of_force[0] if out_of_force else item.status or "active"
    return {"text": item.text, "kind": kind, "status": status, "score": item.score}
