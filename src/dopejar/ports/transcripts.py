"""The port of transcript formats: files that other programs write.

Takes: the bytes of a file. Gives: conversations and a report. Never: fails on a record of an unknown type.
"""

from __future__ import annotations

from pathlib import Path

from dopejar.ports.protocol import Protocol
from dopejar.values.transcript import SourceFile


class TranscriptFormat(Protocol):
    """One transcript format."""

    @property
    def name(self) -> str:
        """The format's name, as in `--format NAME`."""

    def recognises(self, path: Path, head: bytes) -> float:
        """The confidence (0 to 1) that a file with this name and these first 64 kB has this format."""

    def read(self, path: Path, data: bytes) -> SourceFile:
        """Read the whole file. Raises InputError where it contains no record of the format."""
