"""What each request works with: the memory, the browser's session, the form, and how a page is answered.

Takes: a request that the security middleware passed. Gives: its context. Never: decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, cast
from urllib.parse import urlencode

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from dopejar.doors.web.access import Address, BrowserSession, SessionManager
from dopejar.doors.web.forms import Form
from dopejar.doors.web.html_templates import render_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dopejar.engine.memory import Memory
    from dopejar.engine.queries.inspection import Inspection
    from dopejar.engine.queries.queue_index import QueueIndex
    from dopejar.values.ids import TraceId

_PAST_PARTICIPLES: Final = {
    "add": "approved",
    "supersede": "approved as a replacement",
    "assign": "assigned",
    "reject": "rejected",
    "undo": "undone",
    "deprecate": "deprecated",
    "restore": "restored",
    "erase": "erased",
    "merge": "merged",
    "reinforce": "confirmed",
    "share": "shared",
    "rekey": "got other keys",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flash:
    """The message about the last decision, with the act that an undo would take back."""

    act_id: str
    words: str
    can_undo: bool


@dataclass(frozen=True, kw_only=True)
class AppState:
    """What all requests of one process share."""

    memory: Memory
    sessions: SessionManager
    address: Address
    inspection: Inspection
    queue_index: QueueIndex


@dataclass(frozen=True, kw_only=True)
class RequestContext:
    """One request: its session, its form, its trace id, and the shared state."""

    app_state: AppState
    session: BrowserSession
    form: Form
    trace_id: TraceId
    request: Request
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def memory(self) -> Memory:
        """The memory."""
        return self.app_state.memory

    @property
    def inspection(self) -> Inspection:
        """Read-only queries over the memory."""
        return self.app_state.inspection

    @property
    def is_partial(self) -> bool:
        """Whether htmx asks for a fragment only; restoring from the browser's history needs the whole page."""
        headers = self.request.headers
        return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"

    @property
    def current_address(self) -> str:
        """The address of this page, without the act in its flash message."""
        pairs = [(name, value) for name, value in self.request.query_params.multi_items() if name != "done"]
        return self.request.url.path + (f"?{urlencode(pairs)}" if pairs else "")

    def page(
        self,
        name: str,
        values: Mapping[str, object] | None = None,
        *,
        status: int = 200,
        section: str = "",
        **more: object,
    ) -> HTMLResponse:
        """A page with what every page shows: the reviewer, how many proposals wait, and the last decision."""
        queue = self.inspection.queue_state()
        shared: Mapping[str, object] = {
            "section": section,
            "session": self.session,
            "waiting": queue.waiting,
            "change": queue.change,
            "flash": self._flash(),
            "current_address": self.current_address,
            "now": self.now,
        }
        return render_page(name, {**shared, **(values or {}), **more}, status)

    def _flash(self) -> Flash | None:
        """What the act in the address did, read from the ledger, so that an address cannot make the page claim more."""
        summary = self.inspection.act_summary(self.request.query_params.get("done", ""))
        if summary is None:
            return None
        targets = "1 memory" if summary.targets == 1 else f"{summary.targets:,} memories"
        words = f"{targets} {_PAST_PARTICIPLES.get(summary.action, summary.action)}"
        return Flash(act_id=summary.act_id, words=words, can_undo=summary.can_undo)


def context_of(request: Request) -> RequestContext:
    """The context of a request that the security middleware passed."""
    state = request.state
    return RequestContext(
        app_state=cast("AppState", request.app.state.app_state),
        session=cast("BrowserSession", state.session),
        form=cast("Form", state.form),
        trace_id=cast("TraceId", state.trace_id),
        request=request,
    )


Context = Annotated[RequestContext, Depends(context_of)]
