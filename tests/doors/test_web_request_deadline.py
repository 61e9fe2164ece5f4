"""Clients that send nothing, or a byte now and then, do not stay; one that is being answered does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
import uvicorn
from uvicorn.server import ServerState

from dopejar.doors.web.request_deadline import DeadlineProtocol

WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"


class Wire(asyncio.Transport):
    """A connection that remembers what was written and whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.sent, self.is_closed = b"", False

    def write(self, data: bytes) -> None:
        """Note it."""
        self.sent += bytes(data)

    def close(self) -> None:
        """Note it."""
        self.is_closed = True

    def is_closing(self) -> bool:
        """Whether it was closed."""
        return self.is_closed

    def pause_reading(self) -> None:
        """Nothing to pause."""

    def resume_reading(self) -> None:
        """Nothing to resume."""


class Clock:
    """The loop's own calls, with timers that end when the test says so."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.deadlines: list[Callable[[], None]] = []

    def call_later(self, delay: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Keep the timers of a deadline; uvicorn's own are kept apart."""
        if call.__name__ == "_check":
            self.deadlines.append(call)
        return asyncio.TimerHandle(delay, call, (), self._loop)

    def __getattr__(self, name: str) -> object:
        return getattr(self._loop, name)


class Client:
    """One connection to a server whose answers wait until they are let go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop, self.clock, self.wire, self.go = loop, Clock(loop), Wire(), asyncio.Event()
        config = uvicorn.Config(self._answer, interface="asgi3", lifespan="off", log_level="critical")
        self.protocol = DeadlineProtocol(config, ServerState(), {}, _loop=self.clock)  # type: ignore[arg-type]
        self.protocol.connection_made(self.wire)

    async def _answer(self, _scope, receive, send) -> None:
        while (await receive()).get("more_body"):
            pass
        await self.go.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def send(self, data: bytes) -> None:
        """Send bytes, and let the server do what it can."""
        if data:
            self.protocol.data_received(data)
        for _ in range(10):
            self.loop.run_until_complete(asyncio.sleep(0))

    def deadline(self) -> None:
        """The next deadline comes."""
        self.clock.deadlines.pop(0)()


@pytest.fixture
def client() -> Iterator[Client]:
    """A connection that was just made."""
    loop = asyncio.new_event_loop()
    yield Client(loop)
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


@pytest.mark.parametrize("sent", [b"", WHOLE[:7], WHOLE[:-2], HEAD, HEAD + b"a=b"])
def test_a_client_without_a_whole_request_is_let_go(client: Client, sent: bytes) -> None:
    """Nothing, half a head or half a form: at the deadline the connection is closed."""
    client.send(sent)
    assert not client.wire.is_closed
    client.deadline()
    assert client.wire.is_closed


def test_a_request_that_is_answered_slowly_stays(client: Client) -> None:
    """However many deadlines pass, a whole request is answered; a silent connection behind it is let go."""
    client.send(WHOLE)
    for _ in range(5):
        client.deadline()
    assert not client.wire.is_closed
    client.go.set()
    client.send(b"")
    assert client.wire.sent.startswith(b"HTTP/1.1 204")
    client.send(WHOLE[:9])
    client.deadline()
    assert client.wire.is_closed


def test_a_client_that_asks_on_stays(client: Client) -> None:
    """Each whole request since the last deadline lets the connection live on."""
    client.go.set()
    for _ in range(4):
        client.send(WHOLE)
        client.deadline()
        assert not client.wire.is_closed
    client.deadline()
    assert client.wire.is_closed
