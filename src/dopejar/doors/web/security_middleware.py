"""What every request passes before any page sees it.

Takes: a request. Gives: the same with its session and its form, or one plain refusal. Never: lets a request change
anything that does not come from a page of ours in a browser that opened the link.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from dopejar.doors.web.access import is_csrf_right, is_same_origin
from dopejar.doors.web.forms import MOST_BYTES, Form, read_form
from dopejar.doors.web.html_templates import refusal
from dopejar.errors import InputError
from dopejar.values.ids import new_trace_id

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dopejar.doors.web.access import Address, Session, SessionManager

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # not `no-referrer`: browsers would send `Origin: null` with our own forms
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
OPEN: Final = "/open"
_STATIC: Final = "/static/"
_SAFE: Final = ("GET", "HEAD")
_NOT_OPENED: Final = "This browser has not opened the page. Open the link that `dopejar serve` printed."


class _TurnedAwayError(Exception):
    """A request that goes no further: the status and the sentence for the person."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class SecurityMiddleware:
    """The middleware around every page."""

    def __init__(self, app: ASGIApp, *, sessions: SessionManager, address: Address) -> None:
        self._app = app
        self._sessions = sessions
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no page of ours opens a socket; the server closes it
        guarded = _with_headers(scope["path"], send)
        try:
            state = await self._checked(Request(scope, receive))
        except _TurnedAwayError as refused:
            is_partial = Headers(scope=scope).get("hx-request") == "true"
            await refusal(refused.status, str(refused), is_partial=is_partial)(scope, receive, guarded)
            return
        scope.setdefault("state", {}).update(state)
        await self._app(scope, receive, guarded)

    async def _checked(self, request: Request) -> dict[str, object]:
        headers, path = request.headers, request.url.path
        host = headers.get("host", "").lower()
        if host not in self._address.hosts or len(headers.getlist("host")) != 1:
            raise _TurnedAwayError(421, "This page answers to its own address only. Open the link as it was printed.")
        if request.method not in (*_SAFE, "POST"):
            raise _TurnedAwayError(405, "The page neither knows nor needs this method.")
        session = self._sessions.session(request.cookies.get(self._address.cookie, ""), datetime.now(UTC))
        if session is None and path != OPEN and not path.startswith(_STATIC):
            raise _TurnedAwayError(401, _NOT_OPENED)
        form = Form()
        if request.method not in _SAFE:
            form = await _form_of(request, host, session)
        return {"session": session, "form": form, "trace_id": new_trace_id()}


async def _form_of(request: Request, host: str, session: Session | None) -> Form:
    headers = request.headers
    if not is_same_origin(host, headers.get("origin"), headers.get("sec-fetch-site")):
        raise _TurnedAwayError(403, "Only a page of this address may send this. Nothing was changed.")
    try:
        form = read_form(headers.get("content-type", ""), await _body(request, headers))
    except InputError as fault:
        raise _TurnedAwayError(400, str(fault)) from fault
    if session is not None and not is_csrf_right(session, form.text("csrf")):
        raise _TurnedAwayError(403, "This form is not of this browser's session. Reload the page and try again.")
    return form


async def _body(request: Request, headers: Headers) -> bytes:
    declared = headers.get("content-length", "0")
    too_much = _TurnedAwayError(413, "That is more than a form of this page can hold. Nothing was changed.")
    if not declared.isdigit() or int(declared) > MOST_BYTES:
        raise too_much
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise too_much
        parts.append(part)
    return b"".join(parts)


def _with_headers(path: str, send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(SECURITY_HEADERS)
            if not path.startswith(_STATIC):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sent
