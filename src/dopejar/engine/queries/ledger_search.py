"""Searching the ledger: entries by filter, one act with its entries, and what changed on each day.

Takes: the engine's dependencies and a filter. Gives: entries and counts. Never: writes, or scans without a bound.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.engine.lookup import find_act
from dopejar.errors import NotFoundError
from dopejar.values.ids import RecordId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from dopejar.engine.dependencies import Dependencies
    from dopejar.ports.store import ReadView
    from dopejar.values.ids import ActId
    from dopejar.values.ledger import LedgerEntry, LedgerHead
    from dopejar.values.record import Record

_PAGE_SIZE: Final = 50
_BATCH: Final = 500
_MOST_BATCHES: Final = 40  # entries looked at for one page of a filter: 20,000
_ACTIVITY_BATCH: Final = 5000
_MOST_ACTIVITY: Final = 200_000
_LEARNED: Final = "learned"
ACTIVITY_COLUMNS: Final = (_LEARNED, "confirmed", "replaced", "staged", "approved", "rejected", "removed")
_COLUMN_BY_STATE: Final = {
    "rejected": "rejected",
    "staged": "staged",
    "superseded": "replaced",
    "deprecated": "removed",
    "retracted": "removed",
    "erased": "removed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerFilter:
    """Which entries are shown. An empty value means any; `before` is the entry number to go on below."""

    action: str = ""
    who: str = ""
    target: str = ""
    rule: str = ""
    before: int = 0

    def matches(self, entry: LedgerEntry) -> bool:
        """Whether the entry is shown."""
        return (
            (not self.action or entry.action == self.action)
            and (not self.who or self.who.casefold() in f"{entry.proposer}\n{entry.approver}".casefold())
            and (entry.target.startswith(self.target) or entry.act_id.startswith(self.target))
            and (not self.rule or any(self.rule in rule for rule in entry.rules))
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerPage:
    """One page of entries, newest first. `resume` is the number to go on below, 0 at the beginning of the ledger."""

    entries: tuple[LedgerEntry, ...]
    records: Mapping[RecordId, Record]
    head: LedgerHead
    resume: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ActEntries:
    """One act: its first entries with the records they are about, and how many entries it has in all."""

    act_id: ActId
    entries: tuple[LedgerEntry, ...]
    records: Mapping[RecordId, Record]
    total: int
    can_undo: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ActSummary:
    """What an act did, in one action and a count of targets."""

    act_id: ActId
    action: str
    targets: int
    can_undo: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DailyActivity:
    """What changed on one day, by column."""

    day: str
    counts: Mapping[str, int]


def search_ledger(deps: Dependencies, filters: LedgerFilter, limit: int = _PAGE_SIZE) -> LedgerPage:
    """The newest entries that match, looking back over a bounded number of entries."""
    with deps.store.read() as view:
        head = view.head()
        entries: list[LedgerEntry] = []
        last = filters.before or head.seq + 1
        for entry in _newest_first(view, last):
            if filters.matches(entry):
                entries.append(entry)
            last = entry.seq
            if len(entries) == limit:
                break
        records = _records_of(view, entries)
    return LedgerPage(entries=tuple(entries), records=records, head=head, resume=last if last > 1 else 0)


def _newest_first(view: ReadView, before: int) -> Iterator[LedgerEntry]:
    for _ in range(_MOST_BATCHES):
        first = max(1, before - _BATCH)
        if first >= before:
            return
        yield from reversed(view.entries(first, before - first))
        before = first


def _records_of(view: ReadView, entries: Iterable[LedgerEntry]) -> Mapping[RecordId, Record]:
    return view.records(tuple({RecordId(entry.target) for entry in entries if entry.target.startswith("m_")}))


def act_entries(deps: Dependencies, name: str) -> ActEntries:
    """One act by its id or the beginning of its id. Raises NotFoundError, AmbiguousIdError."""
    with deps.store.read() as view:
        act_id = find_act(view, name)
        if act_id is None:
            raise NotFoundError(f"There is no act {name!r}. The ledger (`dopejar log`) lists the acts.")
        entries = view.entries_of_act(act_id)
        return ActEntries(
            act_id=act_id,
            entries=entries[:_BATCH],
            records=_records_of(view, entries[:_BATCH]),
            total=len(entries),
            can_undo=not {entry.action for entry in entries} & {"undo", "erase"},
        )


def act_summary(deps: Dependencies, name: str) -> ActSummary | None:
    """What an act did; None where the name is that of no act."""
    if not name.startswith("a_"):
        return None
    with deps.store.read() as view:
        ids = view.find_act_id(name)
        entries = view.entries_of_act(ids[0]) if len(ids) == 1 else ()
    if not entries:
        return None
    actions = Counter("reject" if entry.to_state == "rejected" else entry.action for entry in entries)
    action = actions.most_common(1)[0][0]
    targets = {entry.target for entry in entries if entry.target.startswith(("m_", "p_", "e_"))}  # an edge is no memory
    return ActSummary(act_id=ids[0], action=action, targets=len(targets), can_undo=action not in ("undo", "erase"))


def daily_activity(deps: Dependencies, days: int) -> tuple[DailyActivity, ...]:
    """What changed on each of the last days (UTC), today last, also for days without any change."""
    now = deps.clock.now()
    with deps.store.read() as view:
        first = max(1, view.seq_at(now - timedelta(days=days)))
        return count_by_day(entries_from(view, first), now, days)


def entries_from(view: ReadView, first: int) -> Iterator[LedgerEntry]:
    """The entries from this number on, oldest first; a bounded number."""
    last = first + _MOST_ACTIVITY
    while first < last:
        batch = view.entries(first, _ACTIVITY_BATCH)
        yield from batch
        if len(batch) < _ACTIVITY_BATCH:
            return
        first = batch[-1].seq + 1


def count_by_day(entries: Iterable[LedgerEntry], today: datetime, days: int) -> tuple[DailyActivity, ...]:
    """Entries counted by day and column."""
    names = [_day(today - timedelta(days=back)) for back in reversed(range(days))]
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for entry in entries:
        column, day = activity_column(entry), _day(entry.at)
        if column and day in counts:
            counts[day][column] += 1
    return tuple(
        DailyActivity(day=name, counts={column: counts[name][column] for column in ACTIVITY_COLUMNS}) for name in names
    )


def activity_column(entry: LedgerEntry) -> str:
    """The column that an entry counts in; "" for none."""
    if entry.to_state in _COLUMN_BY_STATE:
        return _COLUMN_BY_STATE[entry.to_state]
    is_persons = entry.approver not in ("", "policy", "auto")
    if entry.from_state == "staged" and is_persons:
        return "approved"
    if entry.from_state == entry.to_state:
        return "confirmed" if entry.action == "reinforce" else ""
    return _LEARNED if entry.to_state in ("active", "quarantined") else ""


def _day(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d}"
