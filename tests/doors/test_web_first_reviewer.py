"""The browser that opened the one-time link makes the first reviewer; no other does, and none a second one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from web_client import ORIGIN, TOKEN, Web, browser
from web_world import PASSPHRASE, fill

from dopejar.compose import open_memory
from dopejar.doors.web.access import Address, SessionManager
from dopejar.doors.web.application import create_app

TYPED = {"name": " Mira ", "passphrase": PASSPHRASE, "repeat": PASSPHRASE}


@pytest.fixture
def web(home: Path) -> Iterator[Web]:
    """A browser that has not opened the link, at a page with three things waiting and no reviewer."""
    with open_memory(home) as memory:
        fill(memory, 3)
        yield browser(memory)


def test_the_first_page_makes_the_first_reviewer(web: Web) -> None:
    """The link leads to the form; whoever fills it in decides in this browser, and the ledger names them."""
    assert 'url=/reviewer"' in web.client.get(f"/open?token={TOKEN}").text
    another = web.sessions.issue_token()
    assert 'name="repeat"' in web.open(another).get("/reviewer").text
    assert web.post("/reviewer", TYPED).headers["location"] == "/"
    name = web.memory.review.queue()[0].proposal.id
    assert web.post(f"/proposals/{name}/reject", {"seen": f"{name}:1"}).status_code == 303
    assert web.memory.reviewers.names() == ("Mira",)
    entry = next(act for act in web.memory.log(5) if act.actions == ("reviewer_added",))
    assert entry.approver == "Mira"
    web.memory.verify()


def test_a_second_attempt_is_refused(web: Web) -> None:
    """Neither the browser that made the reviewer nor another one adds or changes any; the form is gone."""
    web.open().post("/reviewer", TYPED)
    other = "-".join(("another", "test", "harbour"))
    for attempt in (web, web.another()):
        for name in ("Mira", "Zoe"):
            answer = attempt.post("/reviewer", {"name": name, "passphrase": other, "repeat": other})
            assert (answer.status_code, "There is a reviewer already" in answer.text) == (403, True)
        assert 'name="repeat"' not in attempt.get("/reviewer").text
    assert web.memory.reviewers.names() == ("Mira",)
    assert web.memory.reviewers.unlock(PASSPHRASE).name == "Mira"


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("repeat", PASSPHRASE + "s", "differ"),
        ("passphrase", "", "differ"),
        ("name", "", "1 to 64"),
        ("name", "policy", "reserved"),
    ],
)
def test_what_cannot_be_is_said_and_asked_again(web: Web, field: str, typed: str, said: str) -> None:
    """The form comes back with a sentence and without the passphrase; there is no reviewer."""
    answer = web.open().post("/reviewer", {**TYPED, field: typed})
    assert (answer.status_code, said in answer.text, PASSPHRASE in answer.text) == (400, True, False)
    assert 'name="repeat"' in answer.text
    assert web.memory.reviewers.names() == ()


def test_a_decision_leads_to_the_form(web: Web) -> None:
    """Without a reviewer a decision changes nothing, and says where to make one."""
    name = web.open().memory.review.queue()[0].proposal.id
    answer = web.post(f"/proposals/{name}/approve", {"seen": f"{name}:1", "passphrase": PASSPHRASE})
    assert (answer.status_code, 'href="/reviewer"' in answer.text) == (403, True)
    assert len(web.memory.review.queue()) == 3


def test_nobody_else_makes_one(web: Web) -> None:
    """No browser without the link, of another origin, host or session, or opened with a token of one's own."""
    assert web.post("/reviewer", TYPED).status_code == 401
    web.open()
    assert web.post("/reviewer", TYPED, Origin="http://evil.example").status_code == 403
    assert web.post("/reviewer", TYPED, Host="evil.example").status_code == 421
    assert web.client.get("/reviewer", params=TYPED).status_code == 200
    mark, web.csrf = web.csrf, "wrong"
    assert web.post("/reviewer", TYPED).status_code == 403
    sessions = SessionManager(TOKEN, reusable=True)
    app = create_app(web.memory, sessions, Address(host="127.0.0.1", port=8765))
    shared = Web(memory=web.memory, sessions=sessions, client=TestClient(app, base_url=ORIGIN)).open()
    assert "reviewer add NAME" in shared.get("/reviewer").text
    assert shared.post("/reviewer", TYPED).status_code == 403
    assert web.memory.reviewers.names() == ()
    web.csrf = mark
    assert web.post("/reviewer", TYPED).status_code == 303


def test_a_link_that_an_assistant_was_given_makes_no_reviewer(web: Web) -> None:
    """It opens the page once, to look; neither there nor by a further link is the first reviewer made."""
    web.memory.page_links.announce(f"{ORIGIN}/open?token=")
    lent = web.memory.page_links.make().partition("token=")[2]
    web.open(lent)
    for browser_ in (web, web.another()):
        assert browser_.post("/reviewer", TYPED).status_code == 403
    assert web.memory.reviewers.names() == ()
    assert web.client.get(f"/open?token={lent}").status_code == 403
