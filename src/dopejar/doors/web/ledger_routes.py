"""The ledger: every committed change, filtered, and its chain followed.

Takes: filters of an address. Gives: pages. Never: changes anything.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.forms import parse_integer
from dopejar.doors.web.request_context import Context
from dopejar.errors import LedgerBrokenError, NotFoundError
from dopejar.values.ids import ActId, RecordId
from dopejar.values.proposal import Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dopejar.ports.store import ReadView
    from dopejar.values.ledger import LedgerEntry
    from dopejar.values.record import Record

router = APIRouter()
_PAGE: Final = 50
_STEP: Final = 500
_MOST_STEPS: Final = 40  # entries looked at for one page of a filter: 20,000


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerFilter:
    """Which entries are wanted. Empty means any; `before` is the number to go on below."""

    action: str = ""
    who: str = ""
    target: str = ""
    rule: str = ""
    before: int = 0

    @classmethod
    def of(cls, values: Mapping[str, str]) -> LedgerFilter:
        """Read it from an address."""
        action = values.get("action", "")
        return cls(
            action=action if action in tuple(Action) else "",
            who=values.get("who", "").strip()[:100],
            target=values.get("target", "").strip()[:100],
            rule=values.get("rule", "").strip()[:100],
            before=parse_integer(values.get("before", ""), 0, 0, 10**12),
        )

    def fits(self, entry: LedgerEntry) -> bool:
        """Whether the entry is wanted."""
        return (
            (not self.action or entry.action == self.action)
            and (not self.who or self.who.casefold() in f"{entry.proposer}\n{entry.approver}".casefold())
            and (entry.target.startswith(self.target) or entry.act_id.startswith(self.target))
            and (not self.rule or any(self.rule in rule for rule in entry.rules))
        )

    def address(self) -> dict[str, object]:
        """The same as values of an address."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerPage:
    """A page of entries, newest first. `resume` is where to go on, 0 at the beginning of the ledger."""

    entries: tuple[LedgerEntry, ...]
    resume: int


def find_entries(view: ReadView, filters: LedgerFilter, most: int = _PAGE) -> LedgerPage:
    """The newest entries that fit, looking back over a bounded stretch."""
    found: list[LedgerEntry] = []
    last = filters.before or view.head().seq + 1
    for entry in _backwards(view, last):
        if filters.fits(entry):
            found.append(entry)
        last = entry.seq
        if len(found) == most:
            break
    return LedgerPage(entries=tuple(found), resume=last if last > 1 else 0)


def _backwards(view: ReadView, before: int) -> Iterator[LedgerEntry]:
    for _ in range(_MOST_STEPS):
        first = max(1, before - _STEP)
        if first >= before:
            return
        yield from reversed(view.entries(first, before - first))
        before = first


@router.get("/ledger")
def ledger(context: Context) -> HTMLResponse:
    """The entries, newest first."""
    filters = LedgerFilter.of(context.request.query_params)
    with context.memory.store.read() as view:
        found = find_entries(view, filters)
        names = _texts(view, found.entries)
        head = view.head()
    values: dict[str, object] = {
        "filters": filters,
        "found": found,
        "texts": names,
        "head": head,
        "actions": tuple(Action),
    }
    return context.page("ledger_table.html" if context.is_partial else "ledger.html", values, section="ledger")


def _texts(view: ReadView, entries: tuple[LedgerEntry, ...]) -> dict[RecordId, Record]:
    return view.records(tuple({RecordId(one.target) for one in entries if one.target.startswith("m_")}))


@router.get("/ledger/verify")
def verify(context: Context) -> HTMLResponse:
    """Follow the whole chain."""
    head = context.request.query_params.get("head", "").strip()
    fault, verified = "", None
    try:
        verified = context.memory.verify(head)
    except LedgerBrokenError as error:
        fault = str(error)
    return context.page("verified.html", section="ledger", verified=verified, fault=fault, expected=head)


@router.get("/acts/{name}")
def act(context: Context, name: str) -> HTMLResponse:
    """One act with all its entries. Raises NotFoundError."""
    with context.memory.store.read() as view:
        ids = view.find_act_id(name)
        if len(ids) != 1:
            raise NotFoundError(f"There is no single act {name!r}. The ledger lists the acts.")
        entries = view.entries_of_act(ActId(ids[0]))
        texts = _texts(view, entries[:_STEP])
    return context.page(
        "act.html",
        section="ledger",
        act_id=ids[0],
        entries=entries[:_STEP],
        total=len(entries),
        texts=texts,
        can_undo=not {one.action for one in entries} & {"undo", "erase"},
    )
