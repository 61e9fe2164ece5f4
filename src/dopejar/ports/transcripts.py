"""Reading the transcripts of other programs.

Takes: the bytes of a file. Gives: conversations and a report. Never: fails for a record it does not know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from dopejar.values.transcript import SourceFile


class TranscriptFormat(Protocol):
    """One format."""

    @property
    def name(self) -> str:
        """The format's name, as in `--format NAME`."""
        ...

    def recognises(self, path: Path, head: bytes) -> float:
        """How sure it is (0 to 1) that a file with this name and these first 64 kB is of its format."""
        ...

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file. Raises InputError where not one record of the format can be found in it."""
        ...
