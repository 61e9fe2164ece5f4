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
    "ingest_commands": ("learn", "remember", "relearn"),
    "query_commands": ("recall", "list", "history", "log", "status"),
    "survey_commands": ("keys", "hygiene", "profile", "decisions", "corrections", "instructions", "check"),
    "graph_commands": ("graph",),
    "session_commands": ("session",),
    "review_commands": ("review",),
    "reviewer_commands": ("reviewer",),
    "bullet_commands": ("bullets",),
    "lifecycle_commands": ("undo", "deprecate", "bring-back", "erase"),
    "maintenance_commands": ("maintain", "doctor", "backup", "restore", "export", "import"),
    "model_commands": ("models",),
    "config_commands": ("config",),
    "benchmark_commands": ("bench",),
    "serve_commands": ("serve",),
}
GROUPS: Final = frozenset(
    {"session_commands", "review_commands", "reviewer_commands", "bullet_commands", "model_commands", "config_commands"}
)


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
