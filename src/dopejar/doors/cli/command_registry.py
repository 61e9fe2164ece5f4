"""Registers functions as commands with the shared options.

Takes: a function over a `CommandContext` and its own options. Gives: a typer command with the shared options added.
Never: decides anything: a command's answer and exit code are its function's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Concatenate, Final, ParamSpec, get_args

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from dopejar.doors.cli.command_context import CommandContext, directory_named

if TYPE_CHECKING:
    from typer._click.core import Context  # what typer's own groups are typed with

P = ParamSpec("P")
Command = Callable[Concatenate[CommandContext, P], int]

AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")]
Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        parser=directory_named,
        metavar="DIR",
        help="The data directory. Default: `DOPEJAR_HOME`, or else the platform's data directory.",
    ),
]
ProjectName = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="NAME",
        help="The project, by id or name; an unknown name begins one. Default: that of the current directory.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer: no progress and no notes.")]


def each_named(names: list[str] | None) -> list[str] | None:
    """Names as they were listed, also with commas: `1,3`, `m_4k2v,m_9k3f`. An argument of several words is one name."""
    if names is None:
        return None
    return [part for name in names for part in (name.split(",") if len(name.split()) == 1 else [name]) if part]


AllProjects = Annotated[bool, typer.Option("--all-projects", help="Include the memories of all projects.")]

_SHARED: Final = (
    ("as_json", AsJson, False),
    ("home", Home, None),
    ("project", ProjectName, ""),
    ("quiet", Quiet, False),
)

# the command beside which it helps to know how many proposals wait; others say so where they changed that
_ANNOUNCES_QUEUE: Final = ("query_commands", "list")


def command(commands: typer.Typer, name: str) -> Callable[[Command[P]], Command[P]]:
    """Register a function as a command with the shared options. What the function returns is the exit code."""

    def register(function: Command[P]) -> Command[P]:
        announces_queue = (function.__module__.rpartition(".")[2], name) == _ANNOUNCES_QUEUE
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        shared = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for option, annotation, default in _SHARED
            if option not in [parameter.name for parameter in own]  # a command may give an option a meaning of its own
        ]

        def run(**options: object) -> None:
            given = {parameter.name: options.pop(parameter.name) for parameter in shared}
            context = CommandContext(announces_queue=announces_queue, **given)  # type: ignore[arg-type] # as below
            code = function(context, **options)  # type: ignore[arg-type,call-arg] # typer checked them by the signature
            if code:
                raise typer.Exit(code)

        for parameter in (*own, *shared):
            _hide_type_of_flag(parameter)
        keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        run.__signature__ = inspect.Signature([*keyword, *shared])  # type: ignore[attr-defined] # read by typer
        run.__annotations__ = {}
        run.__doc__ = function.__doc__
        commands.command(name)(run)
        return function

    return register


def _hide_type_of_flag(parameter: inspect.Parameter) -> None:
    """A flag takes no value, so that its help names none."""
    kind, *marks = get_args(parameter.annotation)
    for mark in marks:
        if kind in (bool, bool | None) and isinstance(mark, OptionInfo):
            mark.metavar = ""


class ListsByDefault(TyperGroup):
    """A group that runs `list` without a subcommand: `dopejar reviewer --json` is `dopejar reviewer list --json`."""

    default_arguments: ClassVar[tuple[str, ...]] = ("list",)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Insert the default subcommand where none is given."""
        if not args or (args[0].startswith("-") and args[0] != "--help"):
            args = [*self.default_arguments, *args]
        return super().parse_args(ctx, args)


class AsksByDefault(ListsByDefault):
    """A group that runs `list --ask` without a subcommand; the explicit `list` does not ask."""

    default_arguments = ("list", "--ask")


def group(help_text: str, cls: type[ListsByDefault] = ListsByDefault) -> typer.Typer:
    """A group of commands under one word; `cls` chooses what runs without a subcommand."""
    return typer.Typer(cls=cls, help=help_text, add_completion=False, rich_markup_mode="markdown")
