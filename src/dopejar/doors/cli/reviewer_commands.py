"""`reviewer`: the people who may decide.

Takes: names, and passphrases typed at a terminal. Gives: who they are. Never: shows or keeps a passphrase.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dopejar.doors.cli import authentication
from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command, group
from dopejar.errors import UsageError

commands = group(
    """Reviewers: people with a name and a passphrase, who decide what the gate leaves to them. The bare word lists.

    A passphrase holds for 15 minutes at the terminal where it was typed. An automation you trust gives it in
    `DOPEJAR_REVIEWER_SECRET`, and the name in `DOPEJAR_REVIEWER`.
    """
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The reviewer's name.")]


@command(commands, "list")
def list_reviewers(context: CommandContext) -> int:
    """List the reviewers, and who may decide at this terminal now."""
    with context.open_memory(use_project=False) as memory:
        names = memory.reviewers()
        here = memory.reviewer_at(authentication.terminal())
    if not names:
        context.note("There is none yet: `dopejar reviewer add NAME`.")
    shown = [f"{one} (may decide here now)" if here and one == here.name else one for one in names]
    context.answer({"reviewers": list(names), "unlocked": here.name if here else None}, shown)
    return OK


@command(commands, "add")
def add(context: CommandContext, name: Name) -> int:
    """Add a reviewer, or change a passphrase. The first one needs nobody; every other one needs a reviewer.

    For example:

        dopejar reviewer add ana
    """
    with context.open_for_writing(detect_project=False) as memory:
        first = not memory.reviewers()
        by = None if first else authentication.reviewer(memory)
        memory.add_reviewer(name, authentication.new_passphrase(from_environment=first), by)
    context.answer({"reviewer": name.strip()}, [f"{name.strip()} may review now."])
    return OK


@command(commands, "remove")
def remove(context: CommandContext, name: Name) -> int:
    """Remove a reviewer; the last one stays. Asks for a reviewer."""
    with context.open_for_writing(detect_project=False) as memory:
        memory.remove_reviewer(name, authentication.reviewer(memory))
    context.answer({"removed": name}, [f"{name} may not review any more. What they decided stays."])
    return OK


@command(commands, "unlock")
def unlock(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose passphrase it is; anybody's where omitted.")] = "",
) -> int:
    """Ask for a passphrase and hold it for 15 minutes at this terminal."""
    terminal = authentication.terminal()
    if not terminal:
        raise UsageError("A passphrase is held for a terminal, and there is none here. Run this at one.")
    with context.open_memory(use_project=False, detect_project=False) as memory:
        by = memory.unlock(authentication.asked("Passphrase: "), name=name, terminal=terminal)
    context.answer({"reviewer": by.name}, [f"{by.name} may decide here for 15 minutes."])
    return OK


@command(commands, "lock")
def lock(context: CommandContext) -> int:
    """Forget the passphrase that is held for this terminal."""
    terminal = authentication.terminal()
    with context.open_memory(use_project=False, detect_project=False) as memory:
        was_open = bool(terminal) and memory.lock(terminal)
    context.answer({"was_open": was_open}, ["Locked." if was_open else "It was not open here."])
    return OK
