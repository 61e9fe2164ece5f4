"""What running one command line in this process comes to.

Takes: words. Gives: exit code, output and remarks. Never: a terminal of its own; see `Terminal`.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path

import pytest

from dopejar.compose import open_memory

SECRET = "-".join(("only", "a", "test", "secret"))


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What one command line came to."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict:
        """The output as the one JSON object it has to be."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


class Terminal(io.StringIO):
    """Standard input that says a person types there."""

    def isatty(self) -> bool:
        """A person types here."""
        return True


def add_reviewer(home: Path, name: str = "ana") -> None:
    """The first reviewer of a data directory, without the terminal at which people make theirs."""
    with open_memory(home) as memory:
        memory.reviewers.add(name, SECRET)


def talk_at_terminal(
    lines: str, *answers: tuple[str, str], environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """The code and the output of shell lines at a fresh pseudo-terminal; each answer is typed when its prompt came."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        ["sh", "-c", lines], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=environment
    )
    os.close(theirs)
    said, waiting = "", list(answers)
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        while block := heard(terminal):
            said += block.decode("utf-8", "replace")
            if waiting and waiting[0][0] in said:
                terminal.write(f"{waiting.pop(0)[1]}\n".encode())
    return process.wait(), said


def heard(terminal: RawIOBase) -> bytes:
    """What came, or nothing where the other side is gone."""
    try:
        return terminal.read(65536) or b""
    except OSError:  # how Linux says that nobody is at the other side any more
        return b""


NEW_REVIEWER = (("New passphrase:", SECRET), ("Repeat the passphrase:", SECRET), ("[y/N]", "n"))
"""What the first reviewer types: a passphrase twice, and that the terminal is not to be trusted."""
Cli = Callable[..., Ran]
Talk = Callable[..., tuple[int, str]]
needs_pty = pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
