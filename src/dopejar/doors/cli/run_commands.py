"""The `run` command: runs an assistant, and asks about what was learned when it ends.

Takes: a command line. Gives: its exit code, with this terminal and its signals passed on. Never: asks without a
terminal; then the proposals wait in the review queue.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli.command_context import CommandContext, learn_ended_sessions, waiting_line
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.session_commands import ask_about
from dopejar.engine.ingest import hook_journal
from dopejar.errors import InputError, NotFoundError
from dopejar.values.ids import new_trace_id

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

commands = typer.Typer()

_HOME_VARIABLE: Final = "DOPEJAR_HOME"
_FROM_TERMINAL: Final = ("SIGINT", "SIGQUIT")  # a terminal sends them to the program as well
_PASSED_ON: Final = ("SIGTERM", "SIGHUP")
_SIGNALLED: Final = 128  # and the number of the signal: the exit code of what a signal ended, as shells give it


@command(commands, "run")
def run(
    context: CommandContext,
    words: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The assistant and its arguments.")],
    queue: Annotated[bool, typer.Option("--queue", help="Do not ask; the proposals wait in the review queue.")] = False,
) -> int:
    """Run an assistant, and decide about what was learned from its sessions when it ends.

    It runs in this terminal, and its exit code is returned. Its hooks must be connected: `dopejar connect`.

    For example:

        dopejar run -- claude

        dopejar run -- codex --model gpt-5.5-codex
    """
    program = shutil.which(words[0])
    if program is None:
        raise NotFoundError(f"There is no program {words[0]!r} on the PATH.")
    mark = str(new_trace_id())
    home = {_HOME_VARIABLE: str(context.home.expanduser().absolute())} if context.home else {}
    code, was_stopped = _run([program, *words[1:]], {**os.environ, **home, hook_journal.RUN_VARIABLE: mark})
    noted = hook_journal.end_run(context.directory, mark)
    if not noted:
        context.note("No session was noted. `dopejar connect --check` shows whether the hooks are called.")
        return code
    with context.open_for_writing() as memory:
        learn_ended_sessions(context, memory)
        if context.may_ask and not queue and not was_stopped:
            _ask(context, memory, [str(row.path) for row in noted])
        waiting = memory.review.waiting()
    if waiting:
        context.note(waiting_line(waiting))
    return code


def _run(command_line: Sequence[str], environment: Mapping[str, str]) -> tuple[int, bool]:
    """The exit code of a command that has this terminal, and whether somebody told this process to end."""
    stopped: list[int] = []
    with _signals(stopped) as children:
        try:
            process = subprocess.Popen(command_line, env=environment)  # noqa: S603 - what the user asks for
        except OSError as error:
            raise InputError(f"{command_line[0]} cannot be run: {error.strerror}.") from error
        children.append(process)
        code = process.wait()
    return (_SIGNALLED - code if code < 0 else code), bool(stopped)


@contextmanager
def _signals(stopped: list[int]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Leave the signals of the terminal to the program, and pass on those that were meant for it."""
    children: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _frame: types.FrameType | None) -> None:
        stopped.append(number)
        for child in children:
            child.send_signal(number)

    def leave(_number: int, _frame: types.FrameType | None) -> None:
        """A handler, not SIG_IGN: a program would inherit that."""

    handlers = dict.fromkeys(_FROM_TERMINAL, leave) | dict.fromkeys(_PASSED_ON, pass_on)
    numbers = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    before = {number: signal.signal(number, handler) for number, handler in numbers.items()}
    try:
        yield children
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ask(context: CommandContext, memory: Memory, transcripts: Sequence[str]) -> None:
    """Ask about each session of these transcripts that proposes something."""
    for transcript in transcripts:
        try:
            ended = memory.sessions.end(transcript, trace_id=context.trace_id)
        except NotFoundError:  # nobody said anything in it
            continue
        ask_about(context, memory, ended)
