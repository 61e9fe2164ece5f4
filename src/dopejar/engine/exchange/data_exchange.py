"""`Memory.exchange`: backups, restoring, export and import.

Takes: paths, and a reviewer for what changes the memory. Gives: files, and reports of what came in. Never: loads more
than the operation that is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.exchange import backups, export_file, import_file, restoration
from dopejar.values.ids import TraceId, new_trace_id

if TYPE_CHECKING:
    from dopejar.ports.store import Store


@checked
class DataExchange:
    """What leaves the memory as a file, and what comes in from one."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def backup(self, to: Path) -> Path:
        """Make a consistent copy of the data file while other processes write; its path.

        Raises:
            InputError: the target exists already, or its directory does not. StoreError: it could not be written.
        """
        return backups.backup(self._deps, to)

    def known_backups(self) -> tuple[Path, ...]:
        """The backups that this store made and that still exist where they were written."""
        return backups.known_backups(self._deps)

    def restore(
        self, source: Path, open_store: Callable[[Path], Store], by: Reviewer, trace_id: TraceId | None = None
    ) -> int:
        """Replace the data file by a backup, and erase in it what was erased since; how many memories and turns.

        Raises:
            NotFoundError, StoreDamagedError, StoreError: the backup cannot be used; nothing has changed.
        """
        return restoration.restore(self._deps, source, open_store, by, trace_id or new_trace_id())

    def known_exports(self) -> tuple[Path, ...]:
        """The exports that this store made and that still exist where they were written."""
        return backups.known_exports(self._deps)

    def export_to(self, path: Path) -> export_file.ExportReport:
        """Write everything as JSON lines. Raises InputError, StoreError."""
        return export_file.export_to(self._deps, path)

    def preview_import(self, path: Path) -> import_file.ImportPreview:
        """What an import would put in force, what would wait, what is refused. Raises NotFoundError, InputError."""
        return import_file.preview_import(self._deps, path)

    def import_from(
        self, path: Path, by: Reviewer, trace_id: TraceId | None = None, *, confirmed: str = ""
    ) -> import_file.ImportReport:
        """Merge an export in one undoable act; its guidance waits for review.

        With `confirmed`, the digest of a preview, what that preview listed is put in force. Raises NotFoundError,
        InputError before anything is written.
        """
        return import_file.import_from(self._deps, path, by, trace_id or new_trace_id(), confirmed=confirmed)
