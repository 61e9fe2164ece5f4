"""Decisions in the browser: one act each, undoable, and only about the versions on screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from web_client import Web, browser
from web_world import PASSPHRASE, add_active_record, fill, sentence, unlocked

from dopejar.compose import open_memory
from dopejar.errors import NotFoundError
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Action, ProposalState
from dopejar.values.record import Kind, Record, Status


@pytest.fixture
def web(home: Path) -> Iterator[Web]:
    """An opened browser in which ana decides, with 30 proposals waiting."""
    with open_memory(home, said_by="user") as memory:
        memory.reviewers.add("ana", PASSPHRASE)
        fill(memory, 30)
        yield browser(memory).open().as_reviewer()


def waiting(web: Web, number: int) -> str:
    """The id of the proposal with this sentence."""
    return next(item.proposal.id for item in web.memory.review.queue() if item.text == sentence(number))


def record_of(web: Web, name: str) -> Record:
    """The record of a proposal as it stands."""
    with web.memory.store.read() as view:
        found = view.record(RecordId(name.replace("p_", "m_")))
    assert found
    return found


def seen(name: str, version: int = 1) -> tuple[str, str]:
    """What a row of the page says of the version that is shown."""
    return ("seen", f"{name}:{version}")


def done(location: str) -> str:
    """The act in the address that follows a decision."""
    return re.search(r"done=(a_\w+)", location).group(1)


def test_approve_tells_what_was_done_and_undo_takes_it_back(web: Web) -> None:
    """Approve makes it active by name, the next page says so with an undo, and the undo brings it back to the queue."""
    name = waiting(web, 3)
    answer = web.post(f"/proposals/{name}/approve", [seen(name), ("back", "/?kind=fact")])
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert location.startswith("/?kind=fact&done=a_")
    record = record_of(web, name)
    assert (record.status, record.approved_by) == (Status.ACTIVE, "ana")
    page = web.get(location).text
    assert "1 memory approved" in page
    act = done(location)
    assert f"/acts/{act}/undo" in page
    undone = web.post(f"/acts/{act}/undo", {"back": "/"})
    assert "1 memory undone" in web.get(undone.headers["location"]).text
    assert record_of(web, name).status is Status.STAGED
    assert waiting(web, 3) == name


def test_reject_keeps_the_reason(web: Web) -> None:
    """A rejected proposal stays, with who rejected it and why."""
    name = waiting(web, 1)
    web.post(f"/proposals/{name}/reject", [seen(name), ("reason", "only true that day")])
    gone = web.memory.review.queue((ProposalState.REJECTED,))[0].proposal
    assert (gone.id, gone.reviewer, gone.reason) == (name, "ana", "only true that day")
    page = web.get(f"/proposals/{name}").text
    assert "only true that day" in page
    assert "Approve" not in page.partition("<main")[2]


def test_an_erasure_is_confirmed_on_its_own_page(web: Web) -> None:
    """What nothing takes back is neither approved with a key, nor among others; its page leads to what would go."""
    name = add_active_record(web.memory, "The doctor Zvoltan lives in Evora.")
    web.memory.review.forget("Zvoltan", said_by="user")
    (erasing,) = (one.proposal for one in web.memory.review.queue() if one.proposal.action is Action.ERASE)
    shown = seen(erasing.id, erasing.version)
    for path, more in ((f"/proposals/{erasing.id}/approve", ()), ("/decide", (("pick", erasing.id),))):
        answer = web.post(path, [shown, *more])
        assert (answer.status_code, "cannot be undone" in answer.text) == (400, True)
    page = web.get(f"/proposals/{erasing.id}").text
    assert (f'href="/memories/{name}/erase"' in page, ">Approve</button>" in page) == (True, False)
    assert erasing.id not in web.get("/bulk?from=0").text
    assert f"{erasing.id}/approve" not in web.get("/").text
    assert "Evora" in web.get(f"/memories/{name}/erase").text
    assert web.post(f"/memories/{name}/erase", {"sure": "erase"}).status_code == 200
    assert not [one for one in web.memory.review.queue() if name in str(one.proposal.targets)]


def test_edit_approves_other_words(web: Web) -> None:
    """The new words are remembered, the evidence stays."""
    name = waiting(web, 3)
    fields = [seen(name), ("text", "Compare the totals twice.")]
    shown = web.post(f"/proposals/{name}/edit", fields)
    assert record_of(web, name).status is Status.STAGED
    assert "<ins>" in shown.text
    assert "twice" in shown.text
    web.post(f"/proposals/{name}/edit", [*fields, ("confirmed", " Compare the totals twice.")])
    assert record_of(web, name).text == "Compare the totals twice."
    with web.memory.store.read() as view:
        assert len(view.evidence(RecordId(name.replace("p_", "m_")))) == 1


def test_edit_moves_a_proposal_to_another_scope(web: Web) -> None:
    """A scope from the list is shown first, and then it holds there."""
    name = waiting(web, 3)
    fields = [seen(name), ("text", sentence(3)), ("scope", "language:go")]
    shown = web.post(f"/proposals/{name}/edit", fields)
    assert "<ins>go</ins>" in shown.text
    web.post(f"/proposals/{name}/edit", [*fields, ("confirmed", f"language:go {sentence(3)}")])
    record = record_of(web, name)
    assert (str(record.scope), record.status) == ("language:go", Status.ACTIVE)


def test_empty_edit_is_refused_in_one_sentence(web: Web) -> None:
    """No words are no memory."""
    name = waiting(web, 3)
    answer = web.post(f"/proposals/{name}/edit", [seen(name), ("text", "   ")])
    assert answer.status_code == 400
    assert "The new text is empty" in answer.text


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("number", [0, 4])
def test_bullet_is_assigned_by_hand(web: Web, number: int, side: str) -> None:
    """A bullet goes on trial on the side that the person chose, also an unclear one; the add does not wait any more."""
    name = waiting(web, number)
    answer = web.post(f"/proposals/{name}/assign", [seen(name), ("side", side)])
    assert answer.status_code == 303
    record = record_of(web, name)
    assert (record.kind, record.status, record.side.value) == (Kind.BULLET, Status.QUARANTINED, side)
    assert len(web.memory.review.queue()) == 29


def test_side_has_to_be_one(web: Web) -> None:
    """Any other side is refused, and nothing changes."""
    name = waiting(web, 0)
    assert web.post(f"/proposals/{name}/assign", [seen(name), ("side", "up")]).status_code == 400
    assert len(web.memory.review.queue()) == 30


@pytest.mark.parametrize(("decision", "state"), [("approve", "active"), ("reject", "rejected")])
def test_picked_ones_are_one_act(web: Web, decision: str, state: str) -> None:
    """Whatever is picked is decided in one act, which one undo takes back whole."""
    names = [waiting(web, number) for number in (1, 3, 5)]
    fields = [("decision", decision), ("reason", "why not"), *(("pick", name) for name in names)]
    answer = web.post("/decide", [*fields, *(seen(name) for name in names)])
    assert {record_of(web, name).status.value for name in names} == {state}
    act = done(answer.headers["location"])
    assert f"/acts/{act}/undo" in web.get(answer.headers["location"]).text
    web.post(f"/acts/{act}/undo")
    assert len(web.memory.review.queue()) == 30


def test_what_cannot_be_approved_is_named_and_the_rest_is_approved(web: Web) -> None:
    """An unclear bullet among the picked ones is left waiting, and the page says which and why."""
    names = [waiting(web, number) for number in (3, 4)]
    answer = web.post("/decide", [("decision", "approve"), *(("pick", name) for name in names), *map(seen, names)])
    assert (answer.status_code, "suits neither side" in answer.text) == (200, True)
    assert f"/proposals/{names[1]}" in answer.text
    assert [record_of(web, name).status for name in names] == [Status.ACTIVE, Status.STAGED]


def test_nothing_picked_is_said(web: Web) -> None:
    """An empty pick is a clear sentence."""
    answer = web.post("/decide", {"decision": "approve"})
    assert answer.status_code == 400
    assert "Nothing is selected" in answer.text


def test_sure_ones_are_approved_as_shown(web: Web) -> None:
    """The page of the sure ones holds what it will approve: sure enough, no flag; bullets go to the suggested side."""
    page = web.get("/bulk?from=0.6").text
    names = re.findall(r'name="pick" value="(p_\w+)"', page)
    assert names
    assert waiting(web, 4) not in names, "flagged"
    fields = re.findall(r'name="(pick|seen)" value="([^"]+)"', page)
    answer = web.post("/decide", [("decision", "approve"), *fields])
    assert answer.status_code == 303
    assert {record_of(web, name).status.value for name in names} <= {"active", "quarantined"}
    assert len(web.memory.review.queue()) == 30 - len(names)
    assert f"{len(names)} memories approved" in web.get(answer.headers["location"]).text


def test_later_one_is_told_who_was_quicker(web: Web) -> None:
    """Of two reviewers the later one changes nothing, and reads what the other did."""
    name = waiting(web, 3)
    web.memory.review.reject([name], unlocked(web.memory, "ben"), "not so", seen=web.memory.review.versions())
    for path, fields in (
        (f"/proposals/{name}/approve", []),
        (f"/proposals/{name}/reject", []),
        (f"/proposals/{name}/edit", [("text", "Other words.")]),
    ):
        answer = web.post(path, [seen(name), *fields])
        assert answer.status_code == 409
        assert "rejected by ben" in answer.text
    assert record_of(web, name).status is Status.REJECTED


def test_two_at_once_decide_each_thing_once(web: Web) -> None:
    """Two browsers that decide about the same things at the same time: each thing is decided by exactly one of them."""
    names = [waiting(web, number) for number in (1, 3, 5, 7, 9, 11)]
    other = web.another().as_reviewer()

    def work(item: Web, decision: str) -> list[int]:
        return [item.post(f"/proposals/{name}/{decision}", [seen(name)]).status_code for name in names]

    with ThreadPoolExecutor(2) as pool:
        approving, rejecting = pool.submit(work, web, "approve"), pool.submit(work, other, "reject")
        answers = list(zip(approving.result(), rejecting.result(), strict=True))
    assert [sorted(pair) for pair in answers] == [[303, 409]] * len(names)
    ends = ["active" if approved == 303 else "rejected" for approved, _ in answers]
    assert [record_of(web, name).status.value for name in names] == ends


def test_rest_of_a_pick_can_go_on(web: Web) -> None:
    """Where some of a pick were decided meanwhile, nothing is changed at first and the rest is offered."""
    names = [waiting(web, number) for number in (1, 3, 5)]
    web.memory.review.approve([names[1]], unlocked(web.memory, "ben"), seen=web.memory.review.versions())
    fields = [("decision", "approve"), *(("pick", name) for name in names), *(seen(name) for name in names)]
    answer = web.post("/decide", fields)
    assert answer.status_code == 409
    assert "approved by ben" in answer.text
    assert [record_of(web, name).status.value for name in names] == ["staged", "active", "staged"]
    form = answer.text.partition("<main")[2]
    again = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    assert web.post("/decide", [item for item in again if item[0] != "csrf"]).status_code == 303
    assert {record_of(web, name).status.value for name in names} == {"active"}


def test_changed_proposal_is_reviewed_again(web: Web) -> None:
    """A proposal that has another version than the one shown is not decided about."""
    name = waiting(web, 3)
    answer = web.post(f"/proposals/{name}/approve", [seen(name, 7)])
    assert answer.status_code == 409
    assert "changed since you saw it" in answer.text
    assert record_of(web, name).status is Status.STAGED


def test_second_undo_is_refused_and_changes_nothing(web: Web) -> None:
    """An undo that was clicked twice does its work once."""
    name = waiting(web, 3)
    act = done(web.post(f"/proposals/{name}/approve", [seen(name)]).headers["location"])
    web.post(f"/acts/{act}/undo")
    again = web.post(f"/acts/{act}/undo")
    assert again.status_code in (303, 400, 403, 409)
    assert record_of(web, name).status is Status.STAGED
    assert len(web.memory.review.queue()) == 30


def test_deprecate_and_bring_back(web: Web) -> None:
    """A memory leaves use and comes back, each under the reviewer's name."""
    record = add_active_record(web.memory, "The crane is green.")
    web.post(f"/memories/{record}/deprecate")
    page = web.get(f"/memories/{record}").text
    assert ">Restore<" in page
    assert ">Deprecate<" not in page
    assert record_of(web, record).status is Status.DEPRECATED
    web.post(f"/memories/{record}/bring-back")
    assert record_of(web, record).status is Status.ACTIVE


