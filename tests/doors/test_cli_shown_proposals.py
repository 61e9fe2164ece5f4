"""What is decided is what was shown: numbers and ids mean what this place saw, also where an agent works beside it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from command_line import Cli

from dopejar.compose import open_memory
from dopejar.doors.cli import authentication

RULE = "The billing service runs on port 7000."
EARLIER = "2020-01-01"

pytestmark = pytest.mark.usefixtures("as_reviewer")


def listed(cli: Cli) -> list[str]:
    """The ids of a new listing, in its order."""
    return [item["id"] for item in cli("review", "list", "--json").data["items"]]


def active(cli: Cli) -> list[str]:
    """The texts in force."""
    return [record["text"] for record in cli("list", "--json").data["records"]]


def elsewhere(home: Path, text: str, day: str = "") -> None:
    """Another process, which is shown nothing, remembers as an assistant; an earlier day rewords what waits."""
    with open_memory(home) as memory:
        memory.remember(text, said_by="assistant", at=datetime.fromisoformat(f"{day}T00:00:00+00:00") if day else None)


@pytest.mark.parametrize("name", ["1", "all", "id", "1-1"])
@pytest.mark.parametrize("words", [("approve",), ("reject",), ("edit", "--text", "The billing service is gone.")])
def test_reworded_proposals_are_not_decided(cli: Cli, home: Path, name: str, words: tuple[str, ...]) -> None:
    """What has other words than were listed is refused by number, by id and by all; shown again, it is decided."""
    cli("remember", RULE)
    (waiting,) = listed(cli)
    elsewhere(home, f"{RULE[:-1]}, and its admin password check is off.", EARLIER)
    verb, *more = words
    if verb == "edit" and name == "all":
        return
    ran = cli("review", verb, waiting if name == "id" else name, *more)
    assert ran.code == 1
    assert f"dopejar review show {waiting}" in ran.err
    assert active(cli) == []
    assert "password" in cli("review", "show", waiting).out
    assert cli("review", verb, waiting, *more).code == 0


@pytest.mark.parametrize("count", [1, 3])
def test_numbers_are_those_of_the_last_listing_here(cli: Cli, home: Path, tmp_path: Path, count: int) -> None:
    """Whatever comes to the front of the queue meanwhile, a number stays with what stood beside it."""
    cli("remember", RULE)
    first = listed(cli)
    talk = [("user", "hello"), ("assistant", "I pushed to main"), ("user", "no!! never push to main, use a branch")]
    for number in range(count):
        path = tmp_path / f"{number}.jsonl"
        rows = [{"role": role, "content": f"{text} {'again ' * number}"} for role, text in talk]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        with open_memory(home) as memory:
            list(memory.learn([path]))
            assert memory.review.queue()[0].proposal.id != first[0]
    assert cli("review", "approve", "2").code == 5
    assert cli("review", "approve", "1").code == 0
    assert active(cli) == [RULE.rstrip(".")]
    assert first[0] not in listed(cli)


def test_all_is_all_that_was_listed(cli: Cli, home: Path) -> None:
    """`all` leaves waiting what came after the listing, and means nothing where there was none."""
    cli("remember", RULE)
    assert cli("review", "approve", "all").code == 5
    listed(cli)
    elsewhere(home, "Always push to main.")
    assert cli("review", "approve", "all").code == 0
    assert len(listed(cli)) == 1


def test_what_was_shown_elsewhere_was_not_shown_here(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another terminal's listing gives no numbers here, and none of its versions."""
    cli("remember", RULE)
    (waiting,) = listed(cli)
    monkeypatch.setattr("dopejar.doors.cli.review_commands.place_id", lambda: "another place")
    for name in ("1", "all", waiting):
        assert cli("review", "approve", name).code in (1, 5)
    assert active(cli) == []
    cli("review", "show", waiting)
    assert cli("review", "approve", "1").code == 5  # `show` gives no number
    assert cli("review", "approve", waiting).code == 0


def test_an_edit_shows_what_it_changes(cli: Cli) -> None:
    """Another text is read anew: the value in the store is that of the text, and the change is shown first in words."""
    cli("remember", RULE)
    listed(cli)
    ran = cli("review", "edit", "1", "--text", "The billing service runs on port 7001.")
    assert ran.err == "    text: The billing service runs on port 7000 -> The billing service runs on port 7001.\n"
    (record,) = cli("list", "--json").data["records"]
    assert (record["value"], "7001" in record["text"]) == ("+7001", True)


def test_a_place_without_a_terminal_has_an_id() -> None:
    """Commands of one session of processes share a place."""
    assert authentication.place_id() == authentication.place_id() != ""
