"""The page as one application.

Takes: an opened memory, its doorkeeper and its address. Gives: an ASGI application. Never: a description of itself for
strangers, or a route that the guard does not see.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from dopejar.doors.web import (
    decision_routes,
    ledger_routes,
    overview_routes,
    proposal_routes,
    queue_routes,
    record_routes,
)
from dopejar.doors.web.access import local_path
from dopejar.doors.web.assets import assets
from dopejar.doors.web.decision_routes import CREDENTIAL_FIELDS, ConcurrentDecisionError, NeedsReviewerError
from dopejar.doors.web.html_templates import page, refusal
from dopejar.doors.web.request_context import AppState, QueueIndex, context_of
from dopejar.doors.web.security_middleware import OPEN, SECURITY_HEADERS, SecurityMiddleware
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

_STATUS = (
    (NotFoundError, 404),
    (StaleProposalError, 409),
    (IllegalMoveError, 409),
    (RefusedError, 403),
    (UsageError, 400),
    (StoreBusyError, 503),
    (StoreError, 500),
)

PAGES: Final = (queue_routes, proposal_routes, decision_routes, record_routes, ledger_routes, overview_routes)


def create_app(memory: Memory, sessions: SessionManager, address: Address) -> FastAPI:
    """The application over an opened memory; whoever opened the memory closes it."""
    app = FastAPI(title="DoPeJar", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.app_state = AppState(memory=memory, sessions=sessions, address=address, queue_index=QueueIndex(memory))
    for module in PAGES:
        app.include_router(module.router)
    app.add_api_route(OPEN, opened, methods=["GET"], response_class=HTMLResponse)
    app.add_api_route(OPEN, opened_by_form, methods=["POST"], response_class=HTMLResponse)
    app.add_api_route("/static/{name}", static, methods=["GET"], response_class=Response)
    app.add_exception_handler(DopejarError, _faulted)
    app.add_exception_handler(NeedsReviewerError, _who_decides)
    app.add_exception_handler(ConcurrentDecisionError, _moved)
    app.add_exception_handler(HTTPException, _no_page)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(SecurityMiddleware, sessions=sessions, address=address)
    return app


def opened(request: Request, token: str = "") -> Response:
    """Turn the token of the link into a cookie; without one, ask for it."""
    return _admitted(request, token) if token else page("open.html", {"fault": ""})


def opened_by_form(request: Request) -> Response:
    """The same for a token that was typed."""
    return _admitted(request, request.state.form.text("token"))


def _admitted(request: Request, token: str) -> Response:
    app_state: AppState = request.app.state.app_state
    try:
        cookie = app_state.sessions.admit(token, datetime.now(UTC))
    except RefusedError as fault:
        return refusal(403, str(fault))
    # not a redirect: a browser that came from elsewhere would not send a strict cookie along with it
    answer = page("opened.html", {})
    answer.set_cookie(app_state.address.cookie, cookie, httponly=True, samesite="strict", path="/")
    return answer


def static(name: str) -> Response:
    """A file of the package by its name."""
    found = assets().get(name)
    if found is None:
        return refusal(404, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": f'"{found.tag}"'}
    return Response(found.body, media_type=found.kind, headers=headers)


def _faulted(request: Request, fault: Exception) -> Response:
    if isinstance(fault, ReviewerRequiredError):
        return _who_decides(request, fault)
    status = next((code for kind, code in _STATUS if isinstance(fault, kind)), 500)
    return context_of(request).page("fault.html", status=status, message=str(fault) or type(fault).__doc__, code=status)


def _who_decides(request: Request, fault: Exception) -> Response:
    """Ask for the passphrase; the form that needed it goes on from there."""
    asking = context_of(request)
    message = str(fault) if isinstance(fault, ReviewerRequiredError) else ""
    return asking.page(
        "reviewer.html",
        status=403,
        action=request.url.path,
        fields=asking.form.pairs(without=CREDENTIAL_FIELDS),
        names=asking.memory.reviewers(),
        message=message,
    )


def _moved(request: Request, fault: Exception) -> Response:
    asking = context_of(request)
    gone, left = (fault.gone, fault.left) if isinstance(fault, ConcurrentDecisionError) else ((), ())
    fields = asking.form.pairs(without=(*CREDENTIAL_FIELDS, "pick"))
    return asking.page(
        "moved.html",
        status=409,
        gone=gone,
        left=left,
        fields=fields,
        action=request.url.path,
        back=local_path(asking.form.text("back")),
    )


def _no_page(request: Request, fault: Exception) -> Response:
    status = fault.status_code if isinstance(fault, HTTPException) else 500
    return refusal(status, "There is no such page." if status == 404 else "The page does not take this.")


def _broken(_request: Request, fault: Exception) -> Response:
    """A fault of the program: one sentence for the person, and the fault itself for the terminal."""
    answer = refusal(500, f"Something unexpected went wrong ({type(fault).__name__}). The terminal shows where.")
    answer.headers.update(SECURITY_HEADERS)
    return answer
