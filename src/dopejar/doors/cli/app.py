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

HELP = """Governed long-term memory for AI agents: learn, review, recall, undo, erase.

Every change passes one write gate, carries its evidence, and can be undone. `dopejar COMMAND --help` explains a
command.
"""

# in the order of the help; a group is a module whose commands stand under one word
MODULES: Final = {
    "ingest_commands": ("learn", "remember", "relearn"),
    "query_commands": ("recall", "list", "log", "status"),
    "survey_commands": ("instructions", "check"),
    "show_command": ("show",),
    "dossier_commands": ("dossier",),
    "graph_commands": ("graph",),
    "chat_commands": ("chat", "trace"),
    "session_commands": ("session",),
    "review_commands": ("review",),
    "reviewer_commands": ("reviewer",),
    "bullet_commands": ("bullets",),
    "lifecycle_commands": ("undo", "forget", "bring-back", "erase"),
    "maintenance_commands": ("maintain", "garden", "doctor"),
    "store_commands": ("store",),
    "model_commands": ("models",),
    "config_commands": ("config",),
    "benchmark_commands": ("bench",),
    "serve_commands": ("serve",),
    "api_key_commands": ("api-key",),
    "mcp_commands": ("mcp",),
    "connect_commands": ("connect", "disconnect"),
    "run_commands": ("run",),
    "completion_commands": ("completion",),
}
GROUPS: Final = frozenset(
    {
        "dossier_commands",
        "session_commands",
        "review_commands",
        "reviewer_commands",
        "bullet_commands",
        "model_commands",
        "config_commands",
        "store_commands",
        "api_key_commands",
    }
)


def is_group(word: str) -> bool:
    """Whether commands stand under this word."""
    return any(MODULES[name][0] == word for name in GROUPS)


def build_app(first_word: str = "") -> typer.Typer:
    """The command tree: the module that has the command, or all modules where none has it."""
    root = typer.Typer(
        name="dopejar", help=HELP, add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False
    )
    root.callback()(_version)
    chosen = [name for name, words in MODULES.items() if first_word in words]
    for name in chosen or MODULES:
        module = importlib.import_module(f"dopejar.doors.cli.{name}")
        root.add_typer(module.commands, name=MODULES[name][0] if name in GROUPS else None)
    return root


def build_command(first_word: str = "") -> "Callable[..., object]":
    """The command tree as a callable that takes `args`."""
    command: Callable[..., object] = importlib.import_module("typer.main").get_command(build_app(first_word))
    return command


def _version(
    *,
    version: bool = typer.Option(False, "--version", "-V", is_eager=True, help="Print the version and exit."),
) -> None:
    if version:
        from dopejar import __version__

        typer.echo(f"dopejar {__version__}")
        raise typer.Exit


def __getattr__(name: str) -> object:
    """`app`, the whole tree, built when it is first used."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = build_app()
    return globals()["app"]
