"""A real browser at a served page; runs with `make test-browser`, and nowhere else.

Takes: the system's Chromium, Playwright, and axe where AXE says it lies. Gives: a page that is open. Never: a request
to any other place.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "doors"))
sys.path.insert(0, str(Path(__file__).parents[1] / "pipelines"))

import web_world
from web_world import PASSPHRASE, add_active_record, fill

from dopejar.compose import open_memory

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out, and say so, unless they are asked for by their mark."""
    mine = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in mine:
        item.add_marker(pytest.mark.browser)
        item.add_marker(pytest.mark.enable_socket)
        if "browser" not in (config.option.markexpr or ""):
            item.add_marker(pytest.mark.skip(reason="needs a browser: `make test-browser`"))


@dataclass
class Served:
    """A served page: its address, its data directory, and what the browser complained of or asked of others."""

    address: str
    link: str
    home: Path
    faults: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> Any:
        """Note every fault of a page and every request that leaves."""
        page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        page.on("console", lambda line: self._said(line.text))
        page.on("request", lambda request: self._asked(request.url))
        page.set_default_timeout(30_000)
        return page

    def _said(self, line: str) -> None:
        if "Content Security Policy" in line or "Error" in line:
            self.faults.append(line)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:")):
            self.faults.append(f"asks {url}")

    def write(self, work: Callable[[Any], None]) -> None:
        """Change the store from another process's place: this one."""
        with open_memory(self.home, said_by="user") as memory:
            work(memory)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """`dopejar serve` with 60 things waiting, some memories, and a reviewer."""
    monkeypatch.setenv("DOPEJAR_EMBEDDER_KIND", "none")
    # said yesterday by the server's clock: what was said long ago would expire under the test
    monkeypatch.setattr(web_world, "BEGAN", datetime.now(UTC).replace(microsecond=0) - timedelta(days=1))
    home = tmp_path / "home"
    with open_memory(home, said_by="user") as memory:
        memory.reviewers.add("ana", PASSPHRASE)
        fill(memory, 60)
        add_active_record(memory, "The crane is inspected on Fridays.", key="World-Fact-Crane")
        add_active_record(memory, "The pilots meet at the north quay.", key="World-Fact-Pilots")
    server = subprocess.Popen(
        [sys.executable, "-m", "dopejar.doors.cli", "serve", "--home", str(home), "--port", "0", "--json"],
        stdout=subprocess.PIPE, text=True, cwd=tmp_path, env={**os.environ},
    )  # fmt: skip
    try:
        assert server.stdout
        link = json.loads(server.stdout.readline())["link"]
        yield Served(address=link.partition("/open")[0], link=link, home=home)
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The system's browser."""
    from playwright.sync_api import sync_playwright

    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    assert program, "no Chromium is installed; install the system's package"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, served: Served) -> Iterator[Any]:
    """A tab at the queue, opened by the link; a fault of it fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    tab = served.watch(context.new_page())
    tab.goto(served.link)
    tab.wait_for_url(f"{served.address}/")
    yield tab
    context.close()
    assert served.faults == []
