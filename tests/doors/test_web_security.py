"""The page answers nobody but the browser that opened its link, and changes nothing for anybody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from web_client import FORM, ORIGIN, TOKEN, Web, browser
from web_world import PASSPHRASE, add_active_record, fill

from dopejar.compose import open_memory
from dopejar.values.proposal import ProposalState

UNSAFE = (
    "/decide",
    "/lock",
    "/leave",
    "/link",
    "/reviewer",
    "/acts/a_x/undo",
    "/proposals/p_x/approve",
    "/proposals/p_x/reject",
    "/proposals/p_x/edit",
    "/proposals/p_x/assign",
    "/memories/m_x/deprecate",
    "/memories/m_x/bring-back",
    "/memories/m_x/erase",
)


@pytest.fixture
def web(home: Path) -> Iterator[Web]:
    """A browser that has not opened the link, at a page with three things waiting and a reviewer."""
    with open_memory(home) as memory:
        memory.reviewers.add("ana", PASSPHRASE)
        fill(memory, 3)
        yield browser(memory)


@pytest.mark.parametrize("path", ["/", "/counts", "/bulk", "/memories", "/ledger", "/overview", "/help", "/nothing"])
def test_page_is_closed_without_the_link(web: Web, path: str) -> None:
    """A browser without the cookie is told how to open the page, and sees nothing of it."""
    answer = web.get(path)
    assert answer.status_code == 401
    assert "dopejar serve" in answer.text
    assert "batch" not in answer.text


@pytest.mark.parametrize("path", UNSAFE)
def test_no_form_is_taken_without_the_cookie(web: Web, path: str) -> None:
    """A request that would change something is turned away without a session, whatever else it brings."""
    assert web.post(path, {"passphrase": PASSPHRASE}).status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1",
        "127.0.0.1:9",
        "localhost.evil.example:8765",
        "",
        "127.0.0.1:8765@evil",
    ],
)
def test_foreign_host_is_turned_away(web: Web, host: str) -> None:
    """A name that is not ours is not answered, even with the cookie: names can be made to point here."""
    web.open()
    assert web.get("/", Host=host).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_own_hosts_are_answered(web: Web, host: str) -> None:
    """Every loopback name with the right port is ours."""
    web.open()
    assert web.get("/static/page.js", Host=host).status_code == 200


@pytest.mark.parametrize(
    ("origin", "site"),
    [
        ("http://evil.example", ""),
        ("null", ""),
        ("https://127.0.0.1:8765", ""),
        ("http://127.0.0.1:9", ""),
        ("", ""),
        ("", "cross-site"),
        ("", "same-site"),
        ("http://evil.example", "same-origin"),
    ],
)
def test_foreign_origin_changes_nothing(web: Web, origin: str, site: str) -> None:
    """A form of another origin, or of none, is refused."""
    web.open()
    name = web.memory.review.queue()[0].proposal.id
    answer = web.post(f"/proposals/{name}/approve", {"passphrase": PASSPHRASE}, Origin=origin, Sec_Fetch_Site=site)
    assert answer.status_code == 403
    assert len(web.memory.review.queue()) == 3


def test_browser_that_sends_no_origin_may_say_that_it_is_the_same(web: Web) -> None:
    """Without `Origin`, `Sec-Fetch-Site: same-origin` is believed."""
    web.open()
    assert web.post("/lock", Origin="", Sec_Fetch_Site="same-origin").status_code == 303


@pytest.mark.parametrize("path", UNSAFE)
@pytest.mark.parametrize("csrf", ["", "wrong", "é"])
def test_form_without_its_mark_is_refused(web: Web, path: str, csrf: str) -> None:
    """A form needs the mark of this browser's session."""
    web.open()
    web.csrf = csrf
    answer = web.post(path, {"passphrase": PASSPHRASE})
    assert answer.status_code == 403
    assert "session" in answer.text
    assert len(web.memory.review.queue()) == 3


def test_mark_of_another_browser_is_refused(web: Web) -> None:
    """The mark belongs to one session."""
    other = web.open().another()
    web.csrf = other.csrf
    assert web.post("/lock").status_code == 403


