"""What running one command line in this process comes to.

Takes: words. Gives: exit code, output and remarks. Never: a terminal of its own; see `Terminal`.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
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


NEW_REVIEWER = (("New passphrase:", SECRET), ("Repeat the passphrase:", SECRET), ("[y/N]", "n"))
"""What the first reviewer types: a passphrase twice, and that the terminal is not to be trusted."""
Cli = Callable[..., Ran]
Talk = Callable[..., tuple[int, str]]
needs_pty = pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
