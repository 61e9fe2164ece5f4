"""Who decides here.

Takes: a terminal, or the environment of an automation. Gives: a reviewer who proved who they are. Never: keeps, prints
or logs a passphrase.
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


def reviewer(memory: Memory) -> Reviewer:
    """The reviewer who decides: by the environment's secret, by this terminal's open session, or by asking here.

    Raises:
        ReviewerRequiredError: none of them is there, or the passphrase is nobody's.
    """
    found = known_reviewer(memory)
    if found is not None:
        return found
    if not memory.reviewers():
        raise ReviewerRequiredError("There is no reviewer yet. Add one at a terminal with `dopejar reviewer add NAME`.")
    if not sys.stdin.isatty():
        raise ReviewerRequiredError(
            f"A reviewer decides this. Run it at a terminal, or set {SECRET_VARIABLE} for an automation you trust."
        )
    return memory.unlock(asked("Passphrase of a reviewer: "), terminal=terminal())


def known_reviewer(memory: Memory) -> Reviewer | None:
    """The reviewer whom the environment or this terminal's open session names; None where neither does."""
    secret = os.environ.get(SECRET_VARIABLE, "")
    if secret:
        return memory.unlock(secret, name=os.environ.get(NAME_VARIABLE, ""))
    return memory.reviewer_at(terminal())


def new_passphrase(*, from_environment: bool) -> str:
    """The passphrase of a new reviewer: typed twice, or, for the first one of an automation, from the environment.

    Raises:
        ReviewerRequiredError: there is no terminal to type at. InputError: the two are not the same.
    """
    secret = os.environ.get(SECRET_VARIABLE, "") if from_environment else ""
    if secret:
        return secret
    if not sys.stdin.isatty():
        raise ReviewerRequiredError(
            f"A passphrase is typed at a terminal. Run it there, or set {SECRET_VARIABLE} for an automation you trust."
        )
    first = asked("New passphrase: ")
    if first != asked("The same again: "):
        raise InputError("The two passphrases are not the same. Nothing was changed; try again.")
    return first


def asked(prompt: str) -> str:
    """What a person types without it being shown."""
    import getpass

    return getpass.getpass(prompt)


def terminal() -> str:
    """An id of the terminal at standard input, which no other terminal and no later session has; "" without one.

    It is made of the device, the session and the time the session's leader and the machine began, so that a number
    that is used again does not inherit an open session.
    """
    if sys.stdin is None or not sys.stdin.isatty() or not hasattr(os, "ttyname"):
        return ""
    try:
        number = sys.stdin.fileno()
        device = os.fstat(number)
        session = os.getsid(0)
        marks = (os.ttyname(number), device.st_rdev, device.st_ino, session, os.getuid(), _began(session), _boot())
    except (OSError, ValueError):  # a terminal that cannot be told from others holds no session
        return ""
    return hashlib.sha256("\x1f".join(str(mark) for mark in marks).encode()).hexdigest()[:32]


def _began(process: int) -> str:
    """When a process began, in ticks since the machine did; "" where the system does not say."""
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
