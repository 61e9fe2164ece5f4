"""The `dossier` commands: what is known about each subject, and decisions about what belongs together.

Takes: names of subjects, and memories. Gives: receipts. Never: decides without a reviewer.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import AllProjects, command, each_named, group
from dopejar.doors.cli.show_command import list_dossiers
from dopejar.doors.cli.text_output import receipt_lines
from dopejar.values.scope import Namespace

commands = group(
    """Manage dossiers, which tell what is known about a subject under all its names. Without a subcommand, lists them.

    A dossier is read from the memories. `dopejar show NAME` shows one; `dopejar undo` takes a decision about one back.
    """
)


@command(commands, "list")
def list_subjects(
    context: CommandContext,
    limit: Annotated[int, typer.Option("--limit", min=1, help="The maximum number of rows.")] = 50,
    all_projects: AllProjects = False,
) -> int:
    """List dossiers, those with the most facts first."""
    return list_dossiers(context, limit, Namespace.PROD, all_projects=all_projects)


@command(commands, "merge")
def merge(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A subject, by a name or the id of its dossier.")],
    into: Annotated[str, typer.Argument(metavar="INTO", help="The subject that is the same, under its name in use.")],
) -> int:
    """State that two subjects are one: their dossiers become one. Needs a reviewer.

    For example:

        dopejar dossier merge Merlin Falcon
    """
    with context.open_for_writing() as memory:
        receipt = memory.dossiers.merge(name, into, authenticate(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


@command(commands, "split")
def split(
    context: CommandContext,
    facts: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="Memories, by id, unique id prefix or key.", callback=each_named),
    ],
    into: Annotated[str, typer.Option("--into", metavar="NAME", help="The subject that they are about.")],
) -> int:
    """Put memories that do not belong to their dossier into that of another subject. Needs a reviewer.

    A statement that two names mean one thing ties them no longer, once it is put elsewhere.

    For example:

        dopejar dossier split m_9k3f --into Osprey
    """
    with context.open_for_writing() as memory:
        receipt = memory.dossiers.split(facts, into, authenticate(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK
