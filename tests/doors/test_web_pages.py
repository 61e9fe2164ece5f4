"""Every page answers, shows what it should, and works without a script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from web_client import TOKEN, Web, browser
from web_world import BEGAN, PASSPHRASE, add_active_record, fill, sentence, unlocked

from accepted import accepted
from dopejar import Partner
from dopejar.compose import open_memory
from dopejar.doors.web.application import ROUTE_MODULES
from dopejar.engine.bullets.procedural_memory import ProceduralMemory
from dopejar.values.record import Kind

PARTIAL = {"HX-Request": "true"}


@pytest.fixture
def web(home: Path) -> Iterator[Web]:
    """An opened browser at a page with 60 proposals waiting and an active record."""
    with open_memory(home, said_by="user") as memory:
        memory.reviewers.add("ana", PASSPHRASE)
        fill(memory, 60)
        add_active_record(memory, "The crane is inspected on Fridays.", key="World-Fact-Crane")
        yield browser(memory).open()


def addresses(web: Web) -> dict[str, str]:
    """One address for each route that shows a page."""
    item = web.memory.review.queue()[0]
    record = web.memory.list()[0].id
    act = web.memory.log(1)[0].act_id
    dossier = web.memory.dossiers.list(1)[0].id
    return {
        "/": "/",
        "/counts": "/counts",
        "/bulk": "/bulk?from=0.5",
        "/help": "/help",
        "/reviewer": "/reviewer",
        "/proposals/{name}": f"/proposals/{item.proposal.id}",
        "/memories": "/memories?status=",
        "/memories/{name}": f"/memories/{record}",
        "/memories/{name}/erase": f"/memories/{record}/erase",
        "/garden": "/garden",
        "/dossiers/{name}": f"/dossiers/{dossier}",
        "/recall": "/recall?q=When+is+the+crane+inspected%3F&budget=600",
        "/graph": "/graph",
        "/ledger": "/ledger",
        "/ledger/verify": "/ledger/verify",
        "/acts/{name}": f"/acts/{act}",
        "/overview": "/overview",
        "/overview/hygiene": "/overview/hygiene",
        "/overview/bullets": "/overview/bullets",
        "/turns": "/turns",
        "/open": "/open",
        "/static/{name}": "/static/page.css",
    }


class Whole(HTMLParser):
    """Looks over a page: elements left open, doubled ids, labels, what a strict policy would block."""

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: set[str] = set()
        self.heads = 0
        self.in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and its attributes."""
        given = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in given:
            self.faults += [f"id {given['id']} twice"] if given["id"] in self.ids else []
            self.ids.add(given["id"] or "")
        self.faults += [f"{tag} {name}" for name in given if name.startswith("on") or name == "style"]
        self.faults += [f"{tag} {value}" for value in given.values() if re.match(r"(https?:)?//", value or "")]
        if tag in ("script", "style") and not given.get("src"):
            self.faults.append(f"inline {tag}")
        self.heads += tag == "h1"

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        while self.open and self.open[-1] in ("p", "li", "option", "dd", "dt") and self.open[-1] != tag:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")


def test_every_route_that_shows_a_page_is_tried(web: Web) -> None:
    """The list of addresses below names every route, so that none is forgotten."""
    routes = {
        route.path
        for router in (web.client.app, *(module.router for module in ROUTE_MODULES))
        for route in router.routes
        if "GET" in (getattr(route, "methods", None) or ())
    }
    assert routes == set(addresses(web))


def test_every_page_is_whole(web: Web) -> None:
    """Each page has one title and one heading, no element left open, no id twice, nothing a strict policy blocks."""
    for route, address in addresses(web).items():
        answer = web.get(address)
        assert answer.status_code == 200, (route, answer.text[:300])
        if route in ("/counts", "/static/{name}"):
            continue
        look = Whole()
        look.feed(answer.text)
        assert look.faults == [], (route, look.faults)
        assert look.open == [], (route, look.open)
        assert look.heads == 1, route


@pytest.mark.parametrize("path", ["/", "/memories", "/ledger", "/overview/hygiene", "/overview/bullets"])
def test_part_is_the_table_alone(web: Web, path: str) -> None:
    """A live filter gets the table, not a page within the page; going back in history gets the whole page."""
    part = web.get(path, **PARTIAL).text
    assert "<html" not in part
    assert "<table" in part
    again = web.get(path, **PARTIAL, **{"HX-History-Restore-Request": "true"}).text
    assert "<html" in again


def test_the_garden_shows_blocks_with_their_rules(home: Path) -> None:
    """A block in time with its tags and the turns of its rules; a dossier with its facts; a pack within its budget."""
    talk = ("I am using Python 3.9 for the kiln.", "When I say the vault, I mean the archive server.", "It is full.")
    with open_memory(home, said_by="user") as memory:
        memory.add([{"role": "user", "content": text, "at": BEGAN} for text in talk], conversation="kiln")
        memory.garden.tend()
        web = browser(memory).open()
        garden = web.get("/garden?conversation=kiln").text
        shown = ("<code>env: python-3.9</code>", "alias, turns 1 to 2", '<rect x="1" width="2" height="1">')
        assert all(part in garden for part in shown)
        pack = web.get("/recall?q=What+is+the+vault%3F&budget=300").text
        assert [0 < int(told) <= 300 for told in re.findall(r'max="300" value="(\d+)"', pack)] == [True]
        (known,) = memory.dossiers.list(1)
        assert f"/memories/{known.facts[0].record_id}" in web.get(f"/dossiers/{known.id}").text


def texts(page: str) -> list[str]:
    """The texts of the rows, in order."""
    return re.findall(r'data-row="[^"]+" data-text="([^"]+)"', page)


def test_queue_shows_most_severe_first_in_pages(web: Web) -> None:
    """A page has 50 rows; the next one the rest; together each row once, most severe first, then oldest."""
    first, second = texts(web.get("/").text), texts(web.get("/?page=2").text)
    assert len(first) == 50
    assert len(first + second) == len(set(first + second)) == 60
    assert first[:2] == [sentence(0), sentence(3)]
    assert texts(web.get("/?page=99").text) == second, "a page that is not there is the last one"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kind=fact", lambda number: number % 8 == 3),
        (
            "kind=bullet&suggestion=left",
            lambda number: number % 8 in (0, 4, 6) and number % 3 != 1 and number % 24 != 4,
        ),
        ("suggestion=unclear", lambda number: number % 24 == 4),
        ("flagged=1", lambda number: number % 12 == 4),
        ("priority=2", lambda number: number % 3 == 1),
        ("q=tide+TABLE", lambda number: number // 8 % 5 == 3),
        ("least=0.9", lambda number: number % 50 >= 40),
        ("source=tool", lambda number: number < 0),
    ],
)
def test_filters_show_what_fits_and_nothing_else(web: Web, query: str, expected) -> None:
    """Each filter keeps exactly the rows that fit."""
    shown = texts(web.get(f"/?per=200&{query}").text)
    assert sorted(shown) == sorted(sentence(number) for number in range(60) if expected(number))


@pytest.mark.parametrize("sort", ["age", "confidence", "kind", "text", "source", "suggestion", "priority"])
def test_every_column_sorts_both_ways(web: Web, sort: str) -> None:
    """Sorting keeps every row, and the other way round is the same turned."""
    up, down = (texts(web.get(f"/?per=200&sort={sort}{end}").text) for end in ("", "&down=1"))
    assert len(up) == 60
    assert up == down[::-1]


@pytest.mark.parametrize("query", ["page=x", "per=-1", "sort=evil", "least=9", "priority=%00", "kind=%C3", "after=zz"])
def test_nonsense_in_an_address_counts_as_any(web: Web, query: str) -> None:
    """An address that was mistyped still shows a page."""
    assert {web.get(f"{path}?{query}").status_code for path in ("/", "/memories", "/ledger", "/bulk")} == {200}


def test_counts_follow_the_store(web: Web) -> None:
    """What is polled tells the number that waits now, and that the page at hand is behind."""
    seen = re.search(r"/counts\?seen=(\w+)", web.get("/").text)
    assert seen
    path = f"/counts?seen={seen.group(1)}"
    assert "Reload" not in web.get(path).text
    fill(web.memory, 2, first=500)
    assert "62 waiting" in web.get(path).text
    assert "Reload" in web.get(path).text


def test_detail_shows_why_and_on_what(web: Web) -> None:
    """A waiting bullet's page has its reasoning, its turn marked among its neighbours, its outcome, trace and id."""
    item = next(item for item in web.memory.review.queue() if item.text == sentence(14))
    page = web.get(f"/proposals/{item.proposal.id}").text
    for piece in (
        "names a check and the moment",
        f"<mark>{sentence(14)}</mark>",
        sentence(12),
        sentence(16),
        "outcome: success",
        item.proposal.trace_id,
        item.proposal.id,
        "Assign left",
        "Assign right",
    ):
        assert piece in page


def test_detail_shows_the_difference_from_the_nearest(web: Web) -> None:
    """What stands near is shown with what would change, word by word."""
    add_active_record(web.memory, "Archive the tide table before closing the month, batch 999.")
    item = next(item for item in web.memory.review.queue() if item.text == sentence(29))
    page = web.get(f"/proposals/{item.proposal.id}").text
    assert "<del>999.</del>" in page
    assert "<ins>29.</ins>" in page


def test_detail_foresees_what_approving_changes(web: Web) -> None:
    """The preview names every record that would move, and looking at it moves none."""
    staged = next(item for item in web.memory.review.queue() if item.text == sentence(3)).proposal
    bullet = next(item for item in web.memory.review.queue() if item.text == sentence(0)).proposal
    unclear = next(item for item in web.memory.review.queue() if item.text == sentence(4)).proposal
    head = web.memory.verify().head
    assert "staged → active" in web.get(f"/proposals/{staged.id}").text
    assert "staged → quarantined, left" in web.get(f"/proposals/{bullet.id}").text
    assert "Neither side is clearly better" in web.get(f"/proposals/{unclear.id}").text
    assert web.memory.verify().head == head


def test_detail_shows_where_a_rule_would_have_applied(web: Web, tmp_path: Path) -> None:
    """A rule's page names the past turns it bears on and says that calls will meet it; a bullet's does not."""
    talk = ("ship it", "Done.\n```bash\ngit push origin main\n```\n", "no, never push to main")
    rows = [
        {"role": ("user", "assistant")[place % 2], "content": words, "ts": f"2026-03-05T09:0{place}:00+00:00"}
        for place, words in enumerate(talk)
    ]
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    list(web.memory.learn([path]))
    rule = next(item for item in web.memory.review.queue() if "push to main" in item.text).proposal
    page = web.get(f"/proposals/{rule.id}").text
    assert "the assistant did it, turn 1" in page
    assert "you stated it, turn 2" in page
    assert "Tool calls are checked against it" in page
    bullet = next(item for item in web.memory.review.queue() if item.text == sentence(14)).proposal
    assert "would have applied" not in web.get(f"/proposals/{bullet.id}").text


def row_of(page: str, text: str) -> str:
    """The row with this text."""
    return page.partition(f'data-text="{text}"')[2].partition("</tr>")[0]


def test_row_shows_the_words_that_were_said_where_they_differ(web: Web, tmp_path: Path) -> None:
    """A reworded proposal quotes what was said and when; one in the speaker's own words does not repeat them."""
    said = "no, you should never push to main, I told you"
    lines = [{"role": "user", "content": said, "ts": "2026-03-05T09:00:00+00:00"}]
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    list(web.memory.learn([path]))
    item = next(item for item in web.memory.review.queue() if "push to main" in item.text)
    reworded = row_of(web.get("/?q=push").text, item.text)
    assert "<q" in reworded
    assert "2026-03-05" in reworded
    assert "<q" not in row_of(web.get("/?q=batch").text, sentence(3))


def test_no_row_has_a_filled_button(web: Web) -> None:
    """Decisions in rows are plain; the decision page has one filled button."""
    rows = web.get("/").text.partition("<tbody")[2].partition("</tbody>")[0]
    assert all(
        "plain" in kind or "danger" in kind for kind in re.findall(r'<(?:button|a) class="([^"]*small[^"]*)"', rows)
    )
    item = next(item for item in web.memory.review.queue() if item.text == sentence(3))
    page = web.get(f"/proposals/{item.proposal.id}").text
    card = page.partition('class="card decide"')[2].partition("</aside>")[0]
    assert len([kind for kind in re.findall(r"<button([^>]*)>", card) if "plain" not in kind]) == 1


