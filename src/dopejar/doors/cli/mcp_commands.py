"""The `mcp` command: starts the MCP server for assistants.

Takes: a transport. Gives: a running server until its input ends. Never: imports the MCP package statically; it is
loaded by name, so that each door can be tested and installed without the other.
"""

from __future__ import annotations

import gc
import importlib
from typing import Annotated, Final

import typer

from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command
from dopejar.errors import UsageError

commands = typer.Typer(add_completion=False, rich_markup_mode="markdown")

PORT: Final = 8766
_MCP_DOOR: Final = "dopejar.doors.mcp.server"
_PACKAGE: Final = "mcp"  # brings all that the door needs


@command(commands, "mcp")
def mcp(
    context: CommandContext,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP on loopback, with a bearer token, instead of stdio.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="With --http: the port; 0 chooses a free one.")
    ] = PORT,
) -> int:
    """Start the MCP server: tools by which an assistant recalls, searches, checks and proposes.

    An assistant's host starts it by itself and talks to it on standard input and output; see docs/mcp.md for its
    settings. What an assistant says waits for review: it can approve, change, erase and undo nothing.

    For example:

        dopejar mcp
        dopejar mcp --project atlas
        dopejar mcp --http --port 0
    """
    gc.disable()  # what is loaded stays; the server enables it again
    try:
        importlib.import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        gc.enable()
        if error.name != _PACKAGE:
            raise
        raise UsageError(
            f"The MCP server needs {error.name}, which is not installed. Install the `mcp` extra:"
            " `pip install 'dopejar[mcp]'`."
        ) from error
    door = importlib.import_module(_MCP_DOOR)

    def announce(address: str, token: str) -> None:
        context.answer({"url": address, "token": token}, [address, f"Authorization: Bearer {token}"])
        context.note("Ctrl+C stops it.")

    with context.open_for_writing() as memory:
        if http:
            door.serve_http(memory, port, announce)
        else:
            door.serve_stdio(memory)
    return OK
