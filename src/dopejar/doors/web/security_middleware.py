"""Security middleware: host, method, session, origin and CSRF token of every request, and the security headers.

Takes: a request. Gives: the request with its session, its form and a trace id, or a refusal. Never: passes on an unsafe
request that does not come from a page of this door in a browser that opened the link.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request

from dopejar.doors.web.access import is_csrf_valid, is_same_origin
from dopejar.doors.web.forms import Form, read_body, read_form
from dopejar.doors.web.html_templates import render_refusal
from dopejar.errors import InputError
from dopejar.values.ids import new_trace_id

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dopejar.doors.web.access import Address, BrowserSession, SessionManager

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # not `no-referrer`: browsers would then send `Origin: null` with the forms of this page
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
OPEN_PATH: Final = "/open"
_STATIC_PATH: Final = "/static/"
_SAFE_METHODS: Final = ("GET", "HEAD")
_NO_SESSION: Final = "This browser has no session. Open the link that `dopejar serve` printed."


class _RequestRefusedError(Exception):
    """A request that is not passed on: the status and the message for the person."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class SecurityMiddleware:
    """ASGI middleware around every page."""

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
            return  # no page opens a WebSocket; the server closes it
        guarded_send = _with_security_headers(scope["path"], send)
        try:
            state = await self._check(Request(scope, receive))
        except ClientDisconnect:
            return  # closed before its form was whole: nobody waits for an answer
        except _RequestRefusedError as error:
            is_partial = Headers(scope=scope).get("hx-request") == "true"
            await render_refusal(error.status, str(error), is_partial=is_partial)(scope, receive, guarded_send)
            return
        scope.setdefault("state", {}).update(state)
        await self._app(scope, receive, guarded_send)

    async def _check(self, request: Request) -> dict[str, object]:
        headers, path = request.headers, request.url.path
        host = headers.get("host", "").lower()
        if host not in self._address.hosts or len(headers.getlist("host")) != 1:
            raise _RequestRefusedError(421, "This host name is not accepted. Open the link exactly as it was printed.")
        if request.method not in (*_SAFE_METHODS, "POST"):
            raise _RequestRefusedError(405, "This method is not supported.")
        session = self._sessions.find(request.cookies.get(self._address.cookie, ""), datetime.now(UTC))
        if session is None and path != OPEN_PATH and not path.startswith(_STATIC_PATH):
            raise _RequestRefusedError(401, _NO_SESSION)
        form = Form()
        if request.method not in _SAFE_METHODS:
            form = await _read_checked_form(request, host, session)
        return {"session": session, "form": form, "trace_id": new_trace_id()}


async def _read_checked_form(request: Request, host: str, session: BrowserSession | None) -> Form:
    headers = request.headers
    if not is_same_origin(host, headers.get("origin"), headers.get("sec-fetch-site")):
        raise _RequestRefusedError(403, "The request comes from another site. Nothing was changed.")
    body = await read_body(request)
    if body is None:
        raise _RequestRefusedError(413, "The request is larger than any form of this page. Nothing was changed.")
    try:
        form = read_form(headers.get("content-type", ""), body)
    except InputError as error:
        raise _RequestRefusedError(400, str(error)) from error
    if session is not None and not is_csrf_valid(session, form.text("csrf")):
        raise _RequestRefusedError(403, "This form belongs to another session. Reload the page and try again.")
    return form


def _with_security_headers(path: str, send: Send) -> Send:
    async def guarded_send(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(SECURITY_HEADERS)
            if not path.startswith(_STATIC_PATH):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return guarded_send
