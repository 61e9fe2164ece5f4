"""The page of one proposal: why it waits, its evidence, similar records, and what approving it would change.

Takes: a proposal's id. Gives: the page. Never: decides.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.access import local_path
from dopejar.doors.web.request_context import Context

router = APIRouter()


@router.get("/proposals/{name}")
def show_proposal(context: Context, name: str) -> HTMLResponse:
    """One proposal."""
    item = context.memory.review.show(name)
    reviewer = context.session.reviewer
    return context.page(
        "proposal.html",
        section="queue",
        item=item,
        details=context.inspection.proposal_details(item, reviewer.name if reviewer else ""),
        back=local_path(context.request.query_params.get("back", "/")),
    )
