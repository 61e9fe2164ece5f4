"""Pages of the memories: search and browse them, one in full, and what erasing it would take away.

Takes: filters and ids in an address. Gives: pages. Never: changes anything.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.forms import drop_defaults
from dopejar.doors.web.request_context import Context
from dopejar.engine.queries.record_search import BrowseFilter, RecordPage
from dopejar.errors import InputError, NotFoundError
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace, Side

if TYPE_CHECKING:
    from collections.abc import Mapping

router = APIRouter()
_SIDES: Final = tuple(side.value for side in Side if side)


def read_browse_filter(values: Mapping[str, str]) -> BrowseFilter:
    """The filter in an address; an unknown kind, status, side or namespace counts as the default."""
    return BrowseFilter(
        q=values.get("q", "").strip()[:200],
        kind=_choice(values.get("kind", ""), tuple(Kind), ""),
        status=_choice(values.get("status", "active"), (*Status, ""), "active"),
        scope=values.get("scope", "").strip()[:200],
        key=values.get("key", "").strip()[:100],
        side=_choice(values.get("side", ""), _SIDES, ""),
        tag=values.get("tag", "").strip()[:100],
        namespace=_choice(values.get("namespace", "prod"), tuple(Namespace), "prod"),
        after=values.get("after", "")[:64],
    )


def _scopes(projects: Mapping[str, str], chosen: str) -> tuple[str, ...]:
    """The scopes to choose from: universal, each project, and the one in the address."""
    names = sorted(projects, key=lambda name: projects[name].casefold())
    return tuple(dict.fromkeys(("universal", *(f"project:{name}" for name in names), *filter(None, (chosen,)))))


def _choice(text: str, choices: tuple[str, ...], default: str) -> str:
    return text if text in choices else default


@router.get("/memories")
def browse_memories(context: Context) -> HTMLResponse:
    """Search and browse."""
    filters = read_browse_filter(context.request.query_params)
    projects = context.inspection.projects()
    fault, page = "", RecordPage()
    try:
        page = context.inspection.browse(filters)
    except (InputError, NotFoundError) as error:
        fault = str(error)
    values: dict[str, object] = {
        "filters": filters,
        "address": drop_defaults(asdict(filters), asdict(BrowseFilter())),
        "records": page.records,
        "has_more": page.has_more,
        "fault": fault,
        "kinds": tuple(Kind),
        "statuses": tuple(Status),
        "sides": _SIDES,
        "projects": projects,
        "scopes": _scopes(projects, filters.scope),
    }
    return context.page("memories_table.html" if context.is_partial else "memories.html", values, section="memory")


@router.get("/memories/{name}")
def show_memory(context: Context, name: str) -> HTMLResponse:
    """One memory in full."""
    history = context.memory.history(name)
    return context.page(
        "memory.html",
        section="memory",
        history=history,
        record=history.record,
        details=context.inspection.record_details(history),
        projects=context.inspection.projects(),
    )


@router.get("/memories/{name}/erase")
def preview_erasure(context: Context, name: str) -> HTMLResponse:
    """What erasing a memory would take away."""
    preview = context.inspection.preview_erasure(context.memory.history(name))
    return context.page("erase.html", section="memory", preview=preview, record=preview.record)
