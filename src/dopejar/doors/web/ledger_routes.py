"""Pages of the ledger: every committed change, filtered, one act, and the verified chain.

Takes: filters in an address. Gives: pages. Never: changes anything.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.forms import drop_defaults, parse_integer
from dopejar.doors.web.request_context import Context
from dopejar.engine.queries.ledger_search import LedgerFilter
from dopejar.errors import LedgerBrokenError
from dopejar.values.proposal import Action

if TYPE_CHECKING:
    from collections.abc import Mapping

router = APIRouter()


def read_ledger_filter(values: Mapping[str, str]) -> LedgerFilter:
    """The filter in an address; an unknown action counts as any."""
    action = values.get("action", "")
    return LedgerFilter(
        action=action if action in tuple(Action) else "",
        who=values.get("who", "").strip()[:100],
        target=values.get("target", "").strip()[:100],
        rule=values.get("rule", "").strip()[:100],
        before=parse_integer(values.get("before", ""), 0, 0, 10**12),
    )


@router.get("/ledger")
def show_ledger(context: Context) -> HTMLResponse:
    """The entries, newest first."""
    filters = read_ledger_filter(context.request.query_params)
    page = context.inspection.search_ledger(filters)
    values: dict[str, object] = {
        "filters": filters,
        "address": drop_defaults(asdict(filters), asdict(LedgerFilter())),
        "entries": page.entries,
        "records": page.records,
        "resume": page.resume,
        "head": page.head,
        "actions": tuple(Action),
    }
    return context.page("ledger_table.html" if context.is_partial else "ledger.html", values, section="ledger")


@router.get("/ledger/verify")
def verify_ledger(context: Context) -> HTMLResponse:
    """Verify the whole hash chain."""
    head = context.request.query_params.get("head", "").strip()
    fault, verification = "", None
    try:
        verification = context.memory.verify(head)
    except LedgerBrokenError as error:
        fault = str(error)
    return context.page("verified.html", section="ledger", verification=verification, fault=fault, expected=head)


@router.get("/acts/{name}")
def show_act(context: Context, name: str) -> HTMLResponse:
    """One act with its entries. Raises NotFoundError."""
    act = context.inspection.act(name)
    return context.page("act.html", section="ledger", act=act, entries=act.entries, records=act.records)
