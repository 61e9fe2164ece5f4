"""What memory believes after short histories, in the format of the behaviour scorer.

Takes: a folder with `scenarios.jsonl`. Gives: the receipts, the active records and the packs of each history, as JSON
lines. Never: reads what a scenario expects but its questions; approves
anything that was not said in the reviewer's session.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dopejar.compose import build
from dopejar.compose.stores import in_memory_store
from dopejar.errors import InputError
from dopejar.settings import Settings, read_settings
from dopejar.values.recall import PackItem, RecordFilter, Source

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer
    from dopejar.engine.memory import Memory

    Tell = Callable[[Memory, Reviewer, Mapping[str, Any]], list[str]]

_BUDGET: Final = 300  # tokens of a pack
_ENVIRONMENTS: Final = {
    "fitted": {"DOPEJAR_EMBEDDER_KIND": "minilm"},
    "grammar": {"DOPEJAR_EMBEDDER_KIND": "none"},
}
_OUT_OF_FORCE: Final = ("superseded", "deprecated", "retracted", "expired", "rejected", "erased")


class ScenarioClock:
    """`ports.clock.Clock` that stands still at the last step of a history."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        """The time of the last step."""
        return self._at


def remembered(memory: Memory, reviewer: Reviewer, step: Mapping[str, Any]) -> list[str]:
    """A step told to the memory itself, the user's within the reviewer's session; the outcomes of its receipts."""
    said = memory.remember(
        step["say"],
        said_by=step["by"],
        at=datetime.fromisoformat(step["at"]),
        by=reviewer if step["by"] == "user" else None,
    )
    return [receipt.outcome for receipt in said.receipts]


def run(data: Path, out: Path, home: Path, reader: str = "fitted", tell: Tell = remembered) -> dict[str, object]:
    """Tell each history to a fresh memory and write what it believes to `out`.

    `reader` is fitted (with the installed model) or grammar (without one); `tell` tells one step. Returns counts and
    the median milliseconds of a step.

    Raises:
        InputError: the folder has no scenarios, or there is no such reader. WeightsMissingError: no model is installed.
    """
    source = data / "scenarios.jsonl"
    if not source.is_file():
        raise InputError(f"{data} has no scenarios.jsonl. Give the folder of the scenarios with --data.")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines() if line.strip()]
    settings = reader_settings(home, reader)
    times: list[float] = []
    with out.open("w", encoding="utf-8") as lines:
        for row in rows:
            clock = ScenarioClock(datetime.fromisoformat(row["steps"][-1]["at"]))
            with build(settings, in_memory_store(), environment={}, clock=clock) as memory:
                lines.write(json.dumps(_believe(memory, row, times, tell), ensure_ascii=False) + "\n")
    return {"scenarios": len(rows), "median_ms": round(sorted(times)[len(times) // 2] * 1000, 1) if times else 0.0}


def reader_settings(home: Path, reader: str) -> Settings:
    """The settings with which this reader is used. Raises InputError where there is no such reader."""
    if reader not in _ENVIRONMENTS:
        raise InputError(f"There is no reader {reader!r}. Choose one of: {', '.join(_ENVIRONMENTS)}.")
    return read_settings(home, _ENVIRONMENTS[reader])


def _believe(memory: Memory, row: Mapping[str, Any], times: list[float], tell: Tell) -> dict[str, object]:
    passphrase, receipts = secrets.token_hex(16), []
    memory.reviewers.add("bench", passphrase)
    reviewer = memory.reviewers.unlock(passphrase)
    for step in row["steps"]:
        start = time.perf_counter()
        receipts.append(tell(memory, reviewer, step))
        times.append(time.perf_counter() - start)
    questions = [asked["q"] for asked in row["expect"].get("recall", ())]
    active = [record.text for record in memory.list(RecordFilter(namespace=None))]
    answers = [{"q": question, "items": _items(memory, question)} for question in questions]
    return {"id": row["id"], "receipts": receipts, "active": active, "recall": answers}


def _items(memory: Memory, question: str) -> Sequence[Mapping[str, object]]:
    return [_item(item) for item in memory.recall(question, budget=_BUDGET).items]


def _item(item: PackItem) -> Mapping[str, object]:
    kind = "record" if item.source is Source.RECORD else "quotation"
    status = next((mark for mark in (*item.marks, item.status) if mark in _OUT_OF_FORCE), "active")
    return {"text": item.text, "kind": kind, "status": status, "score": item.score}
