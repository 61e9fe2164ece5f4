"""The `completion` command: what a shell evaluates to complete the commands and options of `dopejar`.

Takes: the name of a shell. Gives: its script; and to that script, on every Tab, what fits. Never: opens the memory.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.overview import COMPLETION_VARIABLE

commands = typer.Typer()


class Shell(StrEnum):
    """The shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@command(commands, "completion")
def completion(
    context: CommandContext, shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]
) -> int:
    """Print the script that completes commands and options in a shell. Add the line to the file that the shell reads.

    For example:

        eval "$(dopejar completion bash)"     # in ~/.bashrc
        eval "$(dopejar completion zsh)"      # in ~/.zshrc, after compinit
        dopejar completion fish | source      # in ~/.config/fish/config.fish
    """
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name="dopejar", complete_var=COMPLETION_VARIABLE, shell=shell.value)
    context.answer({"shell": shell.value, "script": script}, [script])
    return OK


def complete() -> int:
    """Answer the script of a shell, which asks through the environment."""
    from typer._completion_classes import completion_init

    from dopejar.doors.cli.app import build_command

    completion_init()
    build_command()(args=[], prog_name="dopejar", complete_var=COMPLETION_VARIABLE)
    return OK
