"""`dopejar serve`: the page on one's own machine.

Takes: an address and a data directory. Gives: a running server and the link that opens it. Never: listens where others
could reach it without a token that the person chose.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
from typing import TYPE_CHECKING, Final

from dopejar.doors.web.access import SessionManager, checked_address
from dopejar.errors import DopejarError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dopejar.engine.memory import Memory

TOKEN_VARIABLE: Final = "DOPEJAR_SERVE_TOKEN"  # noqa: S105 - the name of a variable, not a secret
_BACKLOG: Final = 128
_HOUSEKEEPING_S: Final = 60.0


def serve(memory: Memory, host: str, port: int, names: tuple[str, ...], say: Callable[[str, str], None]) -> None:
    """Serve until interrupted. `say` is told the link and, for people, a sentence, once the port is open.

    Raises:
        RefusedError, InputError: the address will not do, or the port is taken; the message says what to do.
    """
    import uvicorn

    from dopejar.doors.web.application import create_app

    chosen = os.environ.get(TOKEN_VARIABLE, "")
    checked_address(host, port, names, chosen)
    listening = _listen(host, port)
    address = checked_address(host, listening.getsockname()[1], names, chosen)
    token = chosen or secrets.token_urlsafe(32)
    sessions = SessionManager(token, reusable=bool(chosen))
    app = create_app(memory, sessions, address)
    link = f"{address.origin}/open" if chosen else f"{address.origin}/open?token={token}"
    app.state.app_state.queue_index.snapshot()
    say(link, "Give it the token." if chosen else "The link opens one browser, once. Ctrl+C ends it.")
    # no date and server headers, no access log: a log would hold the link
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", ws="none", proxy_headers=False
    )
    ended = threading.Event()
    housekeeping = threading.Thread(target=_keep_house, args=(memory, ended), daemon=True)
    housekeeping.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):  # that is how a person ends it
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        ended.set()
        housekeeping.join()
        listening.close()


def _keep_house(memory: Memory, ended: threading.Event) -> None:
    """Spend a moment on what is due, now and then; what cannot be done now is done another time."""
    while not ended.wait(_HOUSEKEEPING_S):
        if not memory.store.is_read_only:
            with contextlib.suppress(DopejarError):
                memory.tidy()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(_BACKLOG)
    except OSError as fault:
        found.close()
        raise InputError(
            f"{host}:{port} cannot be used ({fault.strerror}). Choose another --port; 0 takes a free one."
        ) from fault
    return found