def test_erasing_shows_first_and_asks_twice(web: Web) -> None:
    """The preview changes nothing, nor does the form without its tick; with it the words are gone, and it says so."""
    record = add_active_record(web.memory, "The combination is in the blue folder.")
    preview = web.get(f"/memories/{record}/erase").text
    assert "<mark>The combination is in the blue folder.</mark>" in preview
    assert web.post(f"/memories/{record}/erase").status_code == 400
    assert record_of(web, record).status is Status.ACTIVE
    answer = web.post(f"/memories/{record}/erase", {"sure": "erase"})
    assert answer.status_code == 200
    assert "not found" in answer.text
    assert "blue folder" not in answer.text
    assert "blue folder" not in web.get(f"/memories/{record}").text
    assert record_of(web, record).status is Status.ERASED


def test_flash_says_only_what_the_ledger_says(web: Web) -> None:
    """An address cannot make the page claim that something was done."""
    for made_up in ("a_zzzz", "<b>all approved</b>", "a_", "m_x"):
        assert 'role="status"' not in web.get(f"/?done={made_up}").text


def test_read_only_page_still_shows(web: Web) -> None:
    """An undo of something unknown is refused with 404, not with a fault of the program."""
    assert web.post("/acts/a_zzzz/undo").status_code == 404
    with pytest.raises(NotFoundError):
        web.memory.history("m_zzzz")


