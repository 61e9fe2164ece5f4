"""The first reviewer, made in the browser that opened the one-time link of a store without any.

Takes: a name and a passphrase typed twice. Gives: the reviewer, unlocked in this browser. Never: adds another one, or
changes one: that needs a reviewer at a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from dopejar.doors.web.decision_routes import reviewer_of
from dopejar.doors.web.request_context import Context
from dopejar.errors import InputError, RefusedError, ReviewerRequiredError

if TYPE_CHECKING:
    from dopejar.doors.web.request_context import RequestContext

router = APIRouter()


@router.get("/reviewer")
def show_first_reviewer(context: Context) -> Response:
    """The form, as long as there is no reviewer."""
    return RedirectResponse("/", status_code=303) if context.memory.reviewers.names() else _show_form(context)


@router.post("/reviewer")
def add_first_reviewer(context: Context) -> Response:
    """Add the first reviewer, and unlock them here."""
    if not context.session.is_from_link:
        raise RefusedError(
            "This browser was not opened with the link of `dopejar serve`. Use `dopejar reviewer add NAME`."
        )
    passphrase = context.form.text("passphrase")
    if passphrase != context.form.text("repeat"):
        return _show_form(context, "The two passphrases differ. Nothing was changed; try again.")
    try:
        context.memory.reviewers.add(context.form.text("name"), passphrase, trace_id=context.trace_id)
    except InputError as error:
        return _show_form(context, str(error))
    except ReviewerRequiredError as error:  # no passphrase helps here, so the page must not ask for one
        raise RefusedError(str(error)) from error
    reviewer_of(context)
    return RedirectResponse("/", status_code=303)


def _show_form(context: RequestContext, message: str = "") -> HTMLResponse:
    values = {"message": message, "typed_name": context.form.text("name")}
    return context.page("first_reviewer.html", values, status=400 if message else 200)
