"""Every flow of the page in a real browser, with the mouse, with the keyboard alone, and without scripts."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from web_world import PASSPHRASE, fill, sentence

NAME = """(() => {
  const at = document.activeElement;
  return at.matches("input, select") ? at.name : at.innerText.trim();
})()"""


def rows(page) -> list[str]:
    """The texts of the rows on show."""
    return page.locator("[data-row]").evaluate_all("all => all.map(row => row.dataset.text)")


def unlock(page) -> None:
    """Give the passphrase where the page asks who decides."""
    page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
    page.get_by_role("button", name="Continue").click()


def test_keyboard_alone(page) -> None:
    """Without a mouse: move, approve, give the passphrase, reject with a reason, edit, pick, search, undo."""
    before = rows(page)
    for key in ("j", "j", "j", "k"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.closest('[data-row]').dataset.text") == before[1]
    page.keyboard.press("a")
    page.locator("[name=passphrase]:focus").wait_for()  # visible comes before focused, and keys would be lost
    page.keyboard.type(PASSPHRASE)
    page.keyboard.press("Enter")
    page.get_by_role("status").wait_for()
    assert before[1] not in rows(page)

    page.keyboard.press("j")
    target = page.evaluate("document.activeElement.closest('[data-row]').dataset.text")
    page.keyboard.press("r")
    page.keyboard.type("only true that day")
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("rejected").wait_for()
    assert target not in rows(page)

    page.keyboard.press("/")
    page.keyboard.type("tide table")
    page.wait_for_url(re.compile("q=tide(?:[+]|%20)table"))
    assert all("tide table" in text for text in rows(page))
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.locator("textarea:focus").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.type("Read the tide table twice.")
    page.keyboard.press("Tab")  # the scope
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("button:focus", has_text="Approve it so").wait_for()
    assert page.locator("ins").count()
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("approved").wait_for()

    undo = page.get_by_role("status").get_by_role("button", name="Undo")
    undo.focus()
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("undone").wait_for()
    page.keyboard.press("?")
    page.get_by_role("heading", name="Help").wait_for()


def test_everything_is_reached_by_tab(page) -> None:
    """Tab alone reaches the pages, the filters and the first row's decisions, in the order they are seen."""
    reached = []
    for _ in range(28):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(NAME))
    wanted = ["Skip to content", "Memory", "Ledger", "Overview", "Help", "q", "kind", sentence(0), "Left"]
    places = [next(at for at, name in enumerate(reached) if name == one) for one in wanted]
    assert places == sorted(places)


def test_row_that_is_decided_leaves_the_next_one_at_hand(page) -> None:
    """After a decision the focus stays in its place, so that `a a a` works through the queue."""
    before = rows(page)
    page.keyboard.press("j")
    page.keyboard.press("a")
    unlock(page)
    page.get_by_role("status").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("a")
    page.locator("[data-row]:focus-within", has_text=before[2]).wait_for()
    page.keyboard.press("a")
    page.locator("[data-row]:focus-within", has_text=before[3]).wait_for()
    assert rows(page)[:10] == before[3:13]


def test_picked_ones_in_one_act_and_undone(page) -> None:
    """Tick all, approve together, undo: the queue is as it was."""
    page.goto(page.url + "?kind=fact")
    before = rows(page)
    page.get_by_label("Select all rows of this page").check()
    page.locator(".picked").get_by_role("button", name="Approve").click()
    unlock(page)
    page.get_by_role("status").wait_for()
    assert f"{len(before)} memories approved" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("undone").wait_for()
    assert rows(page) == before


def test_sure_ones_and_flagged_ones(page) -> None:
    """The counts lead to the sure ones, which are approved in one act, and to the flagged ones."""
    page.get_by_role("link", name=re.compile("confident…")).click()
    page.get_by_role("button", name=re.compile("in one act")).wait_for()
    page.locator("[name=pick]").first.uncheck()
    ticked = page.locator("[name=pick]:checked").count()
    assert page.locator("[data-approve-picked]").inner_text() == f"Approve {ticked} in one act"
    page.get_by_label("Minimum confidence").fill("0.7")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url(re.compile("from=0.7"))
    page.get_by_role("button", name=re.compile("in one act")).click()
    unlock(page)
    assert "approved" in page.get_by_role("status").inner_text()
    page.get_by_role("link", name=re.compile("flagged")).click()
    page.wait_for_url(re.compile("flagged=1"))
    assert set(rows(page)) == {sentence(number) for number in range(4, 60, 12)}


def test_counts_follow_another_process(page, served) -> None:
    """What another process stages shows by itself; where somebody works in the list, the page offers to reload."""
    served.write(lambda memory: fill(memory, 3, first=900))
    page.locator(".pager", has_text="of 63").wait_for()
    page.locator("[name=pick]").first.check()
    served.write(lambda memory: fill(memory, 2, first=950))
    page.get_by_text("The queue has changed").wait_for()
    assert page.locator("#waiting").inner_text() == "65"
    assert page.locator("[name=pick]:checked").count() == 1
    assert page.locator(".pager").inner_text().startswith("1–50 of 63")
    page.get_by_text("The queue has changed").click()
    page.locator(".pager", has_text="of 65").wait_for()


