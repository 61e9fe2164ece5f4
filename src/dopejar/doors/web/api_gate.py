"""The gate of the REST door: host, key, scope, size and repetition of every request, before a route sees it.

Takes: requests. Gives: those that a key allows, with their body read; or a problem document. Never: passes on a request
without a key, a proposal of a key that may only read, or a repeated request that was answered.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from dopejar.doors.web.api_application import PREFIX, PROBLEM, problem
from dopejar.doors.web.forms import MOST_BYTES, read_body
from dopejar.errors import DopejarError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dopejar.doors.web.access import Address
    from dopejar.engine.kept_answers import KeptAnswer
    from dopejar.engine.memory import Memory
    from dopejar.engine.review.api_keys import ApiKey

_LONGEST_NAME: Final = 200  # characters of an Idempotency-Key
_READING: Final = frozenset({f"{PREFIX}/recall", f"{PREFIX}/checks"})  # POST, since their questions are long
_HEADERS: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


class ApiGate:
    """ASGI: requests under `/api/v1` go to the API, all others to the page."""

    def __init__(self, page: ASGIApp, api: Starlette, *, memory: Memory, address: Address) -> None:
        self._page, self._api, self._memory, self._address = page, api, memory, address
        self._in_turn: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by Idempotency-Key
        self._posts = tuple(
            route.path_regex for route in api.routes if isinstance(route, Route) and "POST" in (route.methods or ())
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        is_ours = scope["type"] == "http" and (scope["path"] == PREFIX or scope["path"].startswith(f"{PREFIX}/"))
        if not is_ours:
            await self._page(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        try:
            answer = await self._answer(scope, receive, sealed)
        except ClientDisconnect:
            return  # nobody waits for an answer
        except DopejarError as error:  # the store cannot be read
            answer = problem(503, str(error))
        if answer is not None:
            await answer(scope, receive, sealed)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        """A refusal or a repeated answer; None where the API answered."""
        request = Request(scope, receive)
        headers = request.headers
        if headers.get("host", "").lower() not in self._address.hosts or len(headers.getlist("host")) != 1:
            return problem(421, "This host name is not accepted. Use the address that `dopejar serve` printed.")
        key = await self._key(headers)
        if key is None:
            detail = "This needs a key: `Authorization: Bearer dpj_...`. Make one with `dopejar api-key add NAME`."
            return problem(401, detail, {"WWW-Authenticate": "Bearer"})
        scope.setdefault("state", {})["key"] = key
        if request.method == "POST" and any(path.match(request.url.path) for path in self._posts):
            return await self._post(request, key, send)
        await self._api(scope, receive, send)
        return None

    async def _post(self, request: Request, key: ApiKey, send: Send) -> Response | None:
        if request.url.path not in _READING and not key.may_write:
            return problem(403, "This key may only read. Make one with `dopejar api-key add NAME --scope write`.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return problem(415, "Send JSON, with `Content-Type: application/json`.")
        body = await read_body(request)
        if body is None:
            return problem(413, f"A request has at most {MOST_BYTES:,} bytes. Nothing was changed.")
        return await self._once(request, key, body, send)

    async def _key(self, headers: Headers) -> ApiKey | None:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        return await run_in_threadpool(self._memory.api_keys.find, given.strip())

    async def _once(self, request: Request, key: ApiKey, body: bytes, send: Send) -> Response | None:
        """Let the API answer, and keep its answer where the request has an `Idempotency-Key`."""
        name = request.headers.get("idempotency-key", "")
        if not name:
            await self._api(request.scope, _replayed(body), send)
            return None
        if len(name) > _LONGEST_NAME:
            return problem(422, f"An Idempotency-Key has at most {_LONGEST_NAME} characters.")
        kept, own_name = self._memory.kept_answers, f"{key.name}\0{name}"
        asked = f"{request.url.path}\0{body.decode('latin-1')}"  # byte by byte: it is compared, not read
        async with self._in_turn.setdefault(own_name, asyncio.Lock()):  # a repeat waits for the request it repeats
            known = await run_in_threadpool(kept.find, own_name, asked)
            if known is not None:
                return _repeated(known)
            answer = _Answer()
            await self._api(request.scope, _replayed(body), answer)
            if answer.status < 500:
                text = answer.body.decode("utf-8")
                with suppress(DopejarError):  # the work is done: who asked is told so, though no repeat will be known
                    await run_in_threadpool(kept.keep, own_name, asked, answer.status, text)
        await answer.pass_on(send)
        return None


class _Answer:
    """Holds an answer back until it is kept."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self.status, self.body = 500, b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        self.body += message.get("body", b"")
        self._messages.append(message)

    async def pass_on(self, send: Send) -> None:
        """Send it."""
        for message in self._messages:
            await send(message)


def _repeated(kept: KeptAnswer) -> Response:
    """The answer that was kept; a refusal where the key was used for another request."""
    if not kept.is_of_request:
        return problem(422, "This Idempotency-Key was used for another request. Use a new one for each.")
    media_type = PROBLEM if kept.status >= 400 else "application/json"
    return Response(kept.body, kept.status, {"Idempotent-Replayed": "true"}, media_type)


def _replayed(body: bytes) -> Receive:
    """A body that was read, to be received again."""
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return parts.pop() if parts else {"type": "http.disconnect"}

    return receive
