"""The way of a bullet as a person goes it: learned, assigned, tried, proven, shared; with pictures for the docs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_sessions import LESSON, MENDED, write_session
from web_world import PASSPHRASE, sentence

from dopejar.engine.dependencies import Speaker
from dopejar.values.episode import Origin

PICTURES = os.environ.get("PICTURES_OF_THE_DOCS", "")


def picture(page, name: str, height: int = 700) -> None:
    """A picture for the documents, where they are wanted."""
    if PICTURES:
        page.wait_for_load_state("networkidle")
        page.mouse.move(0, 0)
        part = {"x": 0, "y": 0, "width": 1100, "height": height}
        page.screenshot(path=Path(PICTURES) / f"{name}.png", clip=part)


@pytest.mark.timeout(120)
def test_bullet_path(page, served, tmp_path: Path) -> None:
    """Insight, staging, assignment, quarantine, two helpful outcomes, active, a third, shared."""
    page.set_viewport_size({"width": 1100, "height": 700})
    page.reload()
    picture(page, "queue")
    page.get_by_role("link", name=sentence(1)).click()
    picture(page, "detail")
    served.write(lambda memory: list(memory.learn([write_session(tmp_path, "upload-client", MENDED)])))

    page.goto(f"{served.address}/?q=schema&kind=bullet")
    page.get_by_role("link", name=LESSON).wait_for()
    picture(page, "path-queue", 440)
    page.get_by_role("link", name=LESSON).click()
    page.get_by_text("the schema is out of date").first.wait_for()
    picture(page, "path-detail")
    page.get_by_role("button", name="Assign left").click()
    page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("status").get_by_text("assigned").wait_for()

    page.goto(f"{served.address}/memories?status=quarantined&side=left")
    page.get_by_role("link", name=LESSON).click()
    page.get_by_text("On trial on the left side: 0 of 2 helpful outcomes").wait_for()
    name = page.url.partition("?")[0].rpartition("/")[2]

    def helped(words: str, session: str, *, as_reviewer: bool = False) -> None:
        tests = Speaker(origin=Origin.TOOL, name="tests")
        served.write(
            lambda memory: memory.bullets.record_outcome(
                name,
                "helpful",
                words,
                speaker=tests,
                session=session,
                reviewer=memory.reviewers.unlock(PASSPHRASE) if as_reviewer else None,
            )
        )

    helped("12 passed after the schema was written anew.", "monday")
    page.reload()
    page.get_by_text("1 of 2 helpful outcomes").wait_for()
    picture(page, "path-trial")
    helped("14 passed; it had been the schema again.", "wednesday", as_reviewer=True)
    helped("14 passed on the release branch.", "friday")
    page.reload()
    page.get_by_text("3 helpful, 0 harmful").wait_for()
    page.get_by_label("It also holds on the other side").check()
    picture(page, "path-active")
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("status").get_by_text("shared").wait_for()
    page.get_by_text("It is shared with both sides.").wait_for()
    page.goto(f"{served.address}/memories?side=shared")
    assert page.locator("[data-row]").count() == 1
    picture(page, "path-shared", 360)
