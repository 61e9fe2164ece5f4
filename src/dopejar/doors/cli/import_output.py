"""Lines about an import: what it would do, and what it did.

Takes: previews and reports of the engine. Gives: lines of text. Never: prints, or decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dopejar.doors.cli.text_format import counted, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from dopejar.engine.exchange.import_file import ImportPreview, ImportReport


def import_preview_lines(preview: ImportPreview) -> Iterator[str]:
    """What an import would do: what is in force at once, what waits for a person, which lines are refused."""
    yield f"{preview.turns} new turns"
    for title, memories in (("in force at once", preview.in_force), ("waits for review", preview.waits)):
        yield f"{title}: {len(memories)}"
        for memory in memories:
            known = " (known here: it gains evidence)" if memory.is_known else ""
            yield f"  line {memory.line} {memory.kind}: {one_line(memory.text)}{known}"
    yield from _refused_lines(preview)


def _refused_lines(preview: ImportPreview) -> Iterator[str]:
    if preview.refused:
        yield f"refused: {len(preview.refused)}"
    for refused in preview.refused:
        yield f"  line {refused.line}: {refused.why}"


def import_lines(source: Path, report: ImportReport) -> Iterator[str]:
    """What an import did."""
    yield f"Imported {source} in act {report.act_id}: {counted(report.counts)}"
    yield from import_preview_lines(report.preview)
    if report.counts.get("staged"):
        yield "What waits is decided in `dopejar review`."
