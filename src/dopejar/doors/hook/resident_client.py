"""Asks the resident process, which has the memory open and its model loaded.

Takes: the arguments of a hook and its payload. Gives: the answer, None where no resident process gives one. Never:
imports more than the standard library, or waits long.
"""

from __future__ import annotations

import _socket  # what `socket` wraps: the wrapper takes longer to import than a hook has
import os

from dopejar import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SOCKET = "hook.sock"  # in the data directory
LENGTH = 8  # bytes that say how long the head of a request is
ANSWERED, FAILED, DECLINED = b"0", b"1", b"2"  # the first byte of a reply
_WAIT_S = 3.0  # then the hook answers by itself
_NOT_SENT = ("DOPEJAR_HOME", "SECRET", "TOKEN")  # parts of names of variables
DEBUG_VARIABLE = "DOPEJAR_DEBUG"


class ResidentError(Exception):
    """What went wrong in the resident process, in a sentence."""


def ask(home: str, arguments: Sequence[str], data: bytes) -> str | None:
    """The answer of the resident process; None where there is none, or it declines.

    Raises:
        ResidentError: the resident process could not answer; its sentence.
    """
    chosen = home or os.environ.get("DOPEJAR_HOME", "")
    folder = os.path.expanduser(chosen) if chosen else _default_home()  # noqa: PTH111 - pathlib takes long to import
    path = f"{folder}/{SOCKET}"
    if not hasattr(_socket, "AF_UNIX") or os.environ.get(DEBUG_VARIABLE):
        return None
    connection = _socket.socket(_socket.AF_UNIX)
    try:
        connection.settimeout(_WAIT_S)
        connection.connect(path)
        connection.sendall(request(arguments, variables(), data))
        connection.shutdown(_socket.SHUT_WR)
        reply = b"".join(iter(lambda: connection.recv(65536), b""))
    except OSError:  # nobody listens any more, or not in time
        return None
    finally:
        connection.close()
    if reply[:1] == FAILED:
        raise ResidentError(reply[1:].decode("utf-8"))
    return reply[1:].decode("utf-8") if reply[:1] == ANSWERED else None


def request(arguments: Sequence[str], settings: Sequence[str], data: bytes) -> bytes:
    """A request: the length of its head, the head, the payload."""
    head = "\0".join((__version__, str(len(arguments)), *arguments, *settings)).encode("utf-8", "surrogateescape")
    return len(head).to_bytes(LENGTH, "big") + head + data


def variables() -> list[str]:
    """The variables that configure DoPeJar, as `NAME=value`, without secrets."""
    return sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("DOPEJAR_") and not any(part in name for part in _NOT_SENT)
    )


def _default_home() -> str:
    from dopejar.compose import data_directory

    return str(data_directory())
