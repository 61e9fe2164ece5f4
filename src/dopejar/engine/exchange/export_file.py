"""Export as JSON lines.

Takes: a path. Gives: a file of readable lines, one for each conversation, turn and memory. Never: half a file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.exchange.backups import EXPORT_ROW, note_copy, require_new
from dopejar.engine.exchange.line_codec import Line, to_line
from dopejar.engine.ingest.learning_progress import first_unlearned, live_names
from dopejar.errors import StoreError
from dopejar.ports.store import ReadView
from dopejar.values.ids import RecordId
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

FORMAT: Final = "dopejar-export@1"
_PAGE: Final = 500
_EVERY_CONVERSATION: Final = 10_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportReport:
    """What was exported, counted by kind of line."""

    counts: Mapping[str, int]


def export_lines(view: ReadView) -> Iterator[Line]:
    """Everything as JSON objects: a header, conversations with their turns, records with their evidence.

    The line of a live conversation says up to which turn it was learned from, and under which names its host knows it.
    """
    yield {"type": "header", "format": FORMAT, "ledger_head": view.head().hash}
    names = live_names(view)
    for conversation in view.conversations(_EVERY_CONVERSATION):
        learned = first_unlearned(view, conversation.id)
        progress = {} if learned is None else {"learned": learned, "live_names": names.get(conversation.id, [])}
        yield {"type": "conversation", **to_line(conversation), **progress}
        for episode in view.turns(conversation.id):
            yield {"type": "episode", **to_line(episode)}
    after: RecordId | None = None
    where = RecordFilter(statuses=tuple(Status), namespace=None)
    while page := view.list_records(where, _PAGE, after):
        evidence = view.evidence_of(tuple(record.id for record in page))
        for record in page:
            rows = [to_line(row) for row in evidence.get(record.id, ())]
            yield {"type": "record", **to_line(record), "evidence": rows}
        after = page[-1].id


def export_to(deps: Dependencies, path: Path) -> ExportReport:
    """Write an export; it is noted, so that an erasure can name it.

    Raises InputError where the file cannot be created, StoreError where it cannot be written.
    """
    require_new(path)
    partial = path.with_name(path.name + ".part")
    counts: Counter[str] = Counter()
    try:
        with deps.store.read() as view, partial.open("w", encoding="utf-8") as file:
            partial.chmod(0o600)
            for line in export_lines(view):
                counts[str(line["type"])] += 1
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        partial.replace(path)
    except OSError as fault:
        raise StoreError(f"{path} could not be written ({fault.strerror}). Make room or name another place.") from fault
    finally:
        partial.unlink(missing_ok=True)
    note_copy(deps, path, EXPORT_ROW)
    return ExportReport(counts=dict(counts))
