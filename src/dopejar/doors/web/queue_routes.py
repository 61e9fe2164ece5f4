"""Pages of the review queue: one table for every waiting proposal, one proposal in full, bulk approval, live counts.

Takes: filters in an address. Gives: pages and fragments. Never: decides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.access import local_path
from dopejar.doors.web.forms import drop_defaults, is_checked, parse_fraction, parse_integer
from dopejar.doors.web.request_context import Context
from dopejar.engine.queries.queue_rows import PAGE_SIZE, SORT_KEYS, QueueFilter, select_confident, select_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

router = APIRouter()
MOST_APPROVED_TOGETHER: Final = 1000
_SHOWN_TOGETHER: Final = 100
_LARGEST_PAGE: Final = 200


def read_queue_filter(values: Mapping[str, str]) -> QueueFilter:
    """The filter in an address; a value that cannot be parsed counts as the default."""
    sort = values.get("sort", "priority")
    return QueueFilter(
        q=values.get("q", "").strip()[:200],
        kind=values.get("kind", ""),
        source=values.get("source", ""),
        suggestion=values.get("suggestion", ""),
        priority=parse_integer(values.get("priority", ""), 0, 0, 9),
        flagged=is_checked(values.get("flagged", "")),
        least=parse_fraction(values.get("least", ""), 0.0),
        sort=sort if sort in SORT_KEYS else "priority",
        down=is_checked(values.get("down", "")),
        page=parse_integer(values.get("page", ""), 1, 1, 1_000_000),
        per=parse_integer(values.get("per", ""), PAGE_SIZE, 10, _LARGEST_PAGE),
    )


def queue_address(filters: QueueFilter) -> dict[str, object]:
    """The same filter as values of an address, defaults left out."""
    changed = drop_defaults(asdict(filters), asdict(QueueFilter()))
    return {name: 1 if value is True else value for name, value in changed.items()}


@router.get("/")
def show_queue(context: Context) -> HTMLResponse:
    """The queue, or only its table for htmx."""
    filters = read_queue_filter(context.request.query_params)
    index = context.app_state.queue_index
    page = index.page(filters)
    pages = max(1, -(-page.total // filters.per))
    if filters.page > pages:
        filters = replace(filters, page=pages)
        page = index.page(filters)
    values: dict[str, object] = {
        "rows": page.rows,
        "sources": index.sources(page.rows),
        "projects": context.inspection.projects(),
        "filters": filters,
        "address": queue_address(filters),
        "total": page.total,
        "pages": pages,
    }
    if context.is_partial:
        return context.page("queue_table.html", values, section="queue")
    return context.page("queue.html", values, section="queue", snapshot=index.cached())


@router.get("/proposals/{name}")
def show_proposal(context: Context, name: str) -> HTMLResponse:
    """One proposal: why it waits, its evidence, similar records, and what approving it would change."""
    item = context.memory.review.show(name)
    reviewer = context.session.reviewer
    return context.page(
        "proposal.html",
        section="queue",
        item=item,
        details=context.inspection.proposal_details(item, reviewer.name if reviewer else ""),
        projects=context.inspection.projects(),
        back=local_path(context.request.query_params.get("back", "/")),
    )


@router.get("/counts")
def show_counts(context: Context) -> HTMLResponse:
    """Current counts for polling, and whether the page on screen is out of date."""
    snapshot = context.app_state.queue_index.snapshot()
    seen = context.request.query_params.get("seen", "")
    return context.page("counts.html", snapshot=snapshot, is_outdated=bool(seen) and seen != snapshot.change)


@router.get("/bulk")
def preview_bulk_approval(context: Context) -> HTMLResponse:
    """What would be approved together, before it is."""
    values = context.request.query_params
    filters = read_queue_filter(values)
    index = context.app_state.queue_index
    least = parse_fraction(values.get("from", ""), index.least_confidence)
    most = parse_integer(values.get("most", ""), _SHOWN_TOGETHER, 1, MOST_APPROVED_TOGETHER)
    matches = select_rows(index.snapshot().rows, filters)
    confident = select_confident(matches, least, len(matches))
    rows = confident[:most]
    groups = Counter((row.kind, row.suggestion) for row in rows)
    return context.page(
        "bulk.html",
        section="queue",
        rows=rows,
        groups=[(count, suggestion, kind) for (kind, suggestion), count in groups.most_common()],
        sources=index.sources(rows),
        projects=context.inspection.projects(),
        address=queue_address(filters),
        least=least,
        most=most,
        matching=len(confident),
    )


@router.get("/help")
def show_help(context: Context) -> HTMLResponse:
    """Keyboard shortcuts, and the form for another link."""
    return context.page("help.html", section="help", link="")


@router.post("/link")
def create_link(context: Context) -> HTMLResponse:
    """The help page with a new link, which opens one more browser once."""
    opening = f"{context.app_state.address.origin}/open"
    if context.session.is_from_link:
        link = f"{opening}?token={context.app_state.sessions.issue_token()}"
    else:  # never more than this browser may itself
        link = context.memory.page_links.make() or opening
    return context.page("help.html", section="help", link=link)