@pytest.mark.parametrize(
    ("decision", "fields"),
    [("approve", []), ("reject", []), ("edit", [("text", "Other words.")]), ("assign", [("side", "left")])],
)
def test_store_written_by_another_process_meanwhile(web: Web, home: Path, decision: str, fields: list) -> None:
    """What another handle on the file changed after the page was shown is seen in the deciding transaction itself."""
    name = waiting(web, 6)
    with open_memory(home, said_by="user") as other:
        other.bullets.add(sentence(6))
    answer = web.post(f"/proposals/{name}/{decision}", [seen(name), *fields])
    assert answer.status_code == 409
    assert "changed since you saw it" in answer.text
    assert record_of(web, name).status is Status.STAGED
    with open_memory(home, said_by="user") as other:
        other.review.reject([name], unlocked(other, "ben"), "no", seen=other.review.versions())
    answer = web.post(f"/proposals/{name}/{decision}", [seen(name, 2), *fields])
    assert answer.status_code == 409
    assert "rejected by ben" in answer.text


def test_proven_bullet_is_shared_from_its_page(web: Web) -> None:
    """The page says what is lacking; proven, it shares in softer words where the person says that it holds there."""
    bullets, ana = web.memory.bullets, unlocked(web.memory)
    name = bullets.add_to_hemisphere("Always close the valve at night.", "left", reviewer=ana).id
    assert "0 of 2 helpful outcomes" in web.get(f"/memories/{name}").text
    for session in ("one", "two"):
        bullets.record_outcome(name, "helpful", session=session, reviewer=ana)
    assert "it helped 2 times, and must have helped 3 times" in web.get(f"/memories/{name}").text
    bullets.record_outcome(name, "helpful", session="three")
    page = web.get(f"/memories/{name}").text
    assert "Usually close the valve at night." in page
    assert web.post(f"/memories/{name}/share", {"text": ""}).status_code == 400
    answer = web.post(f"/memories/{name}/share", {"text": "", "confirmed": "yes", "back": f"/memories/{name}"})
    assert "1 memory shared" in web.get(answer.headers["location"]).text
    assert [item.text for item in bullets.list_bullets("shared")] == ["Usually close the valve at night."]
    assert "It is shared with both sides" in web.get(f"/memories/{name}").text


