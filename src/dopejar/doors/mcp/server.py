"""`dopejar mcp`: the MCP server on standard input and output, or as streamable HTTP on loopback.

Takes: an opened memory. Gives: a running server until its input ends or it is interrupted. Never: writes anything but
the protocol to stdout, or listens where other machines could reach it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import secrets
import signal
import socket
import sys
from typing import TYPE_CHECKING, Final

from mcp.server.transport_security import TransportSecuritySettings

from dopejar.doors.mcp.application import create_server
from dopejar.doors.mcp.bearer_access import TOKEN_VARIABLE, BearerMiddleware, checked_token
from dopejar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from starlette.applications import Starlette

    from dopejar.doors.mcp.application import MemoryServer
    from dopejar.engine.memory import Memory

HOST: Final = "127.0.0.1"
_PATH: Final = "/mcp"
_BACKLOG: Final = 128
_INTERRUPTED: Final = 130  # 128 + SIGINT, the convention of shells
_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000


def serve_stdio(memory: Memory) -> None:
    """Serve one client on standard input and output, until the input ends."""
    run_on_stdio(create_server(memory))


def run_on_stdio(server: MemoryServer) -> None:
    """Run a server on standard input and output, until the input ends."""
    _spare_the_collector()
    signal.signal(signal.SIGINT, _end_at_once)
    server.run("stdio")


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    """End the process: the thread that waits for input cannot be cancelled, and every act is one transaction."""
    os.write(sys.stderr.fileno(), b"Interrupted. What was already acknowledged is kept.\n")
    os._exit(_INTERRUPTED)


def _spare_the_collector() -> None:
    """What is loaded stays for good, and a call makes tens of thousands of short-lived objects: seek cycles seldom."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    gc.enable()  # the command disables it while it loads


def serve_http(memory: Memory, port: int, announce: Callable[[str, str], None]) -> None:
    """Serve on loopback until interrupted. Once the port is open, `announce` gets the address and the token.

    Raises:
        InputError: the token in the environment is too short, or the port is in use.
    """
    import uvicorn

    _spare_the_collector()
    token = checked_token(os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(32))
    listener = _listen(port)
    number = listener.getsockname()[1]
    config = uvicorn.Config(
        http_application(memory, number, token),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        proxy_headers=False,
    )
    announce(f"http://{HOST}:{number}{_PATH}", token)
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the usual way to stop the server
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()


def http_application(memory: Memory, port: int, token: str) -> Starlette:
    """The application of the HTTP transport, which answers to this token and to the names of loopback."""
    names = [f"{HOST}:{port}", f"localhost:{port}"]
    # the server has no pages: its own origin comes from a client that names it so, every other from a page
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    app = create_server(memory).streamable_http_app(
        streamable_http_path=_PATH, transport_security=security, json_response=True
    )
    app.add_middleware(BearerMiddleware, token=token)
    return app


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InputError(
            f"{HOST}:{port} cannot be used ({error.strerror}). Choose another --port; 0 uses a free one."
        ) from error
    return listener
