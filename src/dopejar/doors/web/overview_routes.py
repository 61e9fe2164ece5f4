"""The overview page: what was learned, waits, changed and was used; folded, activity, bullets, hygiene, sizes.

Takes: nothing but the memory. Gives: tables, which a script also draws as charts. Never: changes anything.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.request_context import Context
from dopejar.engine.queries.ledger_search import ACTIVITY_COLUMNS
from dopejar.engine.queries.queue_rows import QueueFilter

router = APIRouter()
_DAYS: Final = 30
_FEW: Final = 5


@router.get("/overview")
def show_overview(context: Context) -> HTMLResponse:
    """The page; hygiene reads every memory, so the browser loads it afterwards."""
    activity = context.inspection.daily_activity(_DAYS)
    queue = context.app_state.queue_index
    oldest = queue.page(QueueFilter(sort="age", per=1)).rows
    return context.page(
        "overview.html",
        section="overview",
        activity=activity,
        has_activity=any(any(day.counts.values()) for day in activity),
        columns=ACTIVITY_COLUMNS,
        week=context.inspection.last_week(),
        first_waiting=queue.page(QueueFilter()).rows[:_FEW],
        oldest=oldest[0].at if oldest else None,
        projects=context.inspection.projects(),
        sizes=context.inspection.sizes(),
        home=context.memory.home,
    )


@router.get("/overview/hygiene")
def show_hygiene(context: Context) -> HTMLResponse:
    """How clean the active memories are, as a fragment or as a page."""
    name = "hygiene_part.html" if context.is_partial else "hygiene.html"
    return context.page(name, section="overview", hygiene=context.memory.surveys.hygiene(all_projects=True))


@router.get("/overview/bullets")
def show_bullets(context: Context) -> HTMLResponse:
    """Counts of bullets and how automatic assignments turned out, as a fragment or as a page."""
    survey = context.memory.bullets.survey()
    return context.page(
        "bullets_part.html" if context.is_partial else "bullets.html",
        section="overview",
        survey=survey,
        states=tuple(dict.fromkeys(state for _, state in sorted(survey.counts))),
        sides=tuple(dict.fromkeys(side for side, _ in sorted(survey.counts))),
        options=context.memory.bullets.options,
    )
