"""The queue: one table for everything that waits, what is sure enough to be decided together, and live counts.

Takes: filters of an address. Gives: the page or its parts. Never: decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.desk import Visiting, contradicted_in, near_ones
from dopejar.doors.web.forms import number, share
from dopejar.doors.web.queue_rows import Asked, QueueRow, chosen, row_of, surest
from dopejar.values.ids import ProposalId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.doors.web.desk import Visit

router = APIRouter()
BULK: Final = 1000
_STRAIGHT: Final = 10


@router.get("/")
def queue(visit: Visiting) -> HTMLResponse:
    """The queue, or only its table where a part is wanted."""
    asked = Asked.of(visit.request.query_params)
    rows, total = _page_of(visit, asked)
    pages = max(1, -(-total // asked.per))
    if asked.page > pages:
        asked = replace(asked, page=pages)
        rows, total = _page_of(visit, asked)
    near = _near_counts(visit, rows)
    values: dict[str, object] = {"rows": rows, "near": near, "asked": asked, "total": total, "pages": pages}
    if visit.is_partial:
        return visit.page("queue_table.html", values, section="queue")
    standing = visit.desk.index.known()
    return visit.page("queue.html", values, section="queue", standing=standing)


def _page_of(visit: Visit, asked: Asked) -> tuple[list[QueueRow], int]:
    first = (asked.page - 1) * asked.per
    # the first pages come straight from the store; further on, skipping rows costs more than sorting those at hand
    if asked.is_plain and (asked.page <= _STRAIGHT or visit.desk.index.known() is None):
        with visit.memory.store.read() as view:
            total, contradicted = view.sizes().proposals.get("staged", 0), contradicted_in(view)
        return [row_of(item, contradicted) for item in visit.memory.queue(limit=asked.per, offset=first)], total
    found = chosen(visit.desk.index.standing().rows, asked)
    return found[first : first + asked.per], len(found)


def _near_counts(visit: Visit, rows: Sequence[QueueRow]) -> dict[str, int]:
    found = {}
    with visit.memory.store.read() as view:
        for row in rows:
            proposal = view.proposal(ProposalId(row.id))
            found[row.id] = len(near_ones(view, proposal)) if proposal else 0
    return found


@router.get("/counts")
def counts(visit: Visiting) -> HTMLResponse:
    """What waits now, for the polling; with whether the page at hand is behind."""
    standing = visit.desk.index.standing()
    seen = visit.request.query_params.get("seen", "")
    return visit.page("counts.html", standing=standing, is_behind=bool(seen) and seen != standing.change)


@router.get("/bulk")
def bulk(visit: Visiting) -> HTMLResponse:
    """What would be approved together, before it is."""
    values = visit.request.query_params
    asked = Asked.of(values)
    least = share(values.get("from", ""), visit.desk.index.least)
    most = number(values.get("most", ""), BULK, 1, BULK)
    fitting = chosen(visit.desk.index.standing().rows, asked)
    rows = surest(fitting, least, most)
    of_all = len(surest(fitting, least, len(fitting)))
    groups: dict[tuple[str, str], int] = {}
    for row in rows:
        place = (row.kind, row.suggestion)
        groups[place] = groups.get(place, 0) + 1
    return visit.page(
        "bulk.html",
        section="queue",
        rows=rows,
        groups=sorted(groups.items()),
        asked=asked,
        least=least,
        most=most,
        of_all=of_all,
    )


@router.get("/help")
def help_page(visit: Visiting) -> HTMLResponse:
    """The keyboard's letters, and a link for another browser."""
    return visit.page("help.html", section="help", link="")


@router.post("/link")
def another_link(visit: Visiting) -> HTMLResponse:
    """The same, with a fresh link that opens one more browser, once."""
    token = visit.desk.keeper.another()
    link = f"{visit.desk.address.origin}/open" + (f"?token={token}" if token else "")
    return visit.page("help.html", section="help", link=link)
