"""Predictions of the hemisphere classifier: the side of each bullet, in the format of the bullets scorer.

Takes: a folder with `corrections/bullets.jsonl` (or the file's folder, or the file itself). Gives: predictions as JSON
lines. Never: reads the label of a bullet.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

from dopejar.bench.behaviour import reader_settings
from dopejar.compose import make_embedder
from dopejar.compose.readers import make_side_reader
from dopejar.errors import InputError
from dopejar.pipelines.procedural.classifier import HemisphereClassifier
from dopejar.ports.statement_reader import SideReader


def predict_side(text: str, reader: SideReader | None = None) -> tuple[str, float]:
    """`left`, `right` or `ambiguous`, and the confidence from 0 to 1, from the text alone."""
    classification = HemisphereClassifier(reader).classify(text)
    return classification.side.value or "ambiguous", classification.confidence


def _source(data: Path) -> Path:
    places = (data / "corrections" / "bullets.jsonl", data / "bullets.jsonl", data)
    source = next((path for path in places if path.is_file()), None)
    if source is None:
        raise InputError(f"{data} has no corrections/bullets.jsonl. Give the folder of the evaluation kit with --data.")
    return source


def run(data: Path, out: Path, home: Path, reader: str = "fitted") -> dict[str, object]:
    """Write the prediction of every bullet to `out`; return counts and the median milliseconds per bullet.

    Raises as `behaviour.run` does.
    """
    known = make_side_reader(make_embedder(reader_settings(home, reader)))
    rows = [json.loads(line) for line in _source(data).read_text("utf-8").splitlines() if line.strip()]
    times, lines, sides = [], [], Counter[str]()
    predict_side("Warm up.", known)  # compiles the meta-bullets
    for row in rows:
        start = time.perf_counter()
        side, confidence = predict_side(str(row["text"]), known)
        times.append(time.perf_counter() - start)
        sides[side] += 1
        lines.append(json.dumps({"id": row["id"], "side": side, "confidence": round(confidence, 4)}))
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return {
        "bullets": len(rows),
        "reader": reader,
        **{name: sides[name] for name in ("left", "right", "ambiguous")},
        "median_ms": round(sorted(times)[len(times) // 2] * 1000, 3) if times else 0.0,
    }
