"""The `reviewer` commands: who may decide about proposals.

Takes: names, and passphrases typed at a terminal. Gives: the list of reviewers. Never: shows or stores a passphrase.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dopejar.doors.cli import authentication
from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command, group
from dopejar.errors import UsageError

commands = group(
    """Manage the reviewers, who decide about proposals and have a passphrase. Without a subcommand, lists them.

    A passphrase stays valid for 15 minutes at the terminal where it was typed. Trusted automation sets it in
    `DOPEJAR_REVIEWER_SECRET`, and the name in `DOPEJAR_REVIEWER`; this neither adds nor removes reviewers.

    After three wrong passphrases there is a pause of one second, which doubles up to five minutes. A terminal where
    the passphrase was right within the last week has a counter of its own.
    """
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the reviewer.")]


@command(commands, "list")
def list_reviewers(context: CommandContext) -> int:
    """List the reviewers, and who is unlocked at this terminal."""
    with context.open_memory(use_project=False) as memory:
        names = memory.reviewers.names()
        unlocked = memory.reviewers.at_terminal(authentication.terminal_id())
    if not names:
        context.note("No reviewers yet. Add one with `dopejar reviewer add NAME`.")
    lines = [f"{name} (unlocked at this terminal)" if unlocked and name == unlocked.name else name for name in names]
    context.answer({"reviewers": list(names), "unlocked": unlocked.name if unlocked else None}, lines)
    return OK


@command(commands, "add")
def add(context: CommandContext, name: Name) -> int:
    """Add a reviewer, or change the passphrase of one, at a terminal. Needs a reviewer, except for the first one.

    For example:

        dopejar reviewer add ana
    """
    with context.open_for_writing(detect_project=False) as memory:
        is_first = not memory.reviewers.names()
        by = None if is_first else authentication.authenticate(memory, from_environment=False)
        memory.reviewers.add(name, authentication.new_passphrase(), by, context.trace_id)
    context.answer({"reviewer": name.strip()}, [f"{name.strip()} is a reviewer now."])
    return OK


@command(commands, "remove")
def remove(context: CommandContext, name: Name) -> int:
    """Remove a reviewer, at a terminal. The last one cannot be removed. Needs a reviewer."""
    with context.open_for_writing(detect_project=False) as memory:
        by = authentication.authenticate(memory, from_environment=False)
        memory.reviewers.remove(name, by, context.trace_id)
    context.answer({"removed": name}, [f"{name} is no longer a reviewer. Their decisions stay in force."])
    return OK


@command(commands, "unlock")
def unlock(
    context: CommandContext,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The reviewer whose passphrase it is. Default: any.")
    ] = "",
) -> int:
    """Ask for a passphrase and stay unlocked at this terminal for 15 minutes."""
    terminal = authentication.terminal_id()
    if not terminal:
        raise UsageError("Unlocking is per terminal, and stdin is not a terminal. Run this command at a terminal.")
    with context.open_memory(use_project=False, detect_project=False) as memory:
        by = memory.reviewers.unlock(authentication.ask_passphrase("Passphrase: "), name=name, terminal=terminal)
    context.answer({"reviewer": by.name}, [f"{by.name} is unlocked at this terminal for 15 minutes."])
    return OK


@command(commands, "lock")
def lock(context: CommandContext) -> int:
    """Lock this terminal: the next decision asks for a passphrase again."""
    terminal = authentication.terminal_id()
    with context.open_memory(use_project=False, detect_project=False) as memory:
        was_open = bool(terminal) and memory.reviewers.lock(terminal)
    context.answer({"was_open": was_open}, ["Locked." if was_open else "This terminal was not unlocked."])
    return OK
