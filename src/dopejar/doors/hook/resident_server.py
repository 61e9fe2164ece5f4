"""The resident process: it keeps the memory open and its model loaded, and answers hooks over a private socket.

Takes: requests of `dopejar-hook` of this account. Gives: the answers that the hook would give, with vectors. Never:
listens on a network, outlives its use, or answers for another version or other settings.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar import __version__
from dopejar.doors.hook import resident_client
from dopejar.doors.hook.events import Hook, answer
from dopejar.doors.hook.resident_client import ANSWERED, DECLINED, FAILED, LENGTH, SOCKET
from dopejar.doors.hook.start import LONGEST, read_options, sentence
from dopejar.engine.ingest.hook_journal import RUN_VARIABLE
from dopejar.errors import InputError, UsageError

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

_QUICK: Final = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"})
_REQUEST_S: Final = 2.0  # for a request to come whole
_WAITING: Final = 16  # connections in line
_LONGEST_HEAD: Final = 1024 * 1024


def serve(memory: Memory, *, idle_s: float, announce: Callable[[str], None]) -> None:
    """Answer hooks until none has come for `idle_s` seconds.

    Raises:
        UsageError: another resident process answers for this data directory. InputError: the socket cannot be made.
    """
    memory.search("which port does it listen on?", limit=1)  # loads the model and the vectors
    path = memory.home / SOCKET
    with _listener(path) as listener:
        own = path.stat().st_ino
        listener.settimeout(idle_s)
        announce(str(path))
        try:
            while _is_at(path, own):
                connection, _ = listener.accept()
                with connection, suppress(OSError):  # the hook is gone; it answers by itself
                    connection.settimeout(_REQUEST_S)
                    status, text = _reply(memory, _received(connection))
                    connection.sendall(status + text.encode("utf-8", "replace"))
        except TimeoutError:
            return
        finally:
            if _is_at(path, own):
                path.unlink()


@contextmanager
def _listener(path: Path) -> Iterator[socket.socket]:
    if not hasattr(socket, "AF_UNIX"):
        raise UsageError("This system has no unix sockets, which the resident process needs.")
    with socket.socket(socket.AF_UNIX) as listener:
        if _answers(path):
            raise UsageError(f"A resident process answers at {path} already.")
        path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            listener.bind(str(path))
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"The socket {path} cannot be made: {reason}. Its path may be too long.") from error
        finally:
            os.umask(before)
        listener.listen(_WAITING)
        yield listener


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
        probe.connect(str(path))
        return True
    return False


def _is_at(path: Path, own: int) -> bool:
    """Whether the socket at the path is still this one."""
    with suppress(OSError):
        return path.stat().st_ino == own
    return False


def _received(connection: socket.socket) -> bytes:
    """A request to its end; cut, and so declined, where it is longer than one may be."""
    parts, size = [], 0
    while size <= LONGEST + _LONGEST_HEAD and (part := connection.recv(65536)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _reply(memory: Memory, data: bytes) -> tuple[bytes, str]:
    length = int.from_bytes(data[:LENGTH], "big")
    if not 0 < length <= min(_LONGEST_HEAD, len(data) - LENGTH):
        return DECLINED, ""
    head = data[LENGTH : LENGTH + length].decode("utf-8", "replace").split("\0")
    if head[0] != __version__ or len(head) < 2 or not head[1].isdecimal():
        return DECLINED, ""
    count = 2 + int(head[1])
    arguments, settings = head[2:count], head[count:]
    if _without_run(settings) != _without_run(resident_client.variables()):
        return DECLINED, ""
    run = next((line.partition("=")[2] for line in settings if line.startswith(f"{RUN_VARIABLE}=")), "")
    try:
        return _answer(memory, arguments, data[LENGTH + length :], run)
    except Exception as error:  # noqa: BLE001 - outermost handler: the next hook is to be answered too
        return FAILED, sentence(error)


def _without_run(settings: Sequence[str]) -> list[str]:
    return [line for line in settings if not line.startswith(f"{RUN_VARIABLE}=")]


def _answer(memory: Memory, arguments: Sequence[str], payload: bytes, run: str) -> tuple[bytes, str]:
    hook = Hook.read(payload, {**read_options(arguments), "--home": str(memory.home)})
    if hook.event not in _QUICK:
        return DECLINED, ""  # what takes long is done by the hook itself
    hook.run = run
    hook.open = lambda: _kept_open(memory.in_project_of(hook.place))
    return ANSWERED, answer(hook)


@contextmanager
def _kept_open(memory: Memory) -> Iterator[Memory]:
    yield memory