def test_link_works_once(web: Web) -> None:
    """The token of the link opens one browser; used again it opens nothing and says so."""
    web.open()
    second = web.client.get(f"/open?token={TOKEN}")
    assert second.status_code == 403
    assert "used before" in second.text
    assert "set-cookie" not in second.headers


def test_another_link_opens_one_more_browser(web: Web) -> None:
    """A browser that has the page open makes a link for another one; that works once, too, and both go on."""
    other = web.open().another()
    assert (web.get("/").status_code, other.get("/").status_code) == (200, 200)
    assert other.csrf != web.csrf


def test_cookie_is_strict_and_out_of_reach_of_scripts(web: Web) -> None:
    """The cookie is HttpOnly and SameSite=Strict, and ends with the browser."""
    cookie = web.client.get(f"/open?token={TOKEN}").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age" not in cookie
    assert "expires" not in cookie


def test_wrong_tokens_keep_nobody_out(web: Web) -> None:
    """Whatever strangers send to the link's address, the link opens the page and the passphrase decides."""
    assert {web.client.get(f"/open?token=wrong{number}").status_code for number in range(20)} == {403}
    name = web.open().memory.review.queue()[0].proposal.id
    for number in range(20):
        web.client.get(f"/open?token=wrong{number}")
    assert web.post(f"/proposals/{name}/reject", [("seen", f"{name}:1"), ("passphrase", PASSPHRASE)]).status_code == 303


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(web: Web, method: str) -> None:
    """The page knows GET, HEAD and POST alone."""
    web.open()
    assert web.client.request(method, "/").status_code == 405


def test_form_has_to_be_a_form_and_of_a_size(web: Web) -> None:
    """Other encodings and huge bodies are refused before they are read whole."""
    web.open()
    headers = {"Origin": ORIGIN, "Content-Type": "text/plain"}
    assert web.client.post("/lock", content="csrf=x", headers=headers).status_code == 400
    headers["Content-Type"] = FORM
    assert web.client.post("/lock", content=b"a=" + b"x" * 2_000_001, headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/", "/open", "/static/page.js", "/nothing", "/proposals/p_none"])
def test_every_answer_carries_the_headers(web: Web, path: str) -> None:
    """Pages, files and refusals carry the same strict policy."""
    answers = [web.get(path), web.open().get(path)]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert path.startswith("/static") or answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../application.py",
        "/static/..%2fapplication.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/vendored.toml",
        "/static/..\\application.py",
        "/static/htmx.LICENSE.txt",
        "/proposals/..%2f..%2fetc",
        "/memories/..%2f..%2fetc%2fpasswd",
        "/static/page.js%00.css",
        "/static/",
    ],
)
def test_no_path_leads_out(web: Web, path: str) -> None:
    """What is not on the list of files, or no id, is not there."""
    answer = web.open().get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


EVIL = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "{{ 7*7 }} {% raw %}",
    "javascript:alert(1)",
    "\u202egnp.exe \x00 end",
)


@pytest.mark.parametrize("text", EVIL)
def test_texts_are_shown_and_never_run(web: Web, text: str) -> None:
    """Whatever a memory says, the page holds it escaped, on every page that shows it."""
    web.open()
    record = add_active_record(web.memory, f"The crane says {text} today.")
    asked = quote(text, safe="")
    pages = [
        f"/memories/{record}",
        f"/memories/{record}/erase",
        "/memories",
        f"/memories?q={asked}",
        "/ledger",
        f"/?q={asked}",
        f"/ledger?who={asked}",
        f"/memories?scope={asked}",
        f"/memories/{asked}",
        f"/?back={asked}",
    ]
    for path in pages:
        body = web.client.get(path).text
        for piece in ("<script>alert", "<img src=x", "<svg/onload", "</textarea><script", 'href="javascript'):
            assert piece not in body
    assert "7*7" not in text or "{{ 7*7 }}" in web.client.get(f"/memories/{record}").text


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "\r\nX: y"]
)
def test_way_back_stays_here(web: Web, back: str) -> None:
    """A form cannot send the browser to another site, nor smuggle a header."""
    answer = web.open().post("/lock", {"back": back})
    assert answer.headers["location"] == "/"
    assert "x" not in answer.headers


