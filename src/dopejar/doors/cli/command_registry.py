"""How a function becomes a command.

Takes: a function over a `Call` and its own options. Gives: a typer command with the shared options added. Never:
decides anything; a command's answer and exit code are its function's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Concatenate, Final, ParamSpec

import typer
from typer.core import TyperGroup

from dopejar.doors.cli.command_context import CommandContext

if TYPE_CHECKING:
    from typer._click.core import Context  # what typer's own groups are typed with

P = ParamSpec("P")

AsJson = Annotated[bool, typer.Option("--json", help="Print data instead of text: one JSON object.")]
Home = Annotated[
    Path | None,
    typer.Option(
        "--home", metavar="DIR", help="The data directory; `DOPEJAR_HOME`, else the platform's, where omitted."
    ),
]
ProjectName = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="NAME",
        help="The project at hand, by id or name; that of the current directory where omitted.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks, only the answer.")]

_SHARED: Final = (
    ("as_json", AsJson, False),
    ("home", Home, None),
    ("project", ProjectName, ""),
    ("quiet", Quiet, False),
)

_ABOUT_THE_QUEUE: Final = frozenset(
    {"review_commands", "session_commands", "reviewer_commands"}
)  # they show the queue themselves


def command(
    commands: typer.Typer, name: str
) -> Callable[[Callable[Concatenate[CommandContext, P], int]], Callable[Concatenate[CommandContext, P], int]]:
    """Register a function over a `Call` as a command with the shared options. What it returns is the exit code."""

    def register(
        function: Callable[Concatenate[CommandContext, P], int],
    ) -> Callable[Concatenate[CommandContext, P], int]:
        announces = function.__module__.rpartition(".")[2] not in _ABOUT_THE_QUEUE

        def called(*, as_json: bool, home: Path | None, project: str, quiet: bool, **own: object) -> None:
            context = CommandContext(
                as_json=as_json, home=home, project=project, quiet=quiet, announces_queue=announces
            )
            code = function(context, **own)  # type: ignore[arg-type,call-arg] # typer checked the options against the signature
            if code:
                raise typer.Exit(code)

        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        shared = [
            inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for one, kind, default in _SHARED
        ]
        keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        called.__signature__ = inspect.Signature([*keyword, *shared])  # type: ignore[attr-defined] # read by typer
        called.__annotations__ = {}
        called.__doc__ = function.__doc__
        commands.command(name)(called)
        return function

    return register


class ListsByDefault(TyperGroup):
    """A group whose bare word lists: `dopejar reviewer --json` is `dopejar reviewer list --json`."""

    bare: ClassVar[tuple[str, ...]] = ("list",)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Put `list` in front where no subcommand stands first."""
        if not args or (args[0].startswith("-") and args[0] != "--help"):
            args = [*self.bare, *args]
        return super().parse_args(ctx, args)


class AsksByDefault(ListsByDefault):
    """A group whose bare word lists and then asks; the word `list` only lists."""

    bare = ("list", "--ask")


def group(text: str, cls: type[ListsByDefault] = ListsByDefault) -> typer.Typer:
    """A group of commands under one word; `cls` says what the bare word does."""
    return typer.Typer(cls=cls, help=text, add_completion=False, rich_markup_mode="markdown")
