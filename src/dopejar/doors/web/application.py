"""The FastAPI application of the web door.

Takes: an opened memory, the session manager, and the address. Gives: an ASGI application. Never: publishes an API
description, or a route that the security middleware does not see.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from dopejar.doors.web import (
    decision_routes,
    garden_routes,
    graph_routes,
    ledger_routes,
    overview_routes,
    queue_routes,
    record_routes,
    reviewer_routes,
    turn_routes,
)
from dopejar.doors.web.access import local_path
from dopejar.doors.web.assets import assets
from dopejar.doors.web.decision_routes import CREDENTIAL_FIELDS, ConcurrentDecisionError, NeedsReviewerError
from dopejar.doors.web.html_templates import render_page, render_refusal
from dopejar.doors.web.request_context import AppState, context_of
from dopejar.doors.web.security_middleware import OPEN_PATH, SECURITY_HEADERS, SecurityMiddleware
from dopejar.errors import (
    DopejarError,
    IllegalMoveError,
    NotFoundError,
    RefusedError,
    ReviewerRequiredError,
    StaleProposalError,
    StoreBusyError,
    StoreError,
    UsageError,
)

if TYPE_CHECKING:
    from dopejar.doors.web.access import Address, SessionManager
    from dopejar.engine.memory import Memory

_STATUS_CODES: Final = (
    (NotFoundError, 404),
    (StaleProposalError, 409),
    (IllegalMoveError, 409),
    (RefusedError, 403),
    (UsageError, 400),
    (StoreBusyError, 503),
    (StoreError, 500),
)

ROUTE_MODULES: Final = (
    queue_routes,
    decision_routes,
    record_routes,
    garden_routes,
    graph_routes,
    ledger_routes,
    overview_routes,
    reviewer_routes,
    turn_routes,
)


def create_app(memory: Memory, sessions: SessionManager, address: Address) -> FastAPI:
    """The application over an opened memory; the caller closes the memory."""
    app = FastAPI(title="DoPeJar", docs_url=None, redoc_url=None, openapi_url=None)
    inspection = memory.inspection
    app.state.app_state = AppState(
        memory=memory,
        sessions=sessions,
        address=address,
        inspection=inspection,
        queue_index=inspection.queue_index(),
    )
    for module in ROUTE_MODULES:
        app.include_router(module.router)
    app.add_api_route(OPEN_PATH, open_from_link, methods=["GET"], response_class=HTMLResponse)
    app.add_api_route(OPEN_PATH, open_from_form, methods=["POST"], response_class=HTMLResponse)
    app.add_api_route("/static/{name}", serve_asset, methods=["GET"], response_class=Response)
    app.add_exception_handler(DopejarError, _show_error)
    app.add_exception_handler(NeedsReviewerError, _ask_for_reviewer)
    app.add_exception_handler(ConcurrentDecisionError, _show_concurrent_decision)
    app.add_exception_handler(HTTPException, _show_http_error)
    app.add_exception_handler(Exception, _show_internal_error)
    app.add_middleware(SecurityMiddleware, sessions=sessions, address=address)
    return app


def open_from_link(request: Request, token: str = "") -> Response:
    """Exchange the token in the link for a session cookie; without a token, ask for it."""
    return _open_session(request, token) if token else render_page("open.html", {})


def open_from_form(request: Request) -> Response:
    """Exchange a typed token for a session cookie."""
    return _open_session(request, request.state.form.text("token"))


def _open_session(request: Request, token: str) -> Response:
    app_state: AppState = request.app.state.app_state
    now = datetime.now(UTC)
    try:
        is_lent = app_state.memory.page_links.redeem(token)  # an assistant was given it for its user
        cookie = app_state.sessions.admit(now) if is_lent else app_state.sessions.open(token, now)
    except RefusedError as error:
        return render_refusal(403, str(error))
    # not a redirect: a browser that came from another site would not send a strict cookie along with it
    next_page = "/" if app_state.memory.reviewers.names() else "/reviewer"
    response = render_page("opened.html", {"next_page": next_page})
    response.set_cookie(app_state.address.cookie, cookie, httponly=True, samesite="strict", path="/")
    return response


def serve_asset(name: str) -> Response:
    """A static file of the package."""
    asset = assets().get(name)
    if asset is None:
        return render_refusal(404, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": f'"{asset.tag}"'}
    return Response(asset.body, media_type=asset.media_type, headers=headers)


def _show_error(request: Request, error: Exception) -> Response:
    if isinstance(error, ReviewerRequiredError):
        return _ask_for_reviewer(request, error)
    status = next((code for kind, code in _STATUS_CODES if isinstance(error, kind)), 500)
    message = str(error) or type(error).__doc__
    return context_of(request).page("fault.html", status=status, message=message, code=status)


def _ask_for_reviewer(request: Request, error: Exception) -> Response:
    """Ask for the passphrase; the form that needed it is sent again with it."""
    context = context_of(request)
    return context.page(
        "reviewer.html",
        status=403,
        action=request.url.path,
        fields=context.form.pairs(without=CREDENTIAL_FIELDS),
        names=context.memory.reviewers.names(),
        message=str(error) if isinstance(error, ReviewerRequiredError) else "",
    )


def _show_concurrent_decision(request: Request, error: Exception) -> Response:
    context = context_of(request)
    changes, waiting = (error.changes, error.waiting) if isinstance(error, ConcurrentDecisionError) else ((), ())
    return context.page(
        "concurrent_decision.html",
        status=409,
        changes=changes,
        still_waiting=waiting,
        fields=context.form.pairs(without=(*CREDENTIAL_FIELDS, "pick")),
        action=request.url.path,
        back=local_path(context.form.text("back")),
    )


def _show_http_error(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = "There is no such page." if status == 404 else "The page does not accept this request."
    return render_refusal(status, message)


def _show_internal_error(_request: Request, error: Exception) -> Response:
    """An unexpected error: one sentence for the person; the server logs the traceback in the terminal."""
    message = f"An unexpected error occurred ({type(error).__name__}). The terminal shows the traceback."
    response = render_refusal(500, message)
    response.headers.update(SECURITY_HEADERS)
    return response
