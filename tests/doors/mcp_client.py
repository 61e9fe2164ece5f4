"""Calls of the MCP door by the client of its SDK, in this process.

Takes: an opened memory, a tool and its arguments. Gives: the result. Never: opens a socket.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
from mcp import Client
from mcp_types import CallToolResult, Implementation

from dopejar.doors.mcp.application import create_server
from dopejar.engine.memory import Memory

T = TypeVar("T")
HOST = Implementation(name="test-host", version="1")
MODES = ("auto", "legacy")  # both handshakes


def with_client(memory: Memory, ask: Callable[[Client], Awaitable[T]], mode: str = "auto", name: str = HOST.name) -> T:
    """What `ask` gets from a client of a server over this memory."""

    async def run() -> T:
        host = Implementation(name=name, version="1")
        async with Client(create_server(memory), mode=mode, client_info=host) as client:
            return await ask(client)

    return anyio.run(run)


def call(memory: Memory, tool: str, arguments: dict[str, Any] | None = None, **options: str) -> CallToolResult:
    """One call of a tool."""
    return with_client(memory, lambda client: client.call_tool(tool, arguments or {}), **options)


def answer(memory: Memory, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured result of a call that succeeds."""
    result = call(memory, tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def refusal(memory: Memory, tool: str, arguments: dict[str, Any]) -> str:
    """The sentence of a call that fails."""
    result = call(memory, tool, arguments)
    assert result.is_error
    (content,) = result.content
    return content.text
