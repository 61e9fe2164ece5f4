"""`Memory.sessions`: ended conversations, what their corrections propose, and instruction files.

Takes: a conversation's name, or a file. Gives: staged proposals. Never: loads the pipeline of corrections before it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.corrections import instruction_import, session_end
from dopejar.engine.dependencies import Dependencies
from dopejar.values.ids import TraceId, new_trace_id

if TYPE_CHECKING:
    from dopejar.engine.corrections.instruction_import import InstructionImport
    from dopejar.engine.corrections.session_end import EndedSession, SessionLine
    from dopejar.engine.results import Learned
    from dopejar.values.scope import Project


class Sessions:
    """Ending conversations, listing them, and importing instruction files."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def end(self, conversation: str = "", *, trace_id: TraceId | None = None) -> EndedSession:
        """End a conversation: its corrections are proposed, and what waits of them comes back to be shown.

        Args:
            conversation: its id, name or file; the last one, of the project at hand where there is one, where omitted.
            trace_id: what to note it under.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such conversation, or several.
        """
        return session_end.end_session(self._deps, self._project, conversation, trace_id or new_trace_id())

    def learn(self, conversation: str = "", *, trace_id: TraceId | None = None) -> Learned:
        """Learn from the observed turns of a conversation that nothing was learned from yet, without ending it.

        Args:
            conversation: as for `end`.
            trace_id: what to note it under.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such conversation, or several.
        """
        return session_end.learn_session(self._deps, self._project, conversation, trace_id or new_trace_id())

    def list(self, limit: int = 20) -> tuple[SessionLine, ...]:
        """The last conversations, the newest first, and whether their corrections were read to the end."""
        with self._deps.store.read() as view:
            return session_end.list_sessions(view, limit)

    def import_instructions(
        self, path: Path | str, *, everywhere: bool = False, trace_id: TraceId | None = None
    ) -> InstructionImport:
        """Take in an instruction file (AGENTS.md, CLAUDE.md): its rules are staged, each with its line as evidence.

        Args:
            path: the file.
            everywhere: the rules hold everywhere; else in the project whose file it is, or the one at hand.
            trace_id: what to note it under.

        Raises:
            NotFoundError, InputError, ConsentError: nothing was kept.
        """
        file = Path(path).expanduser()
        project = None if everywhere else self._deps.detect_project(file.absolute().parent) or self._project
        return instruction_import.import_instructions(self._deps, file, project, trace_id or new_trace_id())
