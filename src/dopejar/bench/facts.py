"""Predictions of fact extraction: durable facts in user turns, in the format of the facts scorer.

Takes: a folder with `facts/turns.jsonl` (or the file's folder itself). Gives: predictions as JSON lines. Never: reads
the gold facts of a row.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

from dopejar.bench.behaviour import reader_settings
from dopejar.compose import make_embedder
from dopejar.compose.readers import make_marker
from dopejar.errors import InputError
from dopejar.pipelines.ingest import Atom, extract
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.ports.statement_reader import StatementMarker
from dopejar.values.record import Kind, Layer, Sublayer

_MIN_CONFIDENCE = 0.4  # of extraction; a conversation proposes from .5 on


def predict_facts(row: Mapping[str, object], marker: StatementMarker | None = None) -> dict[str, object]:
    """The prediction of one turn: its id and its facts, with class, text, layer and sublayer."""
    text, before = str(row["text"]), str(row.get("before") or "")
    is_user = str(row.get("speaker") or "user") == "user"
    if marker is not None:
        turn = SpokenTurn(text=text, at=None, speaker_is_user=is_user, before=before)
        atoms = extract_marked([turn], marker)[0].atoms
    else:
        language = str(row["lang"]) if row.get("lang") else None
        atoms = extract(text, at=None, speaker_is_user=is_user, before=before, language=language).atoms
    facts = [
        {"class": fact_class(atom), "text": atom.text, "layer": str(atom.layer), "sublayer": str(atom.sublayer)}
        for atom in atoms
        if atom.confidence >= _MIN_CONFIDENCE
    ]
    return {"id": row["id"], "facts": facts}


def fact_class(atom: Atom) -> str:
    """The class an atom counts as: environment, constraint, definition-alias, preference or plain."""
    if atom.kind is Kind.ALIAS:
        return "definition-alias"
    if atom.directs_work or (atom.layer is Layer.INTENT and atom.sublayer is not Sublayer.GOAL):
        return "constraint"
    if atom.sublayer is Sublayer.PREFERENCE:
        return "preference"
    return "environment" if "env:" in atom.tags else "plain"


def run(data: Path, out: Path, home: Path, reader: str = "fitted") -> dict[str, object]:
    """Write the predictions of every turn to `out`; return counts and the median milliseconds per turn.

    Raises as `behaviour.run` does.
    """
    marker = make_marker(make_embedder(reader_settings(home, reader)))
    source = next((path for path in (data / "facts" / "turns.jsonl", data / "turns.jsonl") if path.is_file()), None)
    if source is None:
        raise InputError(f"{data} has no facts/turns.jsonl. Give the folder of the evaluation kit with --data.")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines() if line.strip()]
    times, lines, count = [], [], 0
    for row in rows:
        start = time.perf_counter()
        line = predict_facts(row, marker)
        times.append(time.perf_counter() - start)
        count += len(line["facts"]) if isinstance(line["facts"], list) else 0
        lines.append(json.dumps(line, ensure_ascii=False))
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return {
        "turns": len(rows),
        "reader": reader,
        "facts": count,
        "median_ms": round(sorted(times)[len(times) // 2] * 1000, 3) if times else 0.0,
    }
