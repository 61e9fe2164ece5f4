"""The MCP server under programs that are not ours: the Inspector's command line and the protocol's conformance suite.

Takes: a folder into which npm installed both. Gives: one JSON object with how many calls and scenarios ran, and what
each that failed said. Never: counts a scenario that asks for the tools of the suite's own example server.

    npm install --prefix DIR @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16
    python -m benchmarks.mcp_conformance DIR

Both need Node 22 on the PATH. The Inspector lists and calls everything over both transports and both handshakes.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from dopejar.compose import open_memory
from dopejar.doors.mcp.bearer_access import TOKEN_VARIABLE
from dopejar.doors.mcp.server import HOST, http_application

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_COMMAND: Final = (sys.executable, "-m", "dopejar.doors.cli", "mcp")
_HANDSHAKES: Final = ("legacy", "modern")
_SECONDS: Final = 60

# Every other scenario names tools, resources or prompts of the suite's example server, or needs what ours does not
# declare: logging, completions, subscriptions.
SCENARIOS: Final = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)


def inspections(memory_id: str, turn_id: str, bullet_id: str) -> list[list[str]]:
    """What the Inspector asks: every list, every tool, resource and prompt."""
    calls: dict[str, dict[str, Any]] = {
        "memory_recall": {"question": "the mirror host"},
        "memory_search": {"query": "the mirror host", "with_quotations": True},
        "memory_list": {"limit": 5},
        "memory_history": {"id": memory_id},
        "memory_review_queue": {},
        "memory_check": {"tool": "Bash", "input": {"command": "git push"}},
        "memory_remember": {"text": "The backup host is alder.", "dry_run": True},
        "memory_propose_correction": {"id": memory_id, "text": "The mirror host is rowan.", "dry_run": True},
        "memory_forget": {"what": memory_id, "dry_run": True},
        "memory_feedback": {"id": bullet_id, "outcome": "helpful", "dry_run": True},
        "search": {"query": "the mirror host"},
        "fetch": {"id": memory_id},
    }
    uris = (f"dopejar://record/{memory_id}", f"dopejar://episode/{turn_id}", "dopejar://guidance")
    return [
        ["--method", "tools/list", "--strict"],
        *(
            ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)]
            for name, arguments in calls.items()
        ),
        ["--method", "resources/list"],
        ["--method", "resources/templates/list"],
        *(["--method", "resources/read", "--uri", uri] for uri in uris),
        ["--method", "prompts/list"],
        ["--method", "prompts/get", "--prompt-name", "with_memory", "--prompt-args", "task=the mirror host"],
    ]


@contextmanager
def http_server(environment: dict[str, str]) -> Iterator[str]:
    """The address of a server over HTTP."""
    with subprocess.Popen(  # noqa: S603 - this interpreter
        [*_COMMAND, "--http", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.terminate()


def inspect(modules: Path, environment: dict[str, str], asked: list[list[str]]) -> dict[str, object]:
    """Ask the Inspector for everything over each transport with each handshake."""
    inspector = ["node", str(modules / ".bin" / "mcp-inspector"), "--cli", "--quiet", "--format", "json"]
    failed: list[str] = []
    with http_server(environment) as address:
        bearer = ["--header", f"Authorization: Bearer {environment[TOKEN_VARIABLE]}"]
        own = ["-e", f"DOPEJAR_HOME={environment['DOPEJAR_HOME']}", *_COMMAND]  # it hands on a few variables alone
        targets = {"stdio": own, "http": [address, "--transport", "http", *bearer]}
        for transport, target in targets.items():
            for handshake in _HANDSHAKES:
                for words in asked:
                    ran = _run([*inspector, *target, "--protocol-era", handshake, *words], environment)
                    if ran.returncode:
                        failed.append(f"{transport} {handshake} {' '.join(words)}: {ran.stdout}{ran.stderr}")
    return {"calls": len(asked) * len(targets) * len(_HANDSHAKES), "failed": failed}


def conform(modules: Path, environment: dict[str, str], address: str) -> dict[str, object]:
    """Run the scenarios of the conformance suite that apply."""
    suite = ["node", str(modules / ".bin" / "conformance"), "server", "--url", address]
    failed: list[str] = []
    for scenario in SCENARIOS:
        ran = _run([*suite, "--scenario", scenario], environment)
        if ran.returncode:
            failed.append(f"{scenario}: {ran.stdout.strip()}")
    return {"scenarios": len(SCENARIOS), "failed": failed}


def _run(words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the two programs that are asked for
        words, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )


class _WithToken:
    """The application as one who has the token sees it: the suite has no option for a header."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._header = app, (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "headers": [*scope.get("headers", ()), self._header]}, receive, send)


@contextmanager
def own_server(home: Path) -> Iterator[str]:
    """The address of the server's HTTP application in a process of its own, to which the token is added."""
    words = [sys.executable, "-m", "benchmarks.mcp_conformance", "--serve", str(home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - this file
        assert process.stdout
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.terminate()


def serve(home: Path) -> None:
    """Serve a store with its token added, until ended."""
    token = secrets.token_urlsafe(32)
    with open_memory(home) as memory, socket.socket() as listener:
        listener.bind((HOST, 0))
        listener.listen()
        port = listener.getsockname()[1]
        app = _WithToken(http_application(memory, port, token), token)
        sys.stdout.write(f"http://{HOST}:{port}/mcp\n")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on")).run(sockets=[listener])


def filled(home: Path) -> list[list[str]]:
    """Fill a store with a fact, a turn and a bullet; what the Inspector asks about them."""
    with open_memory(home, said_by="user") as memory:
        passphrase = secrets.token_urlsafe(16)
        memory.reviewers.add("reviewer", passphrase)
        reviewer = memory.reviewers.unlock(passphrase, name="reviewer")
        bullet = memory.bullets.add_to_hemisphere("Run the linter before a commit.", "left", reviewer=reviewer)
        memory.remember("The mirror host is elder.")
        (record,) = (one for one in memory.list() if one.text.startswith("The mirror host"))
        ((_, turn), *_) = memory.history(record.id).evidence
        assert turn
        return inspections(record.id, turn.id, bullet.id)


def main() -> None:
    """Parse the arguments, run both, print what they found as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder into which npm installed the Inspector and the suite")
    parser.add_argument("--serve", action="store_true", help="only serve the store in DIR, as the suite needs it")
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.folder)
        return
    modules = (arguments.folder / "node_modules").resolve(strict=True)
    with tempfile.TemporaryDirectory(prefix="dopejar-conformance-") as made:
        home = Path(made) / "store"
        asked = filled(home)
        variables = {"DOPEJAR_HOME": str(home), "HOME": made, TOKEN_VARIABLE: secrets.token_urlsafe(32)}
        environment = {**os.environ, **variables}
        inspected = inspect(modules, environment, asked)
        with own_server(home) as address:
            found = {"inspector": inspected, "conformance": conform(modules, environment, address)}
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    sys.exit(bool(found["inspector"]["failed"] or found["conformance"]["failed"]))


if __name__ == "__main__":
    main()
