"""The overview: what was learned per day, how old the queue is, how clean and how large the store is.

Takes: nothing but the store. Gives: tables, which the page draws as charts as well. Never: changes anything.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.html_templates import day
from dopejar.doors.web.request_context import Context
from dopejar.engine.bullets.procedural_memory import ProceduralMemory
from dopejar.engine.queries.surveys import hygiene as survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from dopejar.engine.queries.queue_rows import QueueRow
    from dopejar.ports.store import ReadView
    from dopejar.values.ledger import LedgerEntry

router = APIRouter()
DAYS: Final = 30
_STEP: Final = 5000
_MOST: Final = 200_000
_LEARNED: Final = "learned"
COLUMNS: Final = (_LEARNED, "confirmed", "replaced", "staged", "approved", "rejected", "removed")
_AGES: Final = (
    ("under 1 d", 1),
    ("1–3 d", 3),
    ("3–7 d", 7),
    ("7–14 d", 14),
    ("14–28 d", 28),
    ("older", 100_000),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DayCounts:
    """What happened on one day, by column."""

    day: str
    counts: dict[str, int]


def column_of(entry: LedgerEntry) -> str:
    """The column that an entry counts in; "" for none."""
    is_persons = entry.approver not in ("", "policy", "auto")
    by_end = {
        "rejected": "rejected",
        "staged": "staged",
        "superseded": "replaced",
        "deprecated": "removed",
        "retracted": "removed",
        "erased": "removed",
    }
    if entry.to_state in by_end:
        return by_end[entry.to_state]
    if entry.from_state == "staged" and is_persons:
        return "approved"
    if entry.from_state == entry.to_state:
        return "confirmed" if entry.action == "reinforce" else ""
    return _LEARNED if entry.to_state in ("active", "quarantined") else ""


def per_day(entries: Iterable[LedgerEntry], today: datetime, days: int = DAYS) -> tuple[DayCounts, ...]:
    """A line for each of the last days, today last, also for those on which nothing happened."""
    names = [day(today - timedelta(days=back)) for back in reversed(range(days))]
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for entry in entries:
        column, when = column_of(entry), day(entry.at)
        if column and when in counts:
            counts[when][column] += 1
    return tuple(DayCounts(day=name, counts={one: counts[name][one] for one in COLUMNS}) for name in names)


def ages(rows: Sequence[QueueRow], now: datetime) -> tuple[tuple[str, int], ...]:
    """How many wait for how long."""
    found: Counter[str] = Counter()
    for row in rows:
        waited = (now - row.at) / timedelta(days=1)
        found[next(name for name, most in _AGES if waited < most or most == _AGES[-1][1])] += 1
    return tuple((name, found[name]) for name, _ in _AGES)


def _since(view: ReadView, first: int) -> Iterator[LedgerEntry]:
    last = first + _MOST
    while first < last:
        step = view.entries(first, _STEP)
        yield from step
        if len(step) < _STEP:
            return
        first = step[-1].seq + 1


@router.get("/overview")
def overview(context: Context) -> HTMLResponse:
    """The page; hygiene looks at every memory, so it comes by itself afterwards."""
    began = context.now - timedelta(days=DAYS)
    with context.memory.store.read() as view:
        lines = per_day(_since(view, max(1, view.seq_at(began))), context.now)
        sizes = view.sizes()
        head = view.head()
    snapshot = context.app_state.queue_index.snapshot()
    return context.page(
        "overview.html",
        section="overview",
        lines=lines,
        happened=any(any(one.counts.values()) for one in lines),
        columns=COLUMNS,
        ages=ages(snapshot.rows, context.now),
        sizes=sizes,
        head=head,
        snapshot=snapshot,
        home=context.memory.home,
    )


@router.get("/overview/hygiene")
def hygiene(context: Context) -> HTMLResponse:
    """How clean the active memories are, as a part of the page or as one of its own."""
    name = "hygiene_part.html" if context.is_partial else "hygiene.html"
    return context.page(name, section="overview", found=survey(context.memory.deps))


@router.get("/overview/bullets")
def bullets(context: Context) -> HTMLResponse:
    """How the bullets stand, and how those fared that the classifier assigned, in the same way."""
    procedural = ProceduralMemory.of(context.memory)
    found, name = procedural.survey(), "bullets_part.html" if context.is_partial else "bullets.html"
    return context.page(
        name,
        section="overview",
        found=found,
        states=tuple(dict.fromkeys(state for _, state in sorted(found.counts))),
        sides=tuple(dict.fromkeys(side for side, _ in sorted(found.counts))),
        options=procedural.options,
    )
