"""`dopejar serve` starts where it may, and says what to do where it may not."""

from __future__ import annotations

import socket
import sys
import threading
from pathlib import Path

import pytest

from dopejar.compose import open_memory
from dopejar.doors.web import server
from dopejar.doors.web.server import TOKEN_VARIABLE

LONG = "-".join(("a", "token", "of", "a", "test", "only"))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.7.7", "::"])  # noqa: S104 - refused before anything is bound
def test_other_interfaces_are_refused(cli, host: str) -> None:
    """Without a token of one's own the command ends with 3 and says how to go on."""
    ran = cli("serve", "--host", host)
    assert ran.code == 3
    assert TOKEN_VARIABLE in ran.err


def test_short_token_is_refused(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that could be guessed is none."""
    monkeypatch.setenv(TOKEN_VARIABLE, "short")
    ran = cli("serve", "--host", "192.168.7.7")
    assert ran.code == 2
    assert "at least 20" in ran.err


def test_every_interface_needs_a_name(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listening everywhere is refused until it is said by which names the page is asked."""
    monkeypatch.setenv(TOKEN_VARIABLE, LONG)
    ran = cli("serve", "--host", "0.0.0.0")  # noqa: S104 - refused before anything is bound
    assert ran.code == 2
    assert "--allow-host" in ran.err


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "jinja2"])
def test_missing_extra_is_named(cli, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Without the packages of the page, the command names the one that is missing and the extra."""
    monkeypatch.setitem(sys.modules, missing, None)
    ran = cli("serve")
    assert ran.code == 2
    assert missing in ran.err
    assert "`web` extra" in ran.err


@pytest.mark.enable_socket
def test_taken_port_is_said(cli) -> None:
    """A port that somebody has is one clear sentence."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = cli("serve", "--port", str(port))
    assert ran.code == 2
    assert f"127.0.0.1:{port} cannot be used" in ran.err


def test_a_page_that_runs_can_be_opened_from_elsewhere(home: Path) -> None:
    """While it runs, whatever else uses the store makes links to it; afterwards there are none."""
    opening, links = "http://127.0.0.1:8765/open?token=", []

    class Minute(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout == 60
            with open_memory(home) as other:
                links.append(other.page_links.make())
            return True

    with open_memory(home) as memory:
        server._run_housekeeping(memory, opening, Minute())
        assert memory.page_links.make() == ""
    assert [link.startswith(opening) for link in links] == [True]
