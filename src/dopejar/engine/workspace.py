"""`Memory.workspace`: working sets of problems and lanes, and shared references.

Takes: versioned rows. Gives: the newest version, or the one that is asked for. Never: changes what is believed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies
from dopejar.memory.hold import hold_reference, hold_working_set, update_row

if TYPE_CHECKING:
    from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet


@checked
class Workspace:
    """Rows that are kept for a while (working sets) or in versions (references), beside what is believed."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def hold_working_set(self, working: WorkingSet) -> None:
        """Write the next version of a working set.

        Raises:
            InputError: it would outlive 24 hours. StaleProposalError: another process wrote a version in between.
        """
        with self._deps.store.write() as tx:
            hold_working_set(tx, working, self._deps.clock.now())

    def working_set(self, problem_id: str, lane_id: str = "") -> WorkingSet | None:
        """The working set of exactly this problem and lane."""
        with self._deps.store.read() as view:
            return view.working_set(problem_id, lane_id)

    def put_reference(self, reference: SharedReference) -> None:
        """Write the next version of a shared reference."""
        with self._deps.store.write() as tx:
            hold_reference(tx, reference)

    def reference(self, key: str, version: int | None = None) -> SharedReference | None:
        """A shared reference: its newest version, or the named one."""
        with self._deps.store.read() as view:
            return view.reference(key, version)

    def row(self, row_kind: str, key: str) -> KeyValueRow | None:
        """A row of the state of something that is no belief, such as a governed conversation."""
        with self._deps.store.read() as view:
            return view.held(row_kind, key)

    def update_row(self, row_kind: str, key: str, change: Callable[[KeyValueRow | None], KeyValueRow]) -> KeyValueRow:
        """Read such a row, change it and write it, in one transaction; as written. Raises what `change` raises."""
        return update_row(self._deps.store, row_kind, key, change)