def test_two_reviewers_at_once(page, served, chromium) -> None:
    """The later one of two is told who was quicker, and nothing is decided twice."""
    served.write(lambda memory: memory.reviewers.add("ben", PASSPHRASE + "s", memory.reviewers.unlock(PASSPHRASE)))
    page.goto(f"{served.address}/help")
    page.get_by_role("button", name="Create a link").click()
    link = page.locator("code.long").inner_text()
    second = served.watch(chromium.new_context().new_page())
    second.goto(link)
    second.wait_for_url(f"{served.address}/")
    page.goto(served.address)
    first_row = rows(page)[1]
    second.get_by_role("row").filter(has_text=first_row).get_by_role("button", name="Approve").click()
    second.get_by_label("Passphrase", exact=True).fill(PASSPHRASE + "s")
    second.get_by_role("button", name="Continue").click()
    second.get_by_role("status").wait_for()
    page.get_by_role("row").filter(has_text=first_row).get_by_role("button", name="Approve").click()
    unlock(page)
    page.get_by_role("heading", name="Somebody else decided first").wait_for()
    assert "approved by ben" in page.locator("main").inner_text()
    served.faults[:] = [one for one in served.faults if "409" not in one and "403" not in one]
    second.context.close()


def test_a_decision_is_no_higher_than_a_screen_and_a_half(page, served, tmp_path: Path) -> None:
    """Before anything is unfolded, the page of a decision is short, however long the turns; SESSIONS names others."""
    words = "The tide was high, and the crane was green again. " * 40
    talk = [
        ("user", "Add a retry."),
        ("assistant", f"Done, committed to main. {words}"),
        ("user", f"no, never commit to main. {words}"),
        ("assistant", words),
    ]
    lines = [{"role": role, "content": said, "ts": "2026-03-05T09:00:00+00:00"} for role, said in talk]
    (tmp_path / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    sessions = sorted(Path(os.environ.get("SESSIONS") or tmp_path).glob("*.jsonl"))
    page.goto(f"{served.address}/?per=200")
    known = set(rows(page))
    served.write(lambda memory: list(memory.learn(sessions)))
    page.goto(f"{served.address}/?per=200")
    new = [row for row in page.locator("[data-row]").all() if row.get_attribute("data-text") not in known]
    addresses = [row.locator("[data-open]").get_attribute("href") for row in new]
    assert addresses
    screens = {}
    for address in addresses:
        page.goto(served.address + address)
        screens[address] = page.evaluate("document.querySelector('main').getBoundingClientRect().bottom / innerHeight")
    assert {address: round(height, 2) for address, height in screens.items() if height > 1.5} == {}


def test_detail_assigns_a_bullet(page) -> None:
    """From a row to its page; the other side than the suggested one is chosen; it goes on trial there."""
    page.get_by_role("link", name=sentence(0)).click()
    assert page.locator("mark").first.inner_text() == sentence(0)
    page.get_by_role("button", name="Assign right").click()
    unlock(page)
    assert "assigned" in page.get_by_role("status").inner_text()
    page.goto(page.url.partition("?")[0] + "memories?status=quarantined&side=right")
    assert page.get_by_role("link", name=sentence(0)).is_visible()


def test_memory_is_deprecated_brought_back_and_erased(page, served) -> None:
    """A memory leaves use, comes back, and is erased after its preview."""
    page.goto(f"{served.address}/memories")
    page.get_by_label("Search").fill("pilot")
    page.get_by_role("link", name="The crane").wait_for(state="detached")
    page.get_by_role("link", name="The pilots").click()
    page.get_by_role("button", name="Deprecate").click()
    unlock(page)
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("button", name="Deprecate").wait_for()
    page.get_by_role("link", name="Erase").click()
    page.get_by_label("Erase this memory permanently").check()
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("heading", name="Erased").wait_for()
    page.goto(f"{served.address}/memories?status=")
    assert "north quay" not in page.content()


def test_ledger_and_overview(page, served) -> None:
    """The ledger filters as one types; its chain holds; the overview tells the week and unfolds its chart."""
    page.goto(f"{served.address}/ledger")
    page.get_by_label("Action").select_option("erase")
    page.get_by_text("No entry matches").wait_for()
    page.goto(f"{served.address}/ledger/verify")
    assert "The hash chain is intact" in page.locator("main").inner_text()
    served.write(lambda memory: memory.remember("The ferry leaves at noon."))
    page.goto(f"{served.address}/overview")
    page.locator("#week").get_by_text("The ferry leaves at noon").wait_for()
    page.get_by_text("Changes per day", exact=True).first.click()
    page.locator(".uplot canvas").first.wait_for()
    page.get_by_text("Hygiene", exact=True).click()
    page.locator(".figure").wait_for()


def test_without_scripts(chromium, served) -> None:
    """With scripts switched off one can filter, decide, give the passphrase, undo and go through the pages."""
    context = chromium.new_context(java_script_enabled=False)
    page = served.watch(context.new_page())
    page.goto(served.link)
    page.wait_for_url(f"{served.address}/")
    page.get_by_label("Kind").select_option("fact")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url(re.compile("kind=fact"))
    page.get_by_role("button", name="Approve").first.click()
    unlock(page)
    assert "approved" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Undo").click()
    assert "undone" in page.get_by_role("status").inner_text()
    page.get_by_role("link", name="Reject…").first.click()
    page.get_by_label("Reason for rejecting").fill("not so")
    page.get_by_role("button", name="Reject").click()
    assert "rejected" in page.get_by_role("status").inner_text()
    for name in ("Memory", "Ledger", "Overview"):
        page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name=name).click()
        assert page.locator("h1").inner_text() == name
    page.get_by_text("Hygiene", exact=True).click()
    page.get_by_role("link", name="Check all active memories").click()
    assert "from 0 to 1" in page.locator(".figure").inner_text()
    context.close()
