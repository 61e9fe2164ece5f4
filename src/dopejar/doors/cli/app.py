"""The command tree.

Takes: the first word of a command line. Gives: the commands of its module, or all of them. Never: imports a module
whose commands were not asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

HELP = """Governed long-term memory: learn, review, recall, undo, forget.

Everything passes one gate, carries its evidence, and can be taken back. `dopejar COMMAND --help` explains a command.
"""

# in the order in which the help lists them; a group is a module of its own commands under one word
MODULES: Final = {
    "taking": ("learn", "remember", "relearn"),
    "asking": ("recall", "list", "history", "log", "status"),
    "surveying": ("keys", "hygiene", "profile", "decisions", "corrections", "instructions", "check"),
    "graphing": ("graph",),
    "sessions": ("session",),
    "reviewing": ("review",),
    "people": ("reviewer",),
    "bullets": ("bullets",),
    "deciding": ("undo", "deprecate", "bring-back", "erase"),
    "keeping": ("maintain", "doctor", "backup", "restore", "export", "import"),
    "models": ("models",),
    "config": ("config",),
    "measuring": ("bench",),
    "serve": ("serve",),
}
GROUPS: Final = frozenset({"sessions", "reviewing", "people", "bullets", "models", "config"})


def tree(first: str = "") -> typer.Typer:
    """The command tree: of the module that the word belongs to, or whole where it belongs to none."""
    whole = typer.Typer(
        name="dopejar", help=HELP, add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False
    )
    whole.callback()(_version)
    chosen = [name for name, words in MODULES.items() if first in words]
    for name in chosen or MODULES:
        module = importlib.import_module(f"dopejar.doors.cli.{name}")
        whole.add_typer(module.commands, name=MODULES[name][0] if name in GROUPS else None)
    return whole


def build(first: str = "") -> "Callable[..., object]":
    """The same as something to be called with `args`."""
    command: Callable[..., object] = importlib.import_module("typer.main").get_command(tree(first))
    return command


def _version(
    *,
    version: bool = typer.Option(False, "--version", "-V", is_eager=True, help="Print the version and leave."),
) -> None:
    if version:
        from dopejar import __version__

        typer.echo(f"dopejar {__version__}")
        raise typer.Exit


def __getattr__(name: str) -> object:
    """`app`, the whole tree, made where it is first asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = tree()
    return globals()["app"]