def test_bulk_lists_what_it_would_approve(web: Web) -> None:
    """Every proposal that the button counts stands in the list above it, ticked."""
    page = web.get("/bulk?from=0.6").text
    listed = re.findall(r'type="checkbox" name="pick" value="(p_\w+)" checked', page)
    assert listed
    assert f"Approve {len(listed)} in one act" in page
    assert page.index(listed[-1]) < page.index("in one act")


def test_graph_draws_and_lists_the_neighbours(web: Web) -> None:
    """A name leads to what it is connected with, drawn and as a table; an unknown one gets a sentence."""
    web.memory.remember("The service billing depends on Postgres.", said_by="user")
    assert "/graph?name=" in web.get("/graph").text
    page = web.get("/graph?name=Postgres").text
    assert page.count("<circle") > 1
    assert "billing" in page.partition("<table")[2]
    assert "No entity is called" in web.get("/graph?name=Zeppelin").text


def test_memories_are_searched_and_browsed(web: Web) -> None:
    """Words find a memory in any inflection, keys by their beginning, every status by its name."""
    add_active_record(web.memory, "The pilots meet at the north quay.", key="World-Fact-Pilots", kind=Kind.FACT)
    for query in (
        "q=pilot",
        "q=North+QUAY",
        "key=World-Fact-Pil",
        "kind=fact",
        "scope=universal",
        "q=World-Fact-Pilots",
    ):
        assert "The pilots meet" in web.get(f"/memories?{query}").text
    for query in ("q=zeppelin", "key=Self-", "kind=alias", "status=deprecated", "side=left", "scope=language:go"):
        assert "The pilots meet" not in web.get(f"/memories?{query}").text
    assert sentence(7) in web.get("/memories?status=staged&q=batch+7.").text
    assert "is no scope" in web.get("/memories?scope=nowhere").text


def test_memories_page_on_without_gaps(web: Web) -> None:
    """Following `Older` shows every staged record once."""
    found, path = [], "/memories?status=staged"
    while path:
        page = web.get(path).text
        found += re.findall(r'data-row="(m_\w+)"', page)
        more = re.search(r'href="([^"]+)" rel="next"', page)
        path = more.group(1).replace("&amp;", "&") if more else ""
    assert len(found) == len(set(found)) == 60


def test_memory_shows_its_life(web: Web) -> None:
    """A memory's page has its evidence, versions with their difference, who wanted and allowed it, and its strength."""
    web.memory.remember("I prefer dark mode.", at=BEGAN)
    web.memory.remember("I prefer light mode.")
    record = next(item for item in web.memory.list() if "light" in item.text)
    page = web.get(f"/memories/{record.id}").text
    for piece in ("I prefer dark mode", "superseded", "<ins>light</ins>", "policy", 'data-chart="strength-table"'):
        assert piece in page


def test_ledger_filters_and_goes_back(web: Web) -> None:
    """Entries are found by action, person, target and rule; following `Older` reaches the first."""
    web.as_reviewer()
    name = web.memory.review.queue()[0].proposal.id
    web.post(f"/proposals/{name}/reject", {"seen": f"{name}:1"})
    assert "rejected" in web.get("/ledger?who=ana").text
    assert "No entry matches" in web.get("/ledger?who=zoe").text
    assert "No entry matches" in web.get("/ledger?action=erase").text
    record = web.memory.list()[0].id
    page = web.get(f"/ledger?target={record[:9]}").text
    assert "The crane is inspected" in page
    seqs, path = [], "/ledger"
    while path:
        page = web.get(path).text
        seqs += [int(item) for item in re.findall(r'data-row="(\d+)"', page)]
        more = re.search(r'href="([^"]+)" rel="next"', page)
        path = more.group(1).replace("&amp;", "&") if more else ""
    assert seqs == list(range(max(seqs), 0, -1))


def test_chain_is_followed_and_compared(web: Web) -> None:
    """The chain's page tells that it holds, and whether a head noted earlier lies on it."""
    head = web.memory.verify().head.hash
    assert "The hash chain is intact" in web.get("/ledger/verify").text
    assert "is part of it" in web.get(f"/ledger/verify?head={head}").text
    assert "is not part of it" in web.get(f"/ledger/verify?head={'0' * 63}1").text