def test_decision_needs_the_passphrase_and_keeps_the_form(web: Web) -> None:
    """The link alone decides nothing: the page asks who decides, and the same form goes on with the passphrase."""
    web.open()
    name = web.memory.review.queue()[1].proposal.id
    asked = web.post(f"/proposals/{name}/reject", {"reason": "wrong harbour", "seen": f"{name}:1"})
    assert asked.status_code == 403
    assert "Reviewer needed" in asked.text
    assert "wrong harbour" in asked.text
    assert len(web.memory.review.queue()) == 3
    wrong = web.post(
        f"/proposals/{name}/reject", {"reason": "wrong harbour", "seen": f"{name}:1", "passphrase": "not this one"}
    )
    assert wrong.status_code == 403
    assert len(web.memory.review.queue()) == 3
    assert (
        web.post(
            f"/proposals/{name}/reject", {"reason": "wrong harbour", "seen": f"{name}:1", "passphrase": PASSPHRASE}
        ).status_code
        == 303
    )
    assert len(web.memory.review.queue()) == 2
    other = web.memory.review.queue()[0].proposal.id
    assert web.post(f"/proposals/{other}/reject", {"seen": f"{other}:1"}).status_code == 303, "once per browser session"
    assert [item.proposal.reviewer for item in web.memory.review.queue((ProposalState.REJECTED,))] == ["ana", "ana"]


def test_passphrase_is_never_shown_again(web: Web) -> None:
    """A passphrase that was typed does not stand in the page that asks again."""
    name = web.open().memory.review.queue()[0].proposal.id
    secret = "-".join(("never", "show", "this"))
    assert secret not in web.post(f"/proposals/{name}/reject", {"passphrase": secret}).text


def test_passphrases_cannot_be_guessed_quickly(web: Web) -> None:
    """After three wrong passphrases even the right one has to wait, and the refusal says how long."""
    name = web.open().memory.review.queue()[0].proposal.id
    for number in range(3):
        web.post(f"/proposals/{name}/reject", {"passphrase": f"guess number {number}"})
    late = web.post(f"/proposals/{name}/reject", {"passphrase": PASSPHRASE})
    assert late.status_code == 403
    assert "Too many wrong passphrases. Try again in 1 s" in late.text
    assert len(web.memory.review.queue()) == 3


def test_removed_reviewer_decides_no_more(web: Web) -> None:
    """A browser in which somebody decided asks anew once that person is no reviewer any more."""
    web.open().as_reviewer()
    web.memory.reviewers.add("ben", PASSPHRASE + "s", web.memory.reviewers.unlock(PASSPHRASE))
    web.memory.reviewers.remove("ana", web.memory.reviewers.unlock(PASSPHRASE + "s"))
    name = web.memory.review.queue()[0].proposal.id
    assert "Reviewer needed" in web.post(f"/proposals/{name}/approve").text


def test_lock_and_leave_end_what_they_say(web: Web) -> None:
    """Lock forgets the reviewer; leave ends the session."""
    web.open().as_reviewer()
    assert "reviewer: <b>" in web.get("/help").text
    assert web.post("/lock", {"back": "/help"}).headers["location"] == "/help"
    assert "reviewer: <b>" not in web.get("/help").text
    web.post("/leave")
    assert web.get("/").status_code == 401


def test_partial_is_turned_away_in_part(web: Web) -> None:
    """A part that is asked for without a session gets a part, so that a polled page does not swallow a whole one."""
    answer = web.get("/counts", **{"HX-Request": "true"})
    assert answer.status_code == 401
    assert "<html" not in answer.text


def test_application_does_not_describe_itself(web: Web) -> None:
    """There is no description of the interface for strangers."""
    web.open()
    assert {web.get(path).status_code for path in ("/docs", "/redoc", "/openapi.json")} == {404}


def test_fault_of_the_program_is_one_sentence(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody expected becomes a sentence without insides, under the same strict policy."""

    def fails() -> None:
        raise ZeroDivisionError("the insides")

    web.open()
    monkeypatch.setattr(web.client.app.state.app_state.queue_index, "snapshot", fails)
    answer = web.get("/counts")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "the insides" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
