"""The memories: search and browse them, and each one's life.

Takes: filters and ids of an address. Gives: pages. Never: changes anything.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.proposal_routes import passages
from dopejar.doors.web.request_context import Context
from dopejar.engine.review.reviewer_actions import known_backups
from dopejar.errors import DopejarError, InputError, NotFoundError
from dopejar.memory.derivation import PROVEN_HELPFUL
from dopejar.pipelines.procedural.bullets import HEMISPHERES, lacks_for_sharing
from dopejar.pipelines.procedural.tone import soften
from dopejar.ports.store import RecordFilter
from dopejar.text.normalise import fold
from dopejar.text.words import query_terms
from dopejar.values.ids import RecordId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Namespace, ReadScope, Scope, Side
from dopejar.values.strength import strength_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from dopejar.engine.results import History
    from dopejar.ports.store import ReadView
    from dopejar.values.ledger import LedgerEntry
    from dopejar.values.record import RecordState

router = APIRouter()
_PAGE: Final = 50
_SCANNED: Final = 20_000
_PRESENT: Final = tuple(status for status in Status if status is not Status.ERASED)
_SIDES: Final = tuple(side.value for side in Side if side)


@dataclass(frozen=True, kw_only=True, slots=True)
class BrowseFilter:
    """Which memories are wanted. Empty means any, but for the status."""

    q: str = ""
    kind: str = ""
    status: str = "active"
    scope: str = ""
    key: str = ""
    side: str = ""
    tag: str = ""
    namespace: str = "prod"
    after: str = ""

    @classmethod
    def of(cls, values: Mapping[str, str]) -> BrowseFilter:
        """Read it from an address; an impossible kind, status, side or namespace counts as the usual one."""
        return cls(
            q=values.get("q", "").strip()[:200],
            kind=_one_of(values.get("kind", ""), tuple(Kind), ""),
            status=_one_of(values.get("status", "active"), (*Status, ""), "active"),
            scope=values.get("scope", "").strip()[:200],
            key=values.get("key", "").strip()[:100],
            side=_one_of(values.get("side", ""), _SIDES, ""),
            tag=values.get("tag", "").strip()[:100],
            namespace=_one_of(values.get("namespace", "prod"), tuple(Namespace), "prod"),
            after=values.get("after", "")[:64],
        )

    def where(self) -> RecordFilter:
        """The same for the store. Raises InputError where the scope is none."""
        return RecordFilter(
            statuses=(Status(self.status),) if self.status else _PRESENT,
            kinds=(Kind(self.kind),) if self.kind else (),
            scopes=(Scope.parse(self.scope),) if self.scope else (),
            namespace=Namespace(self.namespace),
            side=Side(self.side) if self.side else None,
            key_prefix=self.key,
            tag=self.tag,
        )

    def address(self) -> dict[str, object]:
        """The same as values of an address."""
        usual = asdict(BrowseFilter())
        return {name: value for name, value in asdict(self).items() if value != usual[name]}


def _one_of(text: str, possible: tuple[str, ...], usual: str) -> str:
    return text if text in possible else usual


@router.get("/memories")
def browse(context: Context) -> HTMLResponse:
    """Search and browse."""
    filters = BrowseFilter.of(context.request.query_params)
    fault, records = "", []
    try:
        with context.memory.store.read() as view:
            records = _found(view, filters)
    except (InputError, NotFoundError) as error:
        fault = str(error)
    more = len(records) > _PAGE
    values: dict[str, object] = {
        "filters": filters,
        "records": records[:_PAGE],
        "more": more,
        "fault": fault,
        "kinds": tuple(Kind),
        "statuses": tuple(Status),
        "sides": _SIDES,
        "namespaces": tuple(Namespace),
    }
    return context.page("memories_table.html" if context.is_partial else "memories.html", values, section="memory")


def _found(view: ReadView, filters: BrowseFilter) -> list[Record]:
    where = filters.where()
    if not filters.q:
        return list(view.list_records(where, _PAGE + 1, RecordId(filters.after) if filters.after else None))
    ranked = _ranked(view, filters) if filters.status == "active" else []
    known = {one.id for one in ranked}
    words = fold(filters.q).split()
    scanned = view.list_records(where, _SCANNED)
    by_id = {one.id: one for one in scanned}
    holding = [one for one in scanned if one.id not in known and _says(one, words)]
    return [*(by_id[one.id] for one in ranked if one.id in by_id), *holding][: _PAGE + 1]


def _ranked(view: ReadView, filters: BrowseFilter) -> list[Record]:
    read_scope = ReadScope(namespace=Namespace(filters.namespace), all_projects=True)
    where = SearchFilter(read_scope=read_scope, source=Source.RECORD, kinds=(Kind(filters.kind),) if filters.kind else ())
    hits = view.lexical(query_terms(filters.q), where, 200)
    loaded = view.load_records([one.id for one in hits], where)
    return [loaded[one.id] for one in hits if one.id in loaded]


def _says(record: Record, words: list[str]) -> bool:
    text = fold(f"{record.text} {record.key} {record.id}")
    return all(word in text for word in words)


@dataclass(frozen=True, kw_only=True, slots=True)
class BlameRow:
    """One state of a record: who wanted it, who allowed it, by which rules."""

    state: RecordState
    entry: LedgerEntry | None
    at: datetime | None


def blamed(history: History) -> tuple[BlameRow, ...]:
    """Each state with its entry in the ledger, oldest first."""
    by_seq = {one.seq: one for one in history.entries}
    rows = []
    for state in history.states:
        entry = by_seq.get(state.from_seq)
        rows.append(BlameRow(state=state, entry=entry, at=entry.at if entry else None))
    return tuple(rows)


@dataclass(frozen=True, kw_only=True, slots=True)
class StrengthPoint:
    """How strong a record was at one moment; the last one is now."""

    at: datetime
    record: Record
    strength: float
    is_now: bool = False


def strengths(blame: Sequence[BlameRow], now: datetime) -> tuple[StrengthPoint, ...]:
    """A point for each state that was in use or waited, and one for today; nothing of what is erased."""
    told = [(one.at, one.state.record) for one in blame if one.at is not None]
    points = [StrengthPoint(at=at, record=record, strength=strength_of(record, at)) for at, record in told]
    if points and points[-1].record.status is not Status.ERASED:
        last = points[-1].record
        points.append(StrengthPoint(at=now, record=last, strength=strength_of(last, now), is_now=True))
    return tuple(points)


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialProgress:
    """Where a bullet stands on its way: what proved it so far, and what it lacks to be shared."""

    is_unproven: bool
    helped: int
    needed: int
    lacks: tuple[str, ...]


def trial_of(history: History) -> TrialProgress | None:
    """The way of a bullet in use on a hemisphere; None for anything else."""
    record = history.record
    in_use = record.status in (Status.ACTIVE, Status.QUARANTINED) and record.side in HEMISPHERES
    if record.kind is not Kind.BULLET or not in_use:
        return None
    return TrialProgress(
        is_unproven=record.status is Status.QUARANTINED,
        helped=record.helpful_count,
        needed=PROVEN_HELPFUL,
        lacks=lacks_for_sharing(record, is_cross_confirmed=True),
    )


@router.get("/memories/{name}")
def show(context: Context, name: str) -> HTMLResponse:
    """One memory's life."""
    history = context.memory.history(name)
    with context.memory.store.read() as view:
        said = passages(view, history.evidence)
        waiting = view.proposal_of(history.record.id)
        edges = view.edges([history.record.id])
    blame = blamed(history)
    asserting = sum(one.role is EvidenceRole.ASSERTS for one, _ in history.evidence)
    return context.page(
        "memory.html",
        section="memory",
        history=history,
        record=history.record,
        passages=said,
        wish=waiting,
        blame=blame,
        strengths=strengths(blame, context.now),
        asserting=asserting,
        edges=edges,
        trial=trial_of(history),
        soft=soften(history.record.text),
        can_bring_back=history.record.status in (Status.DEPRECATED, Status.RETRACTED, Status.REJECTED, Status.EXPIRED),
        can_deprecate=history.record.status in (Status.ACTIVE, Status.QUARANTINED),
    )


@router.get("/memories/{name}/erase")
def erase_preview(context: Context, name: str) -> HTMLResponse:
    """What erasing a memory would take away, before it does."""
    history = context.memory.history(name)
    record = history.record
    if record.status is Status.ERASED:
        raise InputError("This memory is erased already; nothing of it is left.")
    episodes = tuple({one.episode_id for one, _ in history.evidence})
    with context.memory.store.read() as view:
        said = passages(view, history.evidence)
        others = [one for one in view.resting_on(episodes) if one != record.id]
        beside = list(view.records(others).values())
    try:
        backups = known_backups(context.memory.deps)
    except DopejarError:  # the preview is worth showing without them; the receipt names them again
        backups = ()
    return context.page(
        "erase.html",
        section="memory",
        record=record,
        passages=said,
        beside=beside,
        backups=backups,
        spans=len(history.evidence),
    )
