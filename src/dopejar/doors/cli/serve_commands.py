"""The `serve` command: starts the web interface.

Takes: an address. Gives: a running server until it is interrupted. Never: imports the web package statically; it is
loaded by name, so that each door can be tested and installed without the other.
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
_WEB_DOOR: Final = "dopejar.doors.web.server"
_HOOK_DOOR: Final = "dopejar.doors.hook.resident_server"
_REQUIREMENTS: Final = ("fastapi", "starlette", "uvicorn", "jinja2")


@command(commands, "serve")
def serve(
    context: CommandContext,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 chooses a free one.")] = PORT,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="An additional host name to accept; may be repeated."),
    ] = None,
    resident: Annotated[
        bool,
        typer.Option("--resident", help="Instead of the page: answer hooks, with the memory and its model loaded."),
    ] = False,
    idle_minutes: Annotated[
        float,
        typer.Option(
            "--idle-minutes", min=0.01, max=1440, help="With --resident: stop after this many minutes without a hook."
        ),
    ] = 60,
) -> int:
    """Start the web interface: the review queue, the memories, the ledger and an overview in a browser.

    Prints a link that works once, for one browser. Other machines can only connect if `--host` allows it and
    `DOPEJAR_SERVE_TOKEN` is set to your own token. Decisions need a reviewer, who authenticates once per browser.

    For example:

        dopejar serve
        dopejar serve --port 0 --json
        dopejar serve --resident
    """
    if resident:
        return _serve_hooks(context, idle_minutes)
    try:
        door = importlib.import_module(_WEB_DOOR)
        for name in _REQUIREMENTS:
            importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in _REQUIREMENTS:
            raise
        raise UsageError(
            f"The web interface needs {error.name}, which is not installed. Install the `web` extra:"
            " `pip install 'dopejar[web]'`."
        ) from error

    def announce(link: str, remark: str) -> None:
        context.answer({"link": link}, [link])
        context.note(remark)

    with context.open_memory() as memory:
        door.serve(memory, host, port, tuple(allow_host or ()), announce)
    return OK


def _serve_hooks(context: CommandContext, idle_minutes: float) -> int:
    door = importlib.import_module(_HOOK_DOOR)

    def announce(path: str) -> None:
        context.answer({"socket": path}, [path])
        context.note(f"Hooks are answered here. It ends after {idle_minutes:g} minutes without one; Ctrl+C stops it.")

    with context.open_memory(detect_project=False) as memory:
        door.serve(memory, idle_s=idle_minutes * 60, announce=announce)
    return OK
