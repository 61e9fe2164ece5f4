"""Held rows: working sets, shared references and other versioned rows, none of which is a belief.

Takes: rows with the version they were read at. Gives: rows. Never: overwrites a version that was written since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol

if TYPE_CHECKING:  # annotations only: recall loads no module that it does not call
    from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet


@dataclass(frozen=True, kw_only=True, slots=True)
class BodyReader:
    """How the body of one kind of held row is read, and what becomes of a row that cannot be read.

    `read` raises as `values.held_bodies` does. A row that cannot be read counts as one that says `instead`; without
    that, it counts as missing, and the next write takes its place. A kind that `is_kept` is never taken for missing
    (somebody's words, a count that must not begin anew): reading such a row alone is an error.
    """

    read: Callable[[KeyValueRow], object]
    instead: str = ""
    is_kept: bool = False


BodyReaders = Callable[[str], BodyReader | None]
"""The reader of each kind of held rows; None for a kind of which no body is read."""


class HeldRowReader(Protocol):
    """Reads held rows."""

    def working_set(self, problem_id: str, lane_id: str = "") -> WorkingSet | None:
        """The working set of this problem and lane alone."""

    def working_sets(self) -> tuple[WorkingSet, ...]:
        """Every working set, by problem and lane."""

    def reference(self, key: str, version: int | None = None) -> SharedReference | None:
        """A shared reference, its newest version unless one is named."""

    def references(self, prefix: str = "") -> tuple[SharedReference, ...]:
        """Newest versions of the references whose key begins so."""

    def held(self, kind: str, key: str) -> KeyValueRow | None:
        """One held row; None where its body cannot be read, unless somebody's words are in it."""

    def held_of(self, kind: str) -> tuple[KeyValueRow, ...]:
        """Every held row of a kind, by key."""

    def held_kinds(self) -> tuple[str, ...]:
        """The kinds of which there is a held row, in order."""


class HeldRowWriter(Protocol):
    """Writes held rows. `memory.hold` alone calls it."""

    def put_working_set(self, working: WorkingSet) -> None:
        """Write the next version; StaleProposalError where another one was written since `version`."""

    def drop_working_set(self, problem_id: str, lane_id: str = "") -> None:
        """Remove a working set."""

    def put_reference(self, reference: SharedReference) -> None:
        """Write this version of a shared reference; StaleProposalError where its version is taken."""

    def drop_reference(self, key: str) -> None:
        """Remove a shared reference in all its versions."""

    def put_held(self, row: KeyValueRow) -> None:
        """Write the next version of a row; StaleProposalError where another one was written since `version`."""

    def drop_held(self, kind: str, key: str) -> None:
        """Remove a held row."""

    def drop_expired(self, now: datetime) -> int:
        """Remove working sets and held rows that have expired; how many."""
