"""Each page in light, dark and narrow: nothing that axe calls serious, nothing wider than the window, a picture."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import median

import pytest
from web_world import PASSPHRASE, fill

AXE = Path(os.environ.get("AXE", "axe.min.js"))
LOOKS = {"light": ("light", 1280), "dark": ("dark", 1280), "narrow": ("light", 390), "narrow-dark": ("dark", 390)}


def addresses(page, served) -> dict[str, str]:
    """One address of each page."""
    waiting = page.locator("[data-open]").first.get_attribute("href")
    page.goto(f"{served.address}/memories")
    memory = page.locator("[data-open]").first.get_attribute("href")
    page.goto(f"{served.address}/ledger")
    act = page.locator("a[href^='/acts/']").first.get_attribute("href")
    return {
        "queue": "/", "flagged": "/?flagged=1", "empty": "/?q=zeppelin", "bulk": "/bulk?from=0.6", "detail": waiting,
        "memories": "/memories", "memory": memory, "erase": f"{memory}/erase", "ledger": "/ledger", "act": act,
        "chain": "/ledger/verify", "overview": "/overview",
        "graph": "/graph?name=ferry", "help": "/help", "missing": "/proposals/p_none",
    }  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.timeout(300)
def test_pages_can_be_used_by_everybody(page, served, look: str, tmp_path: Path) -> None:
    """Axe finds nothing serious, and no page scrolls sideways."""
    assert AXE.is_file(), "axe is missing; `make test-browser` fetches it"
    pictures = Path(os.environ.get("PICTURES", tmp_path))
    pictures.mkdir(parents=True, exist_ok=True)
    scheme, width = LOOKS[look]
    script = AXE.read_text("utf-8")
    found = []
    served.write(lambda memory: memory.remember("The ferry leaves at noon, and the crane is green."))
    pages = addresses(page, served)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 860})
    for name, address in pages.items():
        page.goto(served.address + address)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=pictures / f"{name}-{look}.png", full_page=True)
        found += _faults(page, script, name)
    page.goto(served.address)
    page.get_by_role("button", name="Approve").first.click()
    page.get_by_label("Passphrase").wait_for()
    page.screenshot(path=pictures / f"reviewer-{look}.png")
    found += _faults(page, script, "reviewer")
    page.get_by_label("Passphrase").fill(PASSPHRASE)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("status").wait_for()
    page.screenshot(path=pictures / f"decided-{look}.png")
    found += _faults(page, script, "decided")
    served.faults[:] = [one for one in served.faults if "status of 40" not in one]
    assert found == []


def _faults(page, script: str, name: str) -> list[str]:
    page.evaluate(script)
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    faults = [f"{name}: {wide} px too wide"] if wide > 0 else []
    serious = [one for one in result["violations"] if one["impact"] in ("serious", "critical")]
    return faults + [f"{name}: {one['id']} {one['nodes'][0]['html'][:160]}" for one in serious]


@pytest.mark.timeout(300)
def test_a_long_queue_is_painted_as_soon_as_a_short_one(page, served, capsys: pytest.CaptureFixture[str]) -> None:
    """The first paint of the queue does not wait for 10,000 proposals; says the median of seven loads of each."""
    short = _first_paint_ms(page, served.address)
    served.write(lambda memory: fill(memory, 10_000, first=100))
    long = _first_paint_ms(page, served.address)
    with capsys.disabled():
        sys.stdout.write(f"\nfirst paint with 60 / 10,060 waiting: {short:.0f} / {long:.0f} ms\n")
    assert long < short + 500


def _first_paint_ms(page, address: str) -> float:
    """The median time from a request for the queue to what is first seen of it."""
    paints = []
    for _ in range(7):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    return median(paints)
