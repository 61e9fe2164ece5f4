"""A deadline for requests: a connection that sends nothing, or too slowly, is closed.

Takes: the bytes of a connection. Gives: them to uvicorn's own protocol. Never: closes a connection whose request is
whole and being answered, however long that takes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

DEADLINE_S: Final = 10.0


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 in which each connection completes a request within ten to twenty seconds, again and again.

    uvicorn itself closes a connection that is silent after a response, but waits for a first request without an end.
    """

    _deadline: asyncio.TimerHandle | None = None
    _counted: RequestResponseCycle | None = None  # the last request that let the connection live on

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(DEADLINE_S, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _check(self) -> None:
        cycle = self.cycle
        is_whole = cycle is not None and not cycle.more_body
        if is_whole and (cycle is not self._counted or not cycle.response_complete):
            self._counted = cycle
            self._deadline = self.loop.call_later(DEADLINE_S, self._check)
        else:
            self.transport.close()
