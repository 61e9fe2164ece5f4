"""The overview page: daily activity, age of the queue, hygiene, bullets, and sizes of the store.

Takes: nothing but the memory. Gives: tables, which a script also draws as charts. Never: changes anything.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.request_context import Context
from dopejar.engine.queries.ledger_search import ACTIVITY_COLUMNS
from dopejar.engine.queries.queue_rows import count_ages

router = APIRouter()
_DAYS: Final = 30


@router.get("/overview")
def show_overview(context: Context) -> HTMLResponse:
    """The page; hygiene reads every memory, so the browser loads it afterwards."""
    activity = context.inspection.daily_activity(_DAYS)
    snapshot = context.app_state.queue_index.snapshot()
    return context.page(
        "overview.html",
        section="overview",
        activity=activity,
        has_activity=any(any(day.counts.values()) for day in activity),
        columns=ACTIVITY_COLUMNS,
        ages=count_ages(snapshot.rows, context.now),
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
