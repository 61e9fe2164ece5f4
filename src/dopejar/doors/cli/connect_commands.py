"""Commands that connect coding assistants: connect, disconnect.

Takes: the name of an assistant, a place. Gives: what changes in its settings files, and the changed files. Never:
touches an entry that DoPeJar did not write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final

import typer

from dopejar.doors.cli import connections
from dopejar.doors.cli.assistants import (
    ASSISTANTS,
    PROGRAM,
    SERVER_NAME,
    Assistant,
    can_run,
    has_server,
    hook_command,
    is_own,
    server_entry,
)
from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.connections import FileChange, ServerEntry, entries_of
from dopejar.doors.cli.text_format import table
from dopejar.engine.ingest import hook_journal
from dopejar.errors import NotFoundError, UsageError

commands = typer.Typer()

Name = Annotated[str, typer.Argument(metavar="ASSISTANT", help=f"The assistant: {', '.join(ASSISTANTS)}.")]
InProject = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project to connect it to. Default: the current directory."),
]
FromProject = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project to disconnect it from. Default: the current directory."),
]
ForUser = Annotated[bool, typer.Option("--user", help="Connect it in your own settings (all projects).")]
ForUserNoLonger = Annotated[bool, typer.Option("--user", help="Disconnect it in your own settings (all projects).")]
OnlyDiff = Annotated[bool, typer.Option("--diff", help="Only show what would change.")]
_PLACE: Final = re.compile(r"^\S*[\\/]")  # of a program
_ABOVE_HOME: Final = re.compile(r"(?<=--home )\S*[\\/](?=[^\\/])")  # the folders above a data directory
_Wired = tuple[str, str, str, str, str]  # assistant, file, event, command, when it was last called
_MINUTE: Final = "%Y-%m-%d %H:%M"


@command(commands, "connect")
def connect(
    context: CommandContext,
    assistant: Annotated[
        str,
        typer.Argument(
            metavar="ASSISTANT",
            help=f"The assistant: {', '.join(ASSISTANTS)}. Without it, show what is connected, like --check.",
        ),
    ] = "",
    project: InProject = None,
    user: ForUser = False,
    diff: OnlyDiff = False,
    deny: Annotated[
        bool, typer.Option("--deny", help="Refuse tool calls that break an approved rule, instead of asking you.")
    ] = False,
    resident: Annotated[
        bool,
        typer.Option(
            "--resident", help="Start a process with each session: it answers hooks faster and searches by meaning."
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Show what is connected, and when each hook was last called.")
    ] = False,
) -> int:
    """Connect a coding assistant: memory is recalled at your prompts, and tool calls are checked against your rules.

    Writes hooks into the settings of the assistant, and the MCP server if its extra is installed, and shows what it
    changes. Other settings are not touched; `dopejar disconnect` removes the entries again.

    For example:

        dopejar connect claude --diff

        dopejar connect codex --user

        dopejar connect --check
    """
    directory = _directory(project, user=user)
    if check or not assistant:
        return _check(context, directory)
    chosen = _assistant(assistant)
    home = _home_to_name(context)
    called = hook_command(chosen, home, denies=deny, resident=resident)
    files = entries_of(chosen, directory, called, server_entry(chosen, home) if has_server() else None)
    if not files:
        raise UsageError(_nothing_to_write(chosen, user=user))
    changes = [connections.connect(path, entries, context.directory) for path, entries in files]
    _apply(context, changes, diff=diff)
    if not diff and any(change.is_needed for change in changes):
        if chosen.hooks_file and not called.startswith(PROGRAM):
            context.note(f"{PROGRAM} is not on the PATH of every shell; the hooks call it by its absolute path.")
        context.note(f"{chosen.remark} `dopejar connect --check` shows what is connected.")
    return OK


@command(commands, "disconnect")
def disconnect(
    context: CommandContext,
    assistant: Name,
    project: FromProject = None,
    user: ForUserNoLonger = False,
    diff: OnlyDiff = False,
) -> int:
    """Disconnect a coding assistant: remove what `dopejar connect` wrote to its settings, and nothing else.

    For example:

        dopejar disconnect claude
    """
    chosen, directory = _assistant(assistant), _directory(project, user=user)
    files = entries_of(chosen, directory, "", {})
    _apply(context, [connections.disconnect(path, entries, context.directory) for path, entries in files], diff=diff)
    return OK


def _nothing_to_write(assistant: Assistant, *, user: bool) -> str:
    if user and assistant.project_servers:
        return f"{assistant.title} is connected in a project. Leave out --user."
    return f"{assistant.title} is connected by the MCP server. Install its extra first: `pip install 'dopejar[mcp]'`."


def _assistant(name: str) -> Assistant:
    if name not in ASSISTANTS:
        raise UsageError(f"{name!r} is no assistant that DoPeJar can connect. There are: {', '.join(ASSISTANTS)}.")
    return ASSISTANTS[name]


def _directory(project: Path | None, *, user: bool) -> Path | None:
    """The directory of the project; None for the user's own settings."""
    if user and project is not None:
        raise UsageError("Name either --project or --user.")
    directory = (project or Path.cwd()).expanduser().absolute()
    if not directory.is_dir():
        raise NotFoundError(f"{directory} is no directory. Name the directory of a project.")
    return None if user else directory


