"""`dopejar bullets` at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Cli, add_reviewer

from dopejar.doors.cli import authentication

RULE = "Run the linter before every commit."


def added(cli: Cli, text: str = RULE, *more: str) -> str:
    """The id of a bullet that a person at a terminal added and has seen in the listing."""
    ran = cli("bullets", "add", text, "--json", *more, typed="")
    assert ran.code in (0, 4), ran.out
    cli("bullets", "list")
    return str(ran.data["id"])


def test_added_bullets_wait_with_a_suggestion(cli: Cli) -> None:
    """A new bullet waits, exit code 4, and the listing shows the side that suits it."""
    ran = cli("bullets", "add", RULE, "--type", "checklist", "--tag", "ci", typed="")
    assert ran.code == 4
    assert "left" in ran.out
    (row,) = cli("bullets", "list", "--side", "staging", "--json").data["bullets"]
    assert (row["status"], row["suggested_hemisphere"], row["tags"]) == ("staged", "left", ["ci"])
    assert "staged" in cli("bullets").out


def test_a_program_cannot_ask_for_the_assignment_of_its_bullet(cli: Cli) -> None:
    """`--auto-assign` does not override the setting: the bullet waits, and a remark names the setting."""
    ran = cli("bullets", "add", RULE, "--auto-assign")
    assert ran.code == 4
    assert "procedural.staging.auto_assign" in ran.err
    assert [row["status"] for row in cli("bullets", "list", "--json").data["bullets"]] == ["staged"]


@pytest.mark.usefixtures("as_reviewer")
def test_the_way_of_a_bullet(cli: Cli) -> None:
    """Assign, two outcomes of two conversations, active, a third, share, find, export: as a person would."""
    name = added(cli)
    assert cli("bullets", "assign", name, "left").code == 0
    assert "unproven" in cli("bullets", "find", "commit").out
    for session in ("one", "two", "three"):
        ran = cli("bullets", "outcome", name, "helpful", "--session", session, "--json")
        assert ran.data["counted"] is True
    assert cli("bullets", "show", name, "--json").data["status"] == "active"
    refused = cli("bullets", "share", name)
    assert refused.code == 2
    assert "other hemisphere" in refused.err
    assert cli("bullets", "share", name, "--confirm", "--json").data["side"] == "shared"
    text = cli("bullets", "export").out
    assert f"[{name}] helpful=3 harmful=0 :: {RULE}" in text
    assert cli("bullets", "export", "--json").data["format"] == "dopejar-playbook@1"


@pytest.mark.usefixtures("as_reviewer")
def test_all_clear_ones_go_where_they_are_suggested(cli: Cli) -> None:
    """`assign all suggested` takes the sure ones and leaves what is flagged or unclear."""
    for text in (RULE, "What if the queue is empty?", "Maybe try another parser", "Write good code."):
        added(cli, text)
    ran = cli("bullets", "assign", "all", "suggested", "--json")
    assert sorted(one["side"] for one in ran.data["bullets"]) == ["left", "right"]
    assert len(cli("bullets", "list", "--side", "staging", "--json").data["bullets"]) == 2
    unclear = cli("bullets", "list", "--priority", "low", "--json").data["bullets"][0]["id"]
    assert cli("bullets", "assign", unclear, "suggested").code == 2


def test_deciding_needs_a_reviewer(cli: Cli) -> None:
    """Without a reviewer nobody assigns, rejects or places: exit code 3."""
    name = added(cli)
    for words in (("assign", name, "left"), ("reject", name), ("add", "Shut the gate.", "--side", "left")):
        assert cli("bullets", *words).code == 3


@pytest.mark.usefixtures("as_reviewer")
def test_rejected_ones_stay_and_do_not_come_again(cli: Cli) -> None:
    """A rejected bullet is listed with --all, and the same words are refused."""
    name = added(cli)
    assert cli("bullets", "reject", name, "--reason", "only once").code == 0
    assert cli("bullets", "list", "--json").data["bullets"] == []
    assert [one["status"] for one in cli("bullets", "list", "--all", "--json").data["bullets"]] == ["rejected"]
    assert cli("bullets", "add", RULE).code == 3


@pytest.mark.usefixtures("as_reviewer")
def test_maintenance_shows_before_it_does(cli: Cli) -> None:
    """Nothing changes without --propose or --apply; both together are refused."""
    name = added(cli, RULE, "--side", "left")
    for number in range(2):
        cli("bullets", "outcome", name, "harmful", "--session", str(number))
    assert "retire" in cli("bullets", "maintain").out
    assert cli("bullets", "show", name, "--json").data["status"] == "quarantined"
    assert cli("bullets", "maintain", "--propose", "--apply").code == 2
    assert cli("bullets", "maintain", "--apply", "--json").data["receipts"] == ["deprecated"]
    assert cli("bullets", "show", name, "--json").data["status"] == "deprecated"


@pytest.mark.usefixtures("as_reviewer")
def test_a_playbook_is_a_file(cli: Cli, tmp_path: Path) -> None:
    """Export writes a file once, import stages its bullets, a second import adds none; --place keeps sides."""
    added(cli, RULE, "--side", "left")
    target = tmp_path / "book.md"
    assert cli("bullets", "export", str(target)).code == 0
    assert cli("bullets", "export", str(target)).code == 2
    other = ("--home", str(tmp_path / "other"))
    add_reviewer(tmp_path / "other")
    ran = cli("bullets", "import", str(target), "--json", *other)
    assert [one["side"] for one in ran.data["bullets"]] == ["staging"]
    cli("bullets", "import", str(target), *other)
    assert len(cli("bullets", "list", "--json", *other).data["bullets"]) == 1
    assert cli("bullets", "import", str(tmp_path / "none.md")).code == 2
    third = ("--home", str(tmp_path / "third"))
    add_reviewer(tmp_path / "third")
    placed = cli("bullets", "import", str(target), "--place", "--json", *third)
    assert [one["side"] for one in placed.data["bullets"]] == ["left"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("assign", "left"), 2),
        (("assign", "m_nothing", "left"), 5),
        (("show", "m_nothing"), 5),
        (("outcome", "m_nothing", "helpful"), 5),
        (("list", "--priority", "urgent"), 2),
        (("add", "?"), 2),
        (("find", "gate", "--side", "up"), 2),
        (("maintain", "--policy", "wild"), 2),
        (("reflect", "nowhere"), 5),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, words: tuple[str, ...], code: int) -> None:
    """What cannot be meant ends with its exit code and a sentence."""
    ran = cli("bullets", *words)
    assert ran.code == code, ran.err
    assert ran.err.strip()
    assert "Traceback" not in ran.err


@pytest.mark.usefixtures("as_reviewer")
def test_a_programs_own_praise_does_not_count(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a pipe an outcome is an assistant's word: it waits, and the answer says so."""
    name = added(cli)
    assert cli("bullets", "assign", name, "left").code == 0
    monkeypatch.delenv(authentication.SECRET_VARIABLE)
    ran = cli("bullets", "outcome", name, "helpful", "--json")
    assert ran.data["counted"] is False
    assert cli("bullets", "outcome", name, "helpful", "--json", typed="").data["counted"] is True


def test_reflecting_on_nothing_says_so(cli: Cli, chat: Path) -> None:
    """A conversation without outcomes teaches nothing, and that is said."""
    cli("learn", str(chat))
    ran = cli("bullets", "reflect")
    assert ran.code == 0
    assert "No bullets were learned" in ran.err


@pytest.mark.usefixtures("as_reviewer")
def test_how_automatic_assignments_fared_is_told(cli: Cli) -> None:
    """Of two automatic assignments one is taken back: `bullets` and `status` tell the share and a threshold."""
    assert cli("config", "set", "procedural.staging.auto_assign", "true").code == 0
    for text in (RULE, "Verify the checksum before unpacking."):
        assert cli("bullets", "add", text, "--json").data["status"] == "quarantined"
    assert cli("bullets", "--json").data["automatic"]["overturned"] == 0
    assert cli("undo", cli("log", "--json").data["acts"][0]["act_id"]).code == 0
    for command in ("bullets", "status"):
        told = cli(command, "--json").data["automatic"]
        assert (told["assigned"], told["overturned"], told["share"]) == (2, 1, 0.5)
        assert told["suggested_threshold"] > 0.8
        ran = cli(command)
        assert "Automatic assignments: 2, overturned: 1 (50%)" in ran.out + ran.err
