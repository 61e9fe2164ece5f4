"""The queue: one table for everything that waits, what is sure enough to be decided together, and live counts.

Takes: filters of an address. Gives: the page or its parts. Never: decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.forms import parse_fraction, parse_integer
from dopejar.doors.web.request_context import Context, contradicted_in, near_ones
from dopejar.engine.queries.queue_rows import QueueFilter, QueueRow, make_row, select_confident, select_rows
from dopejar.values.ids import ProposalId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.doors.web.request_context import RequestContext

router = APIRouter()
BULK: Final = 1000
_STRAIGHT: Final = 10


@router.get("/")
def queue(context: Context) -> HTMLResponse:
    """The queue, or only its table where a part is wanted."""
    filters = QueueFilter.of(context.request.query_params)
    rows, total = _page_of(context, filters)
    pages = max(1, -(-total // filters.per))
    if filters.page > pages:
        filters = replace(filters, page=pages)
        rows, total = _page_of(context, filters)
    near = _near_counts(context, rows)
    values: dict[str, object] = {"rows": rows, "near": near, "filters": filters, "total": total, "pages": pages}
    if context.is_partial:
        return context.page("queue_table.html", values, section="queue")
    snapshot = context.app_state.queue_index.known()
    return context.page("queue.html", values, section="queue", snapshot=snapshot)


def _page_of(context: RequestContext, filters: QueueFilter) -> tuple[list[QueueRow], int]:
    first = (filters.page - 1) * filters.per
    # the first pages come straight from the store; further on, skipping rows costs more than sorting those at hand
    if filters.is_plain and (filters.page <= _STRAIGHT or context.app_state.queue_index.known() is None):
        with context.memory.store.read() as view:
            total, contradicted = view.sizes().proposals.get("staged", 0), contradicted_in(view)
        return [make_row(item, contradicted) for item in context.memory.queue(limit=filters.per, offset=first)], total
    found = select_rows(context.app_state.queue_index.snapshot().rows, filters)
    return found[first : first + filters.per], len(found)


def _near_counts(context: RequestContext, rows: Sequence[QueueRow]) -> dict[str, int]:
    found = {}
    with context.memory.store.read() as view:
        for row in rows:
            proposal = view.proposal(ProposalId(row.id))
            found[row.id] = len(near_ones(view, proposal)) if proposal else 0
    return found


@router.get("/counts")
def counts(context: Context) -> HTMLResponse:
    """What waits now, for the polling; with whether the page at hand is behind."""
    snapshot = context.app_state.queue_index.snapshot()
    seen = context.request.query_params.get("seen", "")
    return context.page("counts.html", snapshot=snapshot, is_behind=bool(seen) and seen != snapshot.change)


@router.get("/bulk")
def bulk(context: Context) -> HTMLResponse:
    """What would be approved together, before it is."""
    values = context.request.query_params
    filters = QueueFilter.of(values)
    least = parse_fraction(values.get("from", ""), context.app_state.queue_index.least)
    most = parse_integer(values.get("most", ""), BULK, 1, BULK)
    fitting = select_rows(context.app_state.queue_index.snapshot().rows, filters)
    rows = select_confident(fitting, least, most)
    of_all = len(select_confident(fitting, least, len(fitting)))
    groups: dict[tuple[str, str], int] = {}
    for row in rows:
        place = (row.kind, row.suggestion)
        groups[place] = groups.get(place, 0) + 1
    return context.page(
        "bulk.html",
        section="queue",
        rows=rows,
        groups=sorted(groups.items()),
        filters=filters,
        least=least,
        most=most,
        of_all=of_all,
    )


@router.get("/help")
def help_page(context: Context) -> HTMLResponse:
    """The keyboard's letters, and a link for another browser."""
    return context.page("help.html", section="help", link="")


@router.post("/link")
def another_link(context: Context) -> HTMLResponse:
    """The same, with a fresh link that opens one more browser, once."""
    token = context.app_state.sessions.another()
    link = f"{context.app_state.address.origin}/open" + (f"?token={token}" if token else "")
    return context.page("help.html", section="help", link=link)
