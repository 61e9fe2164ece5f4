"""What the pages work with: the memory, the doorkeeper, and the queue as it stands.

Takes: an opened memory. Gives: rows, counts and what every page shows. Never: keeps a row longer than it is true.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, cast

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from dopejar.doors.web.access import Address, Session, SessionManager
from dopejar.doors.web.forms import Form
from dopejar.doors.web.html_templates import page
from dopejar.engine.queries.queue_rows import QueueRow, carried_draft, make_row, select_confident
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.ports.store import RecordFilter
from dopejar.text.normalise import content_hash
from dopejar.values.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dopejar.engine.memory import Memory
    from dopejar.ports.store import ReadView
    from dopejar.values.ids import TraceId
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Record

WHOLE: Final = 1_000_000
_DONE: Final = {
    "add": "approved",
    "supersede": "approved as a replacement",
    "assign": "assigned",
    "reject": "rejected",
    "undo": "undone",
    "deprecate": "deprecated",
    "restore": "brought back",
    "erase": "erased",
    "merge": "merged",
    "reinforce": "confirmed",
    "share": "shared",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueSnapshot:
    """The queue at one moment. `change` is the store's count of changes then."""

    change: str
    rows: tuple[QueueRow, ...]
    kinds: tuple[str, ...]
    sources: tuple[str, ...]
    suggestions: tuple[str, ...]
    flagged: int
    sure: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Flash:
    """What was just done, and by which act it can be undone."""

    act_id: str
    words: str
    can_undo: bool


class QueueIndex:
    """The whole queue as rows, read anew after each change of the store. Safe to use from several threads."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._snapshot: QueueSnapshot | None = None
        self._lock = threading.Lock()

    @property
    def least(self) -> float:
        """The confidence from which on a reading counts as sure, unless the person says another number: a setting."""
        return self._memory.deps.procedural.auto_assign_threshold

    def snapshot(self) -> QueueSnapshot:
        """The queue now."""
        change = self.change()
        with self._lock:
            if self._snapshot is None or self._snapshot.change != change:
                self._snapshot = self._read(change)
            return self._snapshot

    def change(self) -> str:
        """The store's count of changes."""
        with self._memory.store.read() as view:
            return view.meta("change_seq") or ""

    def known(self) -> QueueSnapshot | None:
        """The queue as it was read last, if that still holds; reads nothing."""
        found = self._snapshot
        return found if found is not None and found.change == self.change() else None

    def _read(self, change: str) -> QueueSnapshot:
        with self._memory.store.read() as view:
            contradicted = contradicted_in(view)
        rows = tuple(make_row(item, contradicted) for item in self._memory.queue(limit=WHOLE))
        return QueueSnapshot(
            change=change,
            rows=rows,
            kinds=tuple(sorted({row.kind for row in rows})),
            sources=tuple(sorted({row.source for row in rows})),
            suggestions=tuple(sorted({row.suggestion for row in rows})),
            flagged=sum(not row.is_sure for row in rows),
            sure=len(select_confident(rows, self.least, WHOLE)),
        )


@dataclass(frozen=True, kw_only=True)
class AppState:
    """What the pages of one process share."""

    memory: Memory
    sessions: SessionManager
    address: Address
    queue_index: QueueIndex


@dataclass(frozen=True, kw_only=True)
class RequestContext:
    """One request: who asks, what the form says, and how a page is answered."""

    app_state: AppState
    session: Session
    form: Form
    trace_id: TraceId
    request: Request
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def memory(self) -> Memory:
        """The memory at hand."""
        return self.app_state.memory

    @property
    def is_partial(self) -> bool:
        """Whether only a part of the page is wanted; a history's return wants it whole."""
        headers = self.request.headers
        return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"

    @property
    def here(self) -> str:
        """The page's own address, without what was just done."""
        kept = [(name, value) for name, value in self.request.query_params.multi_items() if name != "done"]
        return self.request.url.path + (f"?{_encoded(kept)}" if kept else "")

    def page(
        self,
        name: str,
        values: Mapping[str, object] | None = None,
        *,
        status: int = 200,
        section: str = "",
        **more: object,
    ) -> HTMLResponse:
        """A page with what every page shows: who decides, how much waits, what was just done."""
        with self.memory.store.read() as view:
            waiting = view.sizes().proposals.get("staged", 0)
            change = view.meta("change_seq") or ""
            flash = _flash(view, self.request.query_params.get("done", ""))
        shared: Mapping[str, object] = {
            "section": section,
            "session": self.session,
            "waiting": waiting,
            "change": change,
            "flash": flash,
            "here": self.here,
            "now": self.now,
        }
        return page(name, {**shared, **(values or {}), **more}, status)


def context_of(request: Request) -> RequestContext:
    """The visit that a request is; the guard has let it in."""
    state = request.state
    return RequestContext(
        app_state=cast("AppState", request.app.state.app_state),
        session=cast("Session", state.session),
        form=cast("Form", state.form),
        trace_id=cast("TraceId", state.trace_id),
        request=request,
    )


Context = Annotated[RequestContext, Depends(context_of)]


def _encoded(pairs: Sequence[tuple[str, str]]) -> str:
    from urllib.parse import urlencode

    return urlencode(pairs)


def _flash(view: ReadView, act: str) -> Flash | None:
    """What an act did, read from the ledger: an address cannot make the page say anything else."""
    ids = view.find_act_id(act) if act.startswith("a_") else ()
    entries = view.entries_of_act(ids[0]) if len(ids) == 1 else ()
    if not entries:
        return None
    counts = Counter("reject" if one.to_state == "rejected" else one.action for one in entries)
    targets = {one.target for one in entries if one.target.startswith(("m_", "p_", "e_"))}  # a link is no memory
    action = counts.most_common(1)[0][0]
    things = "1 memory" if len(targets) == 1 else f"{len(targets):,} memories"
    words = f"{things} {_DONE.get(action, action)}"
    return Flash(act_id=ids[0], words=words, can_undo=action not in ("undo", "erase"))


def contradicted_in(view: ReadView) -> frozenset[str]:
    """Waiting bullets that another one contradicts."""
    where = RecordFilter(statuses=(Status.STAGED,), kinds=(Kind.BULLET,), namespace=None, tag=CONFLICT_TAG)
    return frozenset(one.id for one in view.list_records(where, WHOLE))


def near_ones(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """Records of the same concept or with the same words, the proposal's own left out."""
    draft = carried_draft(proposal)
    if draft is None:
        return ()
    chain = draft.slot or draft.key
    same = view.chain(draft.namespace, draft.scope, draft.side, chain) if chain else ()
    more = view.with_content(draft.namespace, content_hash(draft.text))
    return tuple({one.id: one for one in (*same, *more) if one.id != proposal.record_id}.values())
