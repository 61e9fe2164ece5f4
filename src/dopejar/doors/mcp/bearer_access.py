"""Access over HTTP: a bearer token on every request.

Takes: requests. Gives: those that bear the token. Never: passes on another one, or keeps the token in plain text.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from dopejar.errors import InputError
from dopejar.values.digests import sha256_hex

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN_VARIABLE: Final = "DOPEJAR_MCP_TOKEN"  # noqa: S105 - the name of a variable, not a secret
SHORTEST_TOKEN: Final = 20
_SCHEME: Final = "bearer "


def checked_token(token: str) -> str:
    """The token. Raises InputError where it is so short that it could be guessed."""
    if len(token) < SHORTEST_TOKEN:
        raise InputError(
            f"The token in {TOKEN_VARIABLE} has {len(token)} characters; use at least {SHORTEST_TOKEN} random ones."
        )
    return token


class BearerMiddleware:
    """ASGI middleware that answers 401 to every request without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._digest = sha256_hex(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "lifespan" and not self._is_borne(scope):
            message = "This needs the bearer token that `dopejar mcp --http` printed."
            refusal = PlainTextResponse(message, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_borne(self, scope: Scope) -> bool:
        given = Headers(scope=scope).get("authorization", "")
        is_bearer = given[: len(_SCHEME)].lower() == _SCHEME
        return is_bearer and hmac.compare_digest(sha256_hex(given[len(_SCHEME) :].strip()), self._digest)
