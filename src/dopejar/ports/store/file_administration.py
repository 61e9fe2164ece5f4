"""Administration of a store that is a file: its path, integrity, backup, restoration and size.

Takes: paths. Gives: faults, copies. Never: changes what is believed. A store without a file offers none of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dopejar.ports.protocol import Protocol

SCRUB_ROW: Final = ("scrub", "file")
"""Kind and key of the held row that says that erased bytes may still lie in the data file or its log."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One finding of `doctor`. `repairable`: a projection that can be rebuilt without loss."""

    what: str
    detail: str
    repairable: bool


class FileAdministration(Protocol):
    """What can be done to the data file beside reading and writing memory."""

    @property
    def path(self) -> Path:
        """The data file."""

    @property
    def unreadable_rows(self) -> int:
        """How many rows reads had to leave out, since they have a value that cannot be read."""

    def check(self) -> tuple[Fault, ...]:
        """Integrity of the file, of the foreign keys and of every projection but the edges read from words."""

    def repair(self) -> tuple[Fault, ...]:
        """Mend broken projections; what was mended.

        A damaged full-text index is left empty: refill it from `missing_terms`.
        """

    def compact(self, *, wait: bool = True) -> None:
        """Give freed pages back and checkpoint, so that erased bytes leave the file and its log; then drop `SCRUB_ROW`.

        Where it fails, this handle tries it again after its writes. Raises StoreBusyError where a reader still needs
        the log, at once where `wait` is False; StoreFullError where the disk has no room for it.
        """

    def backup(self, to: Path) -> None:
        """A consistent copy, while others write. Raises InputError where `to` exists, StoreFullError."""

    def take_over(self, source: Path) -> None:
        """Replace the content by a backup's in one commit; other open handles continue with it.

        Raises StoreDamagedError, StoreFullError, StoreReadOnlyError; then nothing has changed.
        """
