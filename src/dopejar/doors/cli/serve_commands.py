"""`serve`: opens the page door.

Takes: an address. Gives: a running server until it is interrupted. Never: imports the other door; it is loaded by its
name, so that each door can be read, tested and installed without the others.
"""

from __future__ import annotations

import importlib
from typing import Annotated, Final

import typer

from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command
from dopejar.errors import UsageError

commands = typer.Typer(add_completion=False, rich_markup_mode="markdown")

PORT: Final = 8765
_DOOR: Final = "dopejar.doors.web.server"
_NEEDS: Final = ("fastapi", "starlette", "uvicorn", "jinja2")


@command(commands, "serve")
def serve(
    context: CommandContext,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = PORT,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name that it may be asked by; may be repeated."),
    ] = None,
) -> int:
    """Open the review queue, the memories, the ledger and an overview in a browser on this machine.

    Prints a link that opens one browser, once. Other machines cannot reach it unless `--host` says so and
    `DOPEJAR_SERVE_TOKEN` holds a token of your own. Deciding asks for a reviewer, once in each browser.

    For example:

        dopejar serve
        dopejar serve --port 0 --json
    """
    try:
        door = importlib.import_module(_DOOR)
        for name in _NEEDS:
            importlib.import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name not in _NEEDS:
            raise
        raise UsageError(
            f"The page needs {fault.name}, which is not installed. Install DoPeJar with its `web` extra."
        ) from fault

    def say(link: str, remark: str) -> None:
        context.answer({"link": link}, [link])
        context.note(remark)

    with context.open_memory() as memory:
        door.serve(memory, host, port, tuple(allow_host or ()), say)
    return OK
