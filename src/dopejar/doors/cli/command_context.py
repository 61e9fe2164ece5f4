"""One call of a command: what is shared by all of them.

Takes: the shared options. Gives: the memory at hand, and a way out for answers, remarks and progress. Never: decides
anything, or loads the command tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.values.ids import TraceId, new_trace_id

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

Lines = Iterable[str]
OK: Final = 0
FAILED: Final = 1
REFUSED: Final = 3
WAITS: Final = 4


class ReaderGoneError(Exception):
    """Whoever read the output has closed it. Not an `OSError`: the command tree has its own way with those."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a command: what was shared in it, and how its answer leaves."""

    as_json: bool = False
    home: Path | None = None
    project: str = ""
    quiet: bool = False
    announces: bool = True  # the queue, where a person is there to read of it
    trace_id: TraceId = field(default_factory=new_trace_id)

    @property
    def at_terminal(self) -> bool:
        """Whether a person types here."""
        return sys.stdin is not None and sys.stdin.isatty()

    @property
    def may_ask(self) -> bool:
        """Whether a person types here and sees what is asked: never as data, in silence, or where a program reads."""
        sees = sys.stdout.isatty() and sys.stderr.isatty()
        return self.at_terminal and sees and not self.as_json and not self.quiet

    @property
    def shows_progress(self) -> bool:
        """Whether somebody watches who wants to see how far it is."""
        return not self.quiet and not self.as_json and sys.stderr.isatty()

    @contextmanager
    def memory(self, *, project: bool = True, here: bool = True) -> Iterator[Memory]:
        """The memory at hand, closed at the end.

        `project` takes `--project` as the project at hand, known before or not; `here` takes that of the current
        directory where none is named.
        """
        from dopejar.compose import open_memory

        named = self.project if project else ""
        with open_memory(self.home, project=named, at=Path.cwd() if here else None) as memory:
            if memory.store.is_read_only:
                self.note(f"{memory.home} cannot be written; reading works, and uses are not counted.")
            self._announce(memory)
            yield memory

    def _announce(self, memory: Memory) -> None:
        """Say in one line that something waits for a person: one cheap question, and only where a person is."""
        if not self.announces or self.as_json or self.quiet or not (self.at_terminal and sys.stderr.isatty()):
            return
        waiting = memory.waiting()
        if waiting:
            self.note(f"{waiting} {'waits' if waiting == 1 else 'wait'} for a person: `dopejar review`.")

    @contextmanager
    def writing(self, *, here: bool = True) -> Iterator[Memory]:
        """The same for a command that writes: it spends a moment on housekeeping that is due before it leaves."""
        with self.memory(here=here) as memory:
            yield memory
            tidy(memory)

    @property
    def directory(self) -> Path:
        """The data directory."""
        from dopejar.compose import data_directory

        return self.home.expanduser().absolute() if self.home else data_directory(os.environ)

    def note(self, remark: str) -> None:
        """A remark beside the answer."""
        if not self.quiet and not self.as_json:
            sys.stderr.write(f"{remark}\n")

    def answer(self, data: Mapping[str, object], lines: Lines | Callable[[], Lines]) -> None:
        """Print the answer: the data with `--json`, else the lines."""
        if self.as_json:
            from dopejar.doors.cli.json_form import as_text

            ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") not in ("utf8", "utf8sig")
            _write([as_text({"ok": True, **data}, ascii_only=ascii_only)])
        else:
            _write(lines() if callable(lines) else lines)


def _write(lines: Lines) -> None:
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError as gone:
        raise ReaderGoneError from gone


def tidy(memory: Memory) -> None:
    """Housekeeping on the way out; what cannot be done now is done another time."""
    from dopejar.errors import DopejarError

    try:
        if not memory.store.is_read_only:
            memory.tidy()
    except DopejarError:
        return  # the command's own work is done and acknowledged; the next one tidies up