def test_both_sides_of_a_contradiction_are_flagged(web: Web) -> None:
    """Two waiting bullets that deny each other are both flagged in the queue, and neither is among the sure ones."""
    bullets = web.memory.bullets
    texts = ("Always log request bodies.", "Never log request bodies.")
    names = [bullets.add(text).id.replace("m_", "p_") for text in texts]
    page = web.get("/?q=log+request+bodies").text
    assert page.count('<span class="flag">conflict</span>') == 2
    assert web.get("/?kind=bullet&flagged=1&per=200").text.count("log request bodies") >= 2
    assert not set(re.findall(r'name="pick" value="(p_\w+)"', web.get("/bulk?from=0").text)) & set(names)


@pytest.mark.parametrize("keeps", [False, True])
def test_contradicted_memory_is_shown_and_retired_or_kept(web: Web, keeps: bool) -> None:
    """List and page show both texts; approving leaves the new one alone in force, or both where that was chosen."""
    old, new = "My birthday is on 3 May", "My birthday is on 4 May"
    web.memory.remember(f"{old}.")
    web.memory.remember(f"{new}.")
    name = next(item.proposal.id for item in web.memory.review.queue() if item.text == new)
    for page in ("/?q=birthday", f"/proposals/{name}"):
        shown = web.get(page).text
        assert old in shown
        assert new in shown
    assert "Approve, keep both" in web.get(f"/proposals/{name}").text
    web.post(f"/proposals/{name}/approve", [seen(name), *([("keep", "both")] if keeps else [])])
    assert {old, new} & {record.text for record in web.memory.list(limit=50)} == ({old, new} if keeps else {new})
