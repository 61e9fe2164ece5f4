"""The last seven days for a person: what was learned, what changed, what was used.

Takes: the engine's dependencies. Gives: a few memories of each, with counts. Never: writes, or scans without a bound.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from dopejar.engine.queries.ledger_search import activity_column, entries_from
from dopejar.values.ids import RecordId
from dopejar.values.record import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dopejar.engine.dependencies import Dependencies
    from dopejar.ports.store import ReadView
    from dopejar.values.record import Record

_DAYS: Final = 7
_SHOWN: Final = 5
_COLUMNS: Final = {
    "learned": "learned", "approved": "learned", "confirmed": "", "staged": "", "replaced": "changed",
    "rejected": "", "removed": "changed",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Week:
    """What happened: counts of changes by name, the newest memories learned and changed, those used most."""

    counts: Mapping[str, int]
    learned: tuple[Record, ...]
    changed: tuple[Record, ...]
    used: tuple[tuple[Record, int], ...]


def last_week(deps: Dependencies) -> Week:
    """The last seven days."""
    since = deps.clock.now() - timedelta(days=_DAYS)
    counts: Counter[str] = Counter()
    newest: dict[str, dict[RecordId, None]] = {"learned": {}, "changed": {}, "": {}}
    with deps.store.read() as view:
        for entry in entries_from(view, max(1, view.seq_at(since) + 1)):
            column = activity_column(entry)
            counts[column] += bool(column)
            ids = newest[_COLUMNS.get(column, "")]
            ids.pop(RecordId(entry.target), None)  # the last change of a memory counts
            ids[RecordId(entry.target)] = None
        uses = view.used_since(since, _SHOWN)
        used = view.records([name for name, _ in uses])
        return Week(
            counts=counts,
            learned=_shown(view, newest["learned"], (Status.ACTIVE, Status.QUARANTINED)),
            changed=_shown(view, newest["changed"], (Status.SUPERSEDED, Status.DEPRECATED, Status.RETRACTED)),
            used=tuple((used[name], count) for name, count in uses if name in used),
        )


def _shown(view: ReadView, ids: Iterable[RecordId], statuses: tuple[Status, ...]) -> tuple[Record, ...]:
    """The newest few that are still in one of the states."""
    newest = list(ids)[::-1][: 10 * _SHOWN]
    return tuple(record for record in view.records(newest).values() if record.status in statuses)[:_SHOWN]
