"""`dopejar serve`: the page and the REST API on a local port.

Takes: an address and an opened memory. Gives: a running server and the link that opens the page. Never: listens where
other machines could reach it without a token that the person set.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
from typing import TYPE_CHECKING, Final

from dopejar.doors.web.access import SessionManager, checked_address
from dopejar.engine.review.page_links import RENEWED_EVERY
from dopejar.errors import DopejarError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dopejar.engine.memory import Memory

TOKEN_VARIABLE: Final = "DOPEJAR_SERVE_TOKEN"  # noqa: S105 - the name of a variable, not a secret
_BACKLOG: Final = 128


def serve(memory: Memory, host: str, port: int, names: tuple[str, ...], announce: Callable[[str, str], None]) -> None:
    """Serve until interrupted. Once the port is open, `announce` gets the link and a sentence for people.

    Raises:
        RefusedError, InputError: the address is not accepted, or the port is in use; the message says what to do.
    """
    import uvicorn

    from dopejar.doors.web.api_application import create_api
    from dopejar.doors.web.api_gate import ApiGate
    from dopejar.doors.web.application import create_app
    from dopejar.doors.web.request_deadline import DeadlineProtocol

    chosen_token = os.environ.get(TOKEN_VARIABLE, "")
    checked_address(host, port, names, chosen_token)
    listener = _listen(host, port)
    address = checked_address(host, listener.getsockname()[1], names, chosen_token)
    token = chosen_token or secrets.token_urlsafe(32)
    app = create_app(memory, SessionManager(token, reusable=bool(chosen_token)), address)
    api = ApiGate(app, create_api(memory), memory=memory, address=address)
    link = f"{address.origin}/open" if chosen_token else f"{address.origin}/open?token={token}"
    app.state.app_state.queue_index.snapshot()
    announce(link, "Enter the token there." if chosen_token else "The link opens one browser, once. Ctrl+C stops it.")
    # no date and server headers, no access log: a log would hold the link
    config = uvicorn.Config(
        api,
        http=DeadlineProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
    )
    stopped = threading.Event()
    opening = "" if chosen_token else f"{address.origin}/open?token="
    housekeeping = threading.Thread(target=_run_housekeeping, args=(memory, opening, stopped), daemon=True)
    housekeeping.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the usual way to stop the server
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        stopped.set()
        housekeeping.join()
        listener.close()


def _run_housekeeping(memory: Memory, opening: str, stopped: threading.Event) -> None:
    """Say that the page runs, now and once a minute; from the second minute on, spend a short time on what is due.

    Who opens the page to review finds what was waiting: nothing expires between the command and the first look.
    """
    is_first = True
    while not memory.store.is_read_only:
        with contextlib.suppress(DopejarError):
            if opening:
                memory.page_links.announce(opening)
            if not is_first:
                memory.maintenance.tidy()
        is_first = False
        if stopped.wait(RENEWED_EVERY.total_seconds()):
            break
    if opening and not memory.store.is_read_only:
        with contextlib.suppress(DopejarError):
            memory.page_links.withdraw()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InputError(
            f"{host}:{port} cannot be used ({error.strerror}). Choose another --port; 0 uses a free one."
        ) from error
    return listener