def _home_to_name(context: CommandContext) -> Path | None:
    """The data directory as the entries must name it; None for the default one.

    An assistant may be started without the variable that chooses another one here.
    """
    from dopejar.compose import data_directory

    return context.home or (None if context.directory == data_directory({}) else context.directory)


def _apply(context: CommandContext, changes: Sequence[FileChange], *, diff: bool) -> None:
    needed = [change for change in changes if change.is_needed]
    lines = [line for change in needed for line in change.diff()]
    if not diff:
        for change in needed:
            change.write(context.directory)
    files = [str(change.path) for change in needed]
    context.answer({"files": files, "diff": lines, "written": bool(files) and not diff}, lines)
    if not needed:
        context.note("Nothing to change.")
    elif not diff:
        context.note(f"Written: {', '.join(files)}.")


def _check(context: CommandContext, directory: Path | None) -> int:
    rows = [row for assistant in ASSISTANTS.values() for row in _wired(assistant, directory, context.directory)]
    names = ("assistant", "file", "event", "command", "last_called")
    if not rows:
        context.note(f"No assistant is connected here. `dopejar connect NAME` connects {', '.join(ASSISTANTS)}.")
    context.answer({"hooks": [dict(zip(names, row, strict=True)) for row in rows]}, lambda: _wired_lines(rows))
    return OK


def _wired_lines(rows: Sequence[_Wired]) -> Iterator[str]:
    """A table for each file: the file stands above it, and only what differs in the columns."""
    for file, group in groupby(rows, key=lambda row: row[1]):
        yield file
        cells = [
            (event, _ABOVE_HOME.sub(".../", _PLACE.sub("", words)), called) for _, _, event, words, called in group
        ]
        yield from table(("event", "calls", "last called"), cells)


def _wired(assistant: Assistant, directory: Path | None, home: Path) -> Iterator[_Wired]:
    """One row for each hook and server that is connected, in the project and in the user's own settings."""
    fired = hook_journal.last_fired(home, assistant.name)
    places = (directory, None)
    for file in dict.fromkeys(path for place in places if (path := assistant.settings_file(place))):
        document = connections.read_document(file)
        for place, handler in connections.handlers(document) if document else ():
            if is_own(handler):
                words = str(handler["command"])
                event = "learn" if words.endswith(" learn") else str(place[1])
                called = _when(fired.get(event)) if can_run(words) else "the command is not found"
                yield assistant.name, str(file), str(place[1]), words, called
    for file in dict.fromkeys(path for place in places if (path := assistant.servers_file(place))):
        document = connections.read_document(file)
        if document and ServerEntry(key=assistant.servers_key).own(document):
            yield assistant.name, str(file), "(MCP server)", SERVER_NAME, ""


def _when(at: datetime | None) -> str:
    return at.astimezone().strftime(_MINUTE) if at else "never"