def test_overview_counts_what_the_ledger_says(web: Web) -> None:
    """What waits is counted, what was learned, replaced and recalled is named, the table of days has every day."""
    web.memory.remember("Postgres listens on port 5433.", said_by="user")
    web.memory.remember("Postgres listens on port 5434 now.", said_by="user")
    (item, *_) = web.memory.recall("Which port does Postgres listen on?").items
    web.memory.note_used([item.id])
    page = web.get("/overview").text
    assert "60 proposals wait" in page
    parts = {
        name: page.partition(f'id="{name}"')[2].partition("</section>")[0] for name in ("learned", "changed", "used")
    }
    assert "5434" in parts["learned"]
    assert "5433" in parts["changed"]
    assert "used 1×" in parts["used"]
    assert 'data-chart="days-table"' in page
    assert page.count("data-day=") == 30
    assert "stale" in web.get("/overview/hygiene").text or "no findings" in web.get("/overview/hygiene").text


def test_governed_turns_are_shown(web: Web) -> None:
    """The page shows the stance, each lane with the turns that its commitment has left, and the latest trace."""
    assert "No turn was governed yet" in web.get("/turns").text
    partner = Partner(web.memory, "desk")
    partner.turn("Help me plan my week", recall=False)
    partner.answer("work_declaration")
    partner.turn("Draft the <b>order</b>.", recall=False)
    page = web.get("/turns?conversation=desk").text
    assert '<b aria-current="true">execution</b>' in page
    assert "plan my week" in page
    assert "9 of 10" in page
    assert "gate_check" in page
    assert "order" not in page
    assert web.get("/turns?conversation=none").status_code == 404


def test_unknown_things_are_not_there(web: Web) -> None:
    """An id that nothing has gets a page that says so, with 404."""
    for path in ("/proposals/p_zzzz", "/memories/m_zzzz", "/acts/a_zzzz", "/memories/m_zzzz/erase", "/nowhere"):
        answer = web.get(path)
        assert answer.status_code == 404, path
        assert "<h1>Not found</h1>" in answer.text


def test_token_may_be_typed(home: Path) -> None:
    """The page to open asks for the token, and takes it as a form."""
    with open_memory(home, said_by="user") as memory:
        web = browser(memory)
        assert 'name="token"' in web.get("/open").text
        assert web.post("/open", {"token": TOKEN}).status_code == 200
        assert web.get("/").status_code == 200


def test_overview_tells_how_automatic_assignments_fared(web: Web) -> None:
    """None at first; then of two the one taken back is counted, with a threshold that would have kept its promise."""
    assert "No bullet was assigned automatically" in web.get("/overview/bullets").text
    deps = web.memory._deps
    bullets = ProceduralMemory(replace(deps, procedural=replace(deps.procedural, auto_assign=True)))
    for text in ("Run the linter before every commit.", "Verify the checksum before unpacking."):
        assert bullets.add(text).assigned_by == "auto"
    assert "is reliable" in web.get("/overview/bullets").text
    web.memory.undo(web.memory.log(1)[0].act_id, unlocked(web.memory))
    page = " ".join(web.get("/overview/bullets").text.split())
    assert "Of 2 automatic assignments <b>1</b> (50 %) were undone." in page
    assert "config set procedural.staging.auto_assign_threshold" in page


@pytest.mark.parametrize("threshold", ["0.55", "0.95"])
def test_sure_ones_are_those_above_the_setting(home: Path, threshold: str) -> None:
    """The page of the sure ones begins at the threshold of the settings, and the counts agree with it."""
    variables = accepted(home, {"DOPEJAR_PROCEDURAL_STAGING_AUTO_ASSIGN_THRESHOLD": threshold})
    with open_memory(home, environment=variables, said_by="user") as memory:
        fill(memory, 60)
        web = browser(memory).open()
        page = web.get("/bulk").text
        assert f'name="from" value="{threshold}"' in page
        rows = [item for item in memory.review.queue() if item.proposal.confidence >= float(threshold)]
        picked = set(re.findall(r'name="pick" value="(p_\w+)"', page))
        assert picked <= {item.proposal.id for item in rows}
        assert web.get("/counts").text.count(f"Look through {len(picked)} confident") == bool(picked)
