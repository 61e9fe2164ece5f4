"""`dopejar mcp` as a process on standard input and output, as an HTTP application, and without its extra."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_client import MODES
from starlette.testclient import TestClient

from dopejar.compose import open_memory
from dopejar.doors.mcp.bearer_access import TOKEN_VARIABLE
from dopejar.doors.mcp.server import http_application
from dopejar.engine.memory import Memory

TOKEN = "-".join(("a", "token", "only", "for", "tests"))
COMMAND = [sys.executable, "-m", "dopejar.doors.cli", "mcp"]
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "h", "version": "1"}},
}


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """A memory with one fact."""
    with open_memory(home) as opened:
        opened.remember("The mirror host is elder.", said_by="user")
        yield opened


@contextlib.contextmanager
def server() -> Iterator[subprocess.Popen[bytes]]:
    """A server process on pipes, which said hello."""
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stdin
            assert process.stdout
            process.stdin.write(f"{json.dumps(HELLO)}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "dopejar"
            yield process
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_two_servers_on_one_home(memory: Memory, mode: str) -> None:
    """Two processes answer and propose side by side, and what both proposed waits."""

    async def talk() -> None:
        parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=dict(os.environ))
        async with Client(parameters, mode=mode) as one, Client(parameters, mode=mode) as two:
            for number in range(3):
                for client, name in ((one, "plum"), (two, "pear")):
                    text = f"The {name}{number} server listens on port {5000 + number}."
                    result = await client.call_tool("memory_remember", {"text": text})
                    assert result.structured_content
                    assert result.structured_content["outcome"] == "waits"
            result = await one.call_tool("memory_recall", {"question": "mirror host"})
            assert "elder" in result.content[0].text

    anyio.run(talk)
    assert memory.review.waiting() == 6


@pytest.mark.slow
def test_stdout_is_the_protocol_alone(memory: Memory) -> None:
    """After lines that are no messages, each line of stdout is one; the end of the input ends the process with 0."""
    assert memory.store.file
    with server() as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"not json\n\xff\xfe\n[]\n{}\n" + f"{json.dumps({**LIST, 'id': 7})}\n".encode())
        process.stdin.flush()
        answers = iter(process.stdout.readline, b"")  # a request that the end of the input overtakes has no answer
        assert 7 in (json.loads(line).get("id") for line in answers)
        process.stdin.close()
        rest, err = process.stdout.read(), process.stderr.read()
        assert process.wait() == 0
    assert all(json.loads(line) for line in rest.splitlines())
    assert b"Traceback" not in err


@pytest.mark.slow
def test_an_interrupt_ends_it(memory: Memory) -> None:
    """Ctrl-C ends the process at once, with the code of an interrupt and one sentence."""
    assert memory.store.file
    with server() as process:
        process.send_signal(signal.SIGINT)
        # its input stays open until then: the end of the input would end it as well
        assert process.wait(20) == 130
        assert process.stderr
        assert process.stderr.read().startswith(b"Interrupted.")


def asked(memory: Memory, headers: dict[str, str], body: dict[str, Any] | None = None) -> httpx2.Response:
    """The answer of the HTTP application to one request."""
    with TestClient(http_application(memory, 8766, TOKEN), base_url="http://127.0.0.1:8766") as client:
        return client.post("/mcp", json=body or HELLO, headers={**ACCEPT, **headers})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (BEARER, 200),
        ({"Authorization": f"bearer  {TOKEN}"}, 200),
        ({}, 401),
        ({"Authorization": TOKEN}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}x"}, 401),
        ({**BEARER, "Host": "elsewhere.example"}, 421),
        ({**BEARER, "Host": "127.0.0.1:9"}, 421),
        ({**BEARER, "Origin": "http://elsewhere.example"}, 403),
        ({**BEARER, "Origin": "http://127.0.0.1:9"}, 403),
        ({**BEARER, "Origin": "https://127.0.0.1:8766"}, 403),
        ({**BEARER, "Origin": "null"}, 403),
        ({**BEARER, "Origin": "http://127.0.0.1:8766"}, 200),
        ({**BEARER, "Origin": "http://localhost:8766"}, 200),
        ({"Origin": "http://127.0.0.1:8766"}, 401),
    ],
)
def test_http_needs_the_token_and_comes_from_no_page(memory: Memory, headers: dict[str, str], status: int) -> None:
    """Without the token nothing is answered; with it, no page of another origin and no other name of this host is."""
    assert asked(memory, headers).status_code == status


def test_the_client_of_the_sdk_over_http(memory: Memory) -> None:
    """Over HTTP a client recalls and proposes as over any other transport."""

    async def talk() -> None:
        app = http_application(memory, 8766, TOKEN)
        transport = httpx2.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, headers=BEARER) as http,
            Client(streamable_http_client("http://127.0.0.1:8766/mcp", http_client=http)) as client,
        ):
            result = await client.call_tool("memory_recall", {"question": "mirror host"})
            assert "elder" in result.content[0].text
            proposed = await client.call_tool("memory_remember", {"text": "The backup host is called alder."})
            assert proposed.structured_content
            assert proposed.structured_content["outcome"] == "waits"

    anyio.run(talk)
    assert [item.proposal.proposer for item in memory.review.queue()] == ["mcp:mcp"]


def test_missing_extra_is_named(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the command names the extra; its help needs none."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    ran = cli("mcp")
    assert ran.code == 2
    assert "`mcp` extra" in ran.err
    assert cli("mcp", "--help").code == 0


def test_short_token_is_refused(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that could be guessed is none."""
    monkeypatch.setenv(TOKEN_VARIABLE, "short")
    ran = cli("mcp", "--http")
    assert ran.code == 2
    assert "at least 20" in ran.err


@pytest.mark.enable_socket
def test_taken_port_is_said(cli) -> None:
    """A port that somebody has is one clear sentence."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = cli("mcp", "--http", "--port", str(port))
    assert ran.code == 2
    assert f"127.0.0.1:{port} cannot be used" in ran.err
