"""What governance reads in single utterances: signals, altitude, request type, strategy, stakes.

Takes: a file of JSON lines with `id`, `before` and `text`. Gives: predictions as JSON lines. Never: reads a label, or
keeps anything from one line to the next.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from dopejar.errors import InputError
from dopejar.governance.utterance import read_turn
from dopejar.ports.turn_reader import TurnReader
from dopejar.values.turn_enums import SignalType


def predict_turn(row: Mapping[str, object], turn_reader: TurnReader | None = None) -> dict[str, object]:
    """The prediction of one utterance; no signal is an empty list."""
    text = str(row["text"])
    reading = read_turn(text, str(row.get("before") or ""), model=turn_reader.shares(text) if turn_reader else None)
    return {
        "id": row["id"],
        "signals": [str(one.type) for one in reading.signals if one.type is not SignalType.NONE],
        "altitude": str(reading.altitude),
        "request_type": str(reading.request_type),
        "strategy": str(reading.routing.strategy),
        "stakes": str(reading.stakes),
    }


def run(data: Path, out: Path, turn_reader: TurnReader | None = None) -> dict[str, object]:
    """Write the prediction of every utterance to `out`; return counts and the median milliseconds per utterance.

    Raises:
        InputError: the file is not there, or a line is no object with `id` and `text`.
    """
    rows = _read(data)
    times, lines, counts = [], [], Counter[str]()
    predict_turn({"id": "", "text": "Warm up."}, turn_reader)  # loads the model, compiles the cues
    for row in rows:
        start = time.perf_counter()
        line = predict_turn(row, turn_reader)
        times.append(time.perf_counter() - start)
        signals = line["signals"]
        counts.update(signals if isinstance(signals, list) and signals else ["none"])
        lines.append(json.dumps(line, ensure_ascii=False))
    out.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return {
        "utterances": len(rows),
        "signals": {name: counts[name] for name in map(str, SignalType)},
        "median_ms": round(sorted(times)[len(times) // 2] * 1000, 3) if times else 0.0,
    }


def _read(data: Path) -> list[dict[str, object]]:
    if not data.is_file():
        raise InputError(f"{data} is no file. Give a file of JSON lines with `id`, `before` and `text` with --data.")
    rows = []
    for number, line in enumerate(data.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as fault:
            raise InputError(f"Line {number} of {data} is no JSON ({fault}). Correct it.") from fault
        if not isinstance(row, dict) or not {"id", "text"} <= row.keys():
            raise InputError(f"Line {number} of {data} has no `id` or no `text`. Each line is an object with both.")
        rows.append(row)
    return rows
