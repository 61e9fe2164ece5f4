"""What every command of the command line shares: its options, the open memory, its output.

Takes: the shared options. Gives: the open memory, and methods to print an answer, a note or progress. Never: decides
anything, or imports the command tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.scope import Scope

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.values.ids import ConversationId

Lines = Iterable[str]
Progress = Callable[[str, int, int], None]
OK: Final = 0
FAILED: Final = 1
REFUSED: Final = 3
WAITS: Final = 4
_MOST_NAMED: Final = 8  # known projects beside a name that is not known


class OutputClosedError(Exception):
    """stdout was closed by its reader (EPIPE). Not an `OSError`, because the command tree handles those itself."""


@dataclass(frozen=True, kw_only=True)
class CommandContext:
    """One run of a command: its shared options, and how its answer is printed."""

    as_json: bool = False
    home: Path | None = None
    project: str = ""
    quiet: bool = False
    announces_queue: bool = False  # at a terminal, note how many proposals wait for review
    announces_settings: bool = True  # note which configured settings no reviewer has accepted
    trace_id: TraceId = field(default_factory=new_trace_id)

    @property
    def at_terminal(self) -> bool:
        """Whether stdin is a terminal."""
        return sys.stdin is not None and sys.stdin.isatty()

    @property
    def may_ask(self) -> bool:
        """Whether a person can be asked: all three streams are a terminal, and neither --json nor --quiet is set."""
        sees_prompts = sys.stdout.isatty() and sys.stderr.isatty()
        return self.at_terminal and sees_prompts and not self.as_json and not self.quiet

    @property
    def shows_progress(self) -> bool:
        """Whether a progress bar is shown: stderr is a terminal, and neither --json nor --quiet is set."""
        return not self.quiet and not self.as_json and sys.stderr.isatty()

    @contextmanager
    def open_memory(self, *, use_project: bool = True, detect_project: bool = True) -> Iterator[Memory]:
        """Open the memory, and close it at the end.

        `use_project` makes `--project` the current project: that of the current directory if it has this name, else a
        known one, else a new one. `detect_project` takes the directory's project where `--project` is not given.
        """
        from dopejar.compose import open_for_door

        named = self.project if use_project else ""
        with open_for_door(self.home, project=named, at=Path.cwd() if detect_project or named else None) as memory:
            if memory.store.is_read_only:
                self.note(f"{memory.home} is not writable: you can read memory, but use counts are not updated.")
            self._name_new_project(memory, named)
            self._name_unaccepted(memory)
            self._announce_queue(memory)
            try:
                yield memory
            finally:
                self._report_unreadable_rows(memory)

    @contextmanager
    def open_for_writing(self, *, detect_project: bool = True) -> Iterator[Memory]:
        """Open the memory for a command that writes; before it closes, due housekeeping gets a short time budget."""
        with self.open_memory(detect_project=detect_project) as memory:
            yield memory
            run_housekeeping(memory)

    def _report_unreadable_rows(self, memory: Memory) -> None:
        """Say in one line that rows were left out; on stderr with --json as well, where the answer cannot say it."""
        file = memory.store.file
        if file is not None and file.unreadable_rows and not self.quiet:
            count = file.unreadable_rows
            rows = "1 row cannot be read and was" if count == 1 else f"{count} rows cannot be read and were"
            sys.stderr.write(f"{rows} left out. Run `dopejar doctor` to see which.\n")

    def _name_new_project(self, memory: Memory, named: str) -> None:
        """Say that `--project` names no project that is known: a new one, or a slip of the pen."""
        from dopejar.engine.lookup import find_project
        from dopejar.errors import NotFoundError

        if not named or memory.project is None or (memory.project.id, memory.project.label) != (named, named):
            return
        with memory.store.read() as view:
            try:
                find_project(view, named)
            except NotFoundError:
                known = sorted({*memory.project_labels().values()} - {named})[:_MOST_NAMED]
                others = f" The known ones: {', '.join(known)}." if known else ""
                self.note(f"There is no project {named!r} yet.{others}")

    def _name_unaccepted(self, memory: Memory) -> None:
        """Say which configured settings are not in force because no reviewer accepted them."""
        if self.announces_settings and memory.settings.unaccepted:
            self.note(memory.settings.unaccepted)

    def _announce_queue(self, memory: Memory) -> None:
        """At a terminal, note in one line that proposals wait for review. Costs one count query."""
        if not self.announces_queue or self.as_json or self.quiet or not (self.at_terminal and sys.stderr.isatty()):
            return
        waiting = memory.review.waiting()
        if waiting:
            self.note(waiting_line(waiting))

    @property
    def directory(self) -> Path:
        """The data directory."""
        from dopejar.compose import data_directory

        return self.home.expanduser().absolute() if self.home else data_directory(os.environ)

    def note(self, remark: str) -> None:
        """Print a note to stderr; nothing with --json or --quiet."""
        if not self.quiet and not self.as_json:
            sys.stderr.write(f"{remark}\n")

    def answer(self, data: Mapping[str, object], lines: Lines | Callable[[], Lines]) -> None:
        """Print the answer to stdout: the data with --json, else the lines."""
        if self.as_json:
            ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") not in ("utf8", "utf8sig")
            _write([json_text({"ok": True, **data}, ascii_only=ascii_only)])
        else:
            _write(lines() if callable(lines) else lines)

    @contextmanager
    def progress_bar(self, title: str) -> Iterator[Progress]:
        """A progress callback: (step, done, total or 0). It draws a bar on stderr where `shows_progress` holds."""
        if not self.shows_progress:
            yield lambda _step, _done, _total: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(title, total=None)

            def update(step: str, done: int, total: int) -> None:
                bar.update(task, description=f"{title}: {step}", completed=done, total=total or None)

            yield update


def _write(lines: Lines) -> None:
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError as closed:
        raise OutputClosedError from closed


def run_housekeeping(memory: Memory) -> None:
    """Do due housekeeping before the command exits; a failure is left for the next command."""
    from dopejar.errors import DopejarError

    try:
        if not memory.store.is_read_only:
            memory.maintenance.tidy()
    except DopejarError:
        return  # the command's own work is committed and acknowledged


def learn_ended_sessions(context: CommandContext, memory: Memory) -> None:
    """Learn from the sessions of coding assistants that ended since the last time, so that the queue holds them."""
    from dopejar.engine.ingest import hook_journal

    if memory.store.is_read_only or not hook_journal.transcripts(memory.home):
        return
    with context.progress_bar("learning from ended sessions") as progress:
        memory.sessions.learn_ended(progress=progress)


def directory_named(text: str) -> Path:
    """The directory of `--home`. Raises UsageError for an empty name, which would be the current directory."""
    if not text.strip():
        from dopejar.errors import UsageError

        raise UsageError("--home is empty. Name the data directory, or leave --home out.")
    return Path(text)


def find_conversation(memory: Memory, name: str) -> ConversationId:
    """The id of a conversation, by id or name.

    Raises:
        NotFoundError, AmbiguousIdError: the name matches nothing, or more than one conversation.
    """
    from dopejar.engine import lookup

    with memory.store.read() as view:
        return lookup.find_conversation(view, name)


def waiting_line(count: int) -> str:
    """One line about the length of the review queue."""
    proposals = "1 proposal is" if count == 1 else f"{count} proposals are"
    return f"{proposals} waiting for review: run `dopejar review`."


def parse_date(text: str, option: str) -> datetime | None:
    """The time an option such as `--as-of` means: `2026-03-15`, or `2026-03-15T18:00` with or without an offset.

    Without an offset the machine's time zone applies; without a time, the end of the day. Empty text gives None.

    Raises:
        InputError: the text has another form; the message names the option.
    """
    from dopejar.errors import InputError
    from dopejar.values.dates import parse_moment

    value = text.strip()
    if not value:
        return None
    try:
        return parse_moment(value)
    except ValueError:
        raise InputError(
            f"{option} needs a date such as 2026-03-15, 2026-03-15T18:00 or 2026-03-15T18:00+01:00, not {text!r}."
        ) from None


# -- JSON --------------------------------------------------------------------------------------------------------------


def json_value(value: object) -> object:
    """A frozen value as JSON types: enums by value, dates in ISO form, scopes and paths as text, NaN as None."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type | Scope):
        return {item.name: json_value(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(json_value(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        items = [json_value(item) for item in value]
        return sorted(items, key=str) if isinstance(value, set | frozenset) else items
    return _json_scalar(value)


def _json_scalar(value: object) -> object:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Enum):
        return str(value.value)
    return value.isoformat() if isinstance(value, date) else str(value)


def json_fields(value: object) -> dict[str, object]:
    """The fields of a frozen value as JSON types."""
    converted = json_value(value)
    return converted if isinstance(converted, dict) else {"value": converted}


def json_text(value: object, *, ascii_only: bool = False) -> str:
    """A value as one line of JSON."""
    import json

    return json.dumps(json_value(value), ensure_ascii=ascii_only, allow_nan=False)
