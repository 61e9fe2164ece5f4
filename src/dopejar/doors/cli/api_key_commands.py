"""The `api-key` commands: which programs may use the memory over HTTP.

Takes: names and scopes. Gives: a new key, once, and the list of keys. Never: shows a key a second time.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command, group

commands = group(
    """Manage the keys for the REST API of `dopejar serve`. Without a subcommand, lists them.

    The scope `read` allows reading; `write` also allows proposing. No key can approve.
    """
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The name of the key; its proposals are recorded under this name.")
]


@command(commands, "list")
def list_keys(context: CommandContext) -> int:
    """List the keys by name, with their scope and creation date."""
    with context.open_memory(use_project=False) as memory:
        keys = memory.api_keys.list()
    if not keys:
        context.note("No keys yet. Make one with `dopejar api-key add NAME`.")
    context.answer({"keys": keys}, [f"{key.name}  {key.scope}  since {key.made_at:%F}" for key in keys])
    return OK


@command(commands, "add")
def add(
    context: CommandContext,
    name: Name,
    scope: Annotated[str, typer.Option("--scope", metavar="SCOPE", help="read or write.")] = "read",
) -> int:
    """Make a key and print it. It is shown only this once: store it like a password.

    For example:

        dopejar api-key add calendar-bot --scope write
    """
    with context.open_for_writing(detect_project=False) as memory:
        key = memory.api_keys.make(name, scope)
    context.answer({"name": name, "scope": scope, "key": key}, [key])
    context.note("Send it as `Authorization: Bearer KEY` to the address that `dopejar serve` prints.")
    return OK


@command(commands, "revoke")
def revoke(context: CommandContext, name: Name) -> int:
    """Revoke a key at once. Its earlier proposals stay."""
    with context.open_for_writing(detect_project=False) as memory:
        memory.api_keys.revoke(name)
    context.answer({"revoked": name}, [f"The key {name} is revoked."])
    return OK
