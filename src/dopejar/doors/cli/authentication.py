"""Reviewer authentication at the command line.

Takes: a terminal, or the environment of an automation. Gives: a reviewer whose passphrase was verified. Never: stores,
prints or logs a passphrase.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError, ReviewerRequiredError

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer
    from dopejar.engine.memory import Memory

NAME_VARIABLE: Final = "DOPEJAR_REVIEWER"
SECRET_VARIABLE: Final = "DOPEJAR_REVIEWER_SECRET"  # noqa: S105 - the name of a variable, not a secret


def authenticate(memory: Memory, *, from_environment: bool = True) -> Reviewer:
    """The reviewer who decides: from the environment, from this terminal's unlocked session, or by asking here.

    Raises:
        ReviewerRequiredError: none of these is available, or the passphrase matches no reviewer.
    """
    reviewer = known_reviewer(memory) if from_environment else memory.reviewers.at_terminal(terminal_id())
    if reviewer is not None:
        return reviewer
    if not memory.reviewers.names():
        raise ReviewerRequiredError(
            "This needs a reviewer, and there is none yet. Add one at a terminal with `dopejar reviewer add NAME`."
        )
    if not sys.stdin.isatty():
        automation = f", or set {SECRET_VARIABLE} in trusted automation" if from_environment else ""
        raise ReviewerRequiredError(f"This needs a reviewer. Run it at a terminal{automation}.")
    return memory.reviewers.unlock(ask_passphrase("Passphrase of a reviewer: "), terminal=terminal_id())


def known_reviewer(memory: Memory) -> Reviewer | None:
    """The reviewer given by the environment or by this terminal's unlocked session; None where there is neither."""
    secret = os.environ.get(SECRET_VARIABLE, "")
    if secret:
        return memory.reviewers.unlock(secret, name=os.environ.get(NAME_VARIABLE, ""), place="")
    return memory.reviewers.at_terminal(terminal_id())


def new_passphrase() -> str:
    """The passphrase of a new reviewer, typed twice. An environment unlocks a reviewer and never makes one.

    Raises:
        ReviewerRequiredError: stdin is not a terminal. InputError: the two passphrases differ.
    """
    if not sys.stdin.isatty():
        raise ReviewerRequiredError("A new passphrase must be typed. Run this at a terminal.")
    first = ask_passphrase("New passphrase: ")
    if first != ask_passphrase("Repeat the passphrase: "):
        raise InputError("The two passphrases differ. Nothing was changed; try again.")
    return first


def ask_passphrase(prompt: str) -> str:
    """Read a passphrase from the terminal without echo."""
    import getpass

    return getpass.getpass(prompt)


def terminal_label() -> str:
    """The device of the terminal at stdin, as a person calls it; "" without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty() or not hasattr(os, "ttyname"):
        return ""
    try:
        return os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError):
        return ""


def terminal_id() -> str:
    """An id of the terminal at stdin, unique to this terminal session; "" without a terminal.

    It is a hash of the device, the session, and the start times of the session leader and the machine, so that a
    reused device or process number does not inherit an unlocked session.
    """
    if sys.stdin is None or not sys.stdin.isatty() or not hasattr(os, "ttyname"):
        return ""
    try:
        number = sys.stdin.fileno()
        device = os.fstat(number)
        session = os.getsid(0)
        marks = (
            os.ttyname(number),
            device.st_rdev,
            device.st_ino,
            session,
            os.getuid(),
            _start_time(session),
            _boot_id(),
        )
    except (OSError, ValueError):  # a terminal without a unique id cannot be unlocked
        return ""
    return hashlib.sha256("\x1f".join(str(mark) for mark in marks).encode()).hexdigest()[:32]


def place_id() -> str:
    """An id of where commands are run: the terminal at stdin, else the session of processes that this one is in."""
    session = os.getsid(0) if hasattr(os, "getsid") else os.getppid()
    marks = ("session", session, _start_time(session), _boot_id())
    return terminal_id() or hashlib.sha256("\x1f".join(map(str, marks)).encode()).hexdigest()[:32]


def _start_time(process: int) -> str:
    """The start time of a process, in clock ticks since boot; "" where the system does not provide it."""
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
