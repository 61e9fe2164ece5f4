"""review, reviewer, undo, deprecate, bring-back, erase: only a reviewer decides, and each decision says what it did."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import NEW_REVIEWER, SECRET, Cli, Talk, add_reviewer, needs_pty

from dopejar.compose import open_memory
from dopejar.doors.cli import authentication

RULE = "The staging server runs Debian 12."


@pytest.fixture
def waiting(cli: Cli) -> str:
    """One proposal waits; its id."""
    assert cli("remember", RULE).code == 4
    return str(cli("review", "--json").data["items"][0]["id"])


def test_deciding_without_a_reviewer_is_refused(cli: Cli, waiting: str) -> None:
    """Before there is a reviewer nobody decides: exit code 3, and what waits still waits."""
    for line in (f"review approve {waiting}", "review reject all", "undo a_1", "erase m_1 --yes"):
        ran = cli(*line.split())
        assert ran.code in (3, 5), ran.err
    assert cli("review", "approve", waiting, "--json").data["error"]["kind"] == "ReviewerRequiredError"
    assert len(cli("review", "--json").data["items"]) == 1


@pytest.mark.usefixtures("as_reviewer")
def test_deciding_with_a_wrong_secret_is_refused(cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that is nobody's ends with exit code 3."""
    monkeypatch.setenv(authentication.SECRET_VARIABLE, SECRET + "-not")
    assert cli("review", "approve", waiting).code == 3


@pytest.mark.usefixtures("as_reviewer")
def test_deciding_without_secret_and_terminal_is_refused(
    cli: Cli, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reviewer exists, but nobody proves to be it: exit code 3, and how to is said."""
    monkeypatch.delenv(authentication.SECRET_VARIABLE)
    ran = cli("review", "approve", waiting)
    assert ran.code == 3
    assert authentication.SECRET_VARIABLE in ran.err


@pytest.mark.parametrize("name", ["1", "all", "1-1", "p_", "whole"])
@pytest.mark.usefixtures("as_reviewer")
def test_approving_by_number_by_all_and_by_id(cli: Cli, waiting: str, name: str) -> None:
    """A proposal is named by its number, by all, by the beginning of its id, or by its id; it is active then."""
    ran = cli("review", "approve", {"whole": waiting, "p_": waiting[:8]}.get(name, name), "--json")
    assert ran.code == 0, ran.out
    assert ran.data["receipts"][0]["outcome"] == "added"
    assert [one["approved_by"] for one in cli("list", "--json").data["records"]] == ["ana"]
    assert cli("review").err.strip() == "Nothing is waiting for review."


@pytest.mark.usefixtures("as_reviewer")
def test_numbers_beyond_the_listing_are_not_found(cli: Cli, waiting: str) -> None:
    """A number that the listing does not have decides nothing."""
    assert waiting
    for name in ("2", "1-2", "0", "3-1"):
        assert cli("review", "approve", name).code == 5


@pytest.mark.usefixtures("as_reviewer")
def test_filters_pick_from_all_alone(cli: Cli, waiting: str) -> None:
    """Kind and confidence narrow `all`; beside an id they are wrong usage."""
    assert cli("review", "approve", waiting, "--kind", "fact").code == 2
    nothing = cli("review", "approve", "all", "--kind", "alias")
    assert nothing.code == 0
    assert "No waiting proposal matches" in nothing.err
    assert cli("review", "approve", "all", "--min-confidence", "1.0", "--json").data["receipts"] == []
    kind = cli("review", "show", waiting, "--json").data["proposal"]["payload"]["draft"]["kind"]
    assert len(cli("review", "reject", "all", "--kind", kind, "--json").data["receipts"]) == 1


@pytest.mark.usefixtures("as_reviewer")
def test_rejecting_keeps_the_reason(cli: Cli, waiting: str) -> None:
    """A rejected proposal leaves the queue and is found with its reason."""
    assert cli("review", "reject", waiting, "--reason", "only that day").code == 0
    shown = cli("review", "list", "--state", "rejected", "--json").data["items"]
    assert shown[0]["id"] == waiting
    assert "only that day" in cli("review", "show", waiting).out


@pytest.mark.usefixtures("as_reviewer")
def test_an_erasure_is_approved_at_a_terminal_alone(cli: Cli) -> None:
    """A wish to forget stages it; the preview names echoes; without a terminal it stays waiting."""
    for words in (
        "The doctor Zvoltan lives in Evora.",
        "Zvoltan sings.",
        "Forget that the doctor Zvoltan lives in Evora.",
    ):
        cli("remember", words, typed="")
    items = cli("review", "list", "--json").data["items"]
    (erasing,) = (one["id"] for one in items if one["proposal"]["payload"].get("action") == "erase")
    shown = cli("review", "show", erasing).out
    assert ("would still speak of it" in shown, "Zvoltan sings" in shown) == (True, True)
    waits = cli("review", "approve", erasing)
    assert ("Left waiting" in waits.err, "Evora" in cli("list").out) == (True, True)
    assert erasing in cli("review", "list").out
    assert "Left waiting" in cli("review", "approve", "all").err
    assert cli("review", "approve", erasing, typed="y\n").code == 1  # its memory is out of use now: it is shown anew
    assert erasing in cli("review", "list").out
    assert cli("review", "approve", erasing, typed="n\n").code == 0
    assert "erased" in cli("review", "approve", erasing, typed="y\n").out
    assert erasing not in cli("review", "list").out
    assert "Evora" not in cli("list", "--all").out + cli("recall", "who lives in Evora?").out


@pytest.mark.usefixtures("as_reviewer")
def test_editing_approves_in_other_words(cli: Cli, waiting: str) -> None:
    """An edit is an approval of other words; empty words are wrong usage."""
    assert cli("review", "edit", waiting, "--text", "  ").code == 2
    ran = cli("review", "edit", "1", "--text", "The staging server runs Debian 13.")
    assert ran.code == 0
    assert "Debian 13" in cli("list").out


def test_show_has_the_evidence_and_the_gates_reason(cli: Cli, waiting: str) -> None:
    """A proposal is shown with the words it rests on, the turns around them, and why it waits."""
    text = cli("review", "show", waiting).out
    for part in (RULE.rstrip("."), "evidence", "surrounding turns", "write gate"):
        assert part in text


def test_refused_proposals_stay_visible(cli: Cli) -> None:
    """What the gate refused is listed on request, and does not mix with what waits."""
    ran = cli("review", "--refused", "--json")
    assert ran.code == 0
    assert ran.data["items"] == []


@pytest.mark.usefixtures("as_reviewer")
def test_reviewers_are_added_listed_and_removed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list names them; the last one stays; an unknown one is not found; a short passphrase will not do."""
    assert cli("reviewer", "--json").data["reviewers"] == ["ana"]
    said = iter([SECRET, "short", "short", SECRET, SECRET, SECRET])
    monkeypatch.setattr(authentication, "ask_passphrase", lambda _prompt: next(said))
    for words, code in ((("add", "bo"), 2), (("remove", "ana"), 2), (("remove", "bo"), 5)):
        assert cli("reviewer", *words, typed="").code == code


def test_an_environment_makes_and_removes_no_reviewer(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret in the environment unlocks a reviewer; it adds none, changes none and removes none."""
    monkeypatch.setenv(authentication.SECRET_VARIABLE, SECRET)
    assert cli("reviewer", "add", "ana").code == 3
    assert cli("reviewer", "--json").data["reviewers"] == []
    add_reviewer(home)
    assert cli("undo", "a_0000").code == 5  # it unlocks: what it names is not there
    assert [cli("reviewer", *words).code for words in (("add", "bo"), ("add", "ana"), ("remove", "ana"))] == [3, 3, 3]
    assert cli("reviewer", "--json").data["reviewers"] == ["ana"]


def test_unlocking_needs_a_terminal(cli: Cli) -> None:
    """Nothing is held where there is no terminal."""
    assert cli("reviewer", "unlock").code == 2
    assert cli("reviewer", "lock").code == 0


@pytest.mark.usefixtures("as_reviewer")
def test_undo_takes_back_an_act_and_a_conversation(cli: Cli, chat: Path) -> None:
    """One act is taken back by its id, everything learned from a conversation by its name; an undo is an act itself."""
    cli("learn", str(chat))
    known = len(cli("list", "--json").data["records"])
    assert known >= 2
    undone = cli("undo", "--conversation", "planning", "--json")
    assert undone.code == 0
    assert cli("list", "--json").data["records"] == []
    assert cli("undo", undone.data["act_id"]).code == 0
    assert len(cli("list", "--json").data["records"]) == known
    assert "Nothing changed" in cli("undo", undone.data["act_id"]).out


@pytest.mark.parametrize(
    ("words", "code"),
    [(["undo"], 2), (["undo", "a_x", "--conversation", "c"], 2), (["undo", "a_0000"], 5), (["undo", "nothing"], 5)],
)
@pytest.mark.usefixtures("as_reviewer")
def test_undo_of_nothing_says_so(cli: Cli, words: list[str], code: int) -> None:
    """Nothing named is wrong usage; an unknown act or conversation is not found."""
    assert cli(*words).code == code


@pytest.mark.usefixtures("as_reviewer")
def test_words_in_place_of_a_name_find_the_memories_that_hold_them(cli: Cli, chat: Path) -> None:
    """Nothing is forgotten by words alone; the error names the memories that are meant, or where ids are shown."""
    cli("learn", str(chat))
    record = next(one for one in cli("list", "--json").data["records"] if "5433" in one["text"])
    ran = cli("forget", "5433")
    assert ran.code == 5
    assert record["id"] in ran.err
    ran = cli("forget", "flamingo")
    assert ran.code == 5
    assert "dopejar list" in ran.err
    assert record["id"] in {one["id"] for one in cli("list", "--json").data["records"]}


@pytest.mark.usefixtures("as_reviewer")
def test_deprecated_memories_come_back(cli: Cli, chat: Path) -> None:
    """A memory goes out of use and comes back."""
    cli("learn", str(chat))
    name = cli("list", "--json").data["records"][0]["id"]
    assert cli("forget", name).code == 0
    assert [one["id"] for one in cli("list", "--status", "deprecated", "--json").data["records"]] == [name]
    assert cli("bring-back", name).code == 0
    assert name in {one["id"] for one in cli("list", "--json").data["records"]}


@pytest.mark.usefixtures("as_reviewer")
def test_erasing_gives_a_verified_receipt(cli: Cli, chat: Path, home: Path) -> None:
    """The receipt says that the words are gone, they are in no file of the store, and do not come back."""
    cli("learn", str(chat))
    name = next(one["id"] for one in cli("list", "--json").data["records"] if "5433" in one["text"])
    ran = cli("erase", name, "--yes", "--json")
    assert ran.code == 0, ran.out
    assert ran.data["verified"] is True
    assert ran.data["records"] == [name]
    assert not [path for path in home.glob("dopejar.db*") if b"port 5433" in path.read_bytes()]
    cli("learn", str(chat))
    assert "5433" not in cli("list").out


@pytest.mark.usefixtures("as_reviewer")
def test_erasing_asks_first(cli: Cli, chat: Path) -> None:
    """Without --yes a program is refused and a person is asked; saying no changes nothing."""
    cli("learn", str(chat))
    name = cli("list", "--json").data["records"][0]["id"]
    assert cli("erase", name).code == 2
    declined = cli("erase", name, typed="n\n")
    assert declined.code == 1
    assert name in declined.err
    assert len(cli("list", "--json").data["records"]) >= 2
    assert cli("erase", name, typed="y\n").code == 0


@pytest.mark.parametrize(
    ("line", "code"),
    [("erase", 2), ("erase m_0 --yes", 5), ("erase --episode e_0 --yes", 5), ("erase --conversation no", 5)],
)
@pytest.mark.usefixtures("as_reviewer")
def test_erasing_nothing_says_so(cli: Cli, line: str, code: int) -> None:
    """Nothing named is wrong usage; what is not there is not found, before anybody is asked."""
    assert cli(*line.split()).code == code


@pytest.mark.usefixtures("as_reviewer")
def test_erasing_a_turn_and_a_conversation(cli: Cli, chat: Path) -> None:
    """A turn goes by its whole id, a conversation by its name, with all that rests on it alone."""
    cli("learn", str(chat))
    record = next(one for one in cli("list", "--json").data["records"] if "5433" in one["text"])
    turn = cli("show", record["id"], "--json").data["evidence"][0][0]["episode_id"]
    assert cli("erase", "--episode", turn, "--yes").code == 0
    assert cli("erase", "--conversation", "planning", "--yes").code == 0
    assert cli("list", "--json").data["records"] == []


# -- a real terminal ---------------------------------------------------------------------------------------------------


@needs_pty
def test_passphrase_holds_at_its_terminal_and_nowhere_else(at_terminal: Talk, cli: Cli, waiting: str) -> None:
    """Typed twice when it is made, once when it is used, and then not again at that terminal; another one asks anew."""
    made = at_terminal("dopejar reviewer add ana", *NEW_REVIEWER)
    assert made[0] == 0, made
    assert SECRET not in made[1]
    line = f"dopejar review show {waiting} && dopejar review approve {waiting}"
    line += f" && dopejar undo $(dopejar log --limit 1 --json | {sys.executable} -c"
    line += ' \'import json, sys; print(json.load(sys.stdin)["acts"][0]["act_id"])\') && dopejar reviewer lock'
    used = at_terminal(line, ("Passphrase", SECRET))
    assert used[0] == 0, used
    assert used[1].count("Passphrase") == 1
    assert "Locked." in used[1]
    code, said = at_terminal("dopejar reviewer unlock", ("Passphrase:", "not-" + SECRET))
    assert code == 3
    assert "No reviewer" in said
    assert cli("reviewer", "--json").data["unlocked"] is None


@needs_pty
def test_two_different_passphrases_add_nobody(at_terminal: Talk, cli: Cli) -> None:
    """A slip of the finger adds nobody."""
    answers = (("New passphrase:", SECRET), ("Repeat the passphrase:", SECRET + "x"))
    code, _ = at_terminal("dopejar reviewer add ana", *answers)
    assert code == 2
    assert cli("reviewer", "--json").data["reviewers"] == []


@needs_pty
def test_words_typed_at_a_real_terminal_are_the_users(at_terminal: Talk) -> None:
    """At a pseudo-terminal a preference takes effect; with a pipe in front of it, it waits."""
    assert at_terminal("dopejar remember 'I prefer dark mode.'")[0] == 0
    assert at_terminal("echo | dopejar remember 'The staging server runs Debian 12.'")[0] == 4


@pytest.mark.usefixtures("as_reviewer")
@pytest.mark.parametrize("option", [(), ("--keep-both",)])
def test_contradicted_memory_is_shown_and_retired_or_kept(cli: Cli, home: Path, option: tuple[str, ...]) -> None:
    """`review list` and `review show` tell both texts; approval retires the old one, unless both are to be kept."""
    old, new = "My birthday is on 3 May", "My birthday is on 4 May"
    with open_memory(home, said_by="user") as memory:
        memory.remember(f"{old}.")
        memory.remember(f"{new}.")
    assert old in cli("review", "list").out
    assert "contradicts m_" in cli("review", "show", "1").out
    said = cli("review", "approve", "1", *option).out.splitlines()
    now = [line.split()[0] for line in said if new in line]
    assert now == (["added"] if option else ["now"])
    assert [line.split()[0] for line in said if old in line] == ([] if option else ["superseded"])
    active = [record["text"] for record in cli("list", "--json").data["records"]]
    assert sorted(active) == ([old, new] if option else [new])


@pytest.mark.usefixtures("as_reviewer")
@pytest.mark.parametrize("apart", [",", " ", ", "], ids=["comma", "blank", "both"])
def test_lists_are_named_with_commas_or_blanks(cli: Cli, apart: str) -> None:
    """What the prompt takes as `1,3` the commands take too: proposals by number, memories by id."""
    for port in (7000, 7001, 7002):
        cli("remember", f"The service svc{port} runs on port {port}.")
    waiting = cli("review", "list", "--json").data["items"]
    assert len(waiting) == 3
    assert cli("review", "approve", *f"1{apart}3".split()).code == 0
    assert cli("review", "reject", "2").code == 0
    kept = [record["id"] for record in cli("list", "--json").data["records"]]
    assert len(kept) == 2
    assert cli("forget", *apart.join(kept).split()).code == 0
    assert cli("list", "--json").data["records"] == []


@needs_pty
def test_forget_asks_about_the_one_memory_that_words_fit(at_terminal: Talk, cli: Cli) -> None:
    """A yes takes it out of use, a no changes nothing; of several memories, and in a pipe, an id is wanted."""
    for text in (
        "The ferry site runs on port 7100.",
        "The bakery site uses Postgres 16.",
        "The bakery app uses Redis.",
    ):
        cli("remember", text, typed="")
    at_terminal("dopejar reviewer add ana", *NEW_REVIEWER)
    code, said = at_terminal("dopejar forget 'the ferry'", ("[y/N]", "n"))
    assert (code, "The ferry site runs on port 7100?" in said) == (1, True)
    assert len(cli("list", "--json").data["records"]) == 3
    for words in ("'the bakery'", "'the ferry' | cat"):
        code, said = at_terminal(f"dopejar forget {words}")
        assert ("is no id or key" in said, "[y/N]" in said) == (True, False)
    assert at_terminal("dopejar forget 'the ferry'", ("[y/N]", "y"), ("Passphrase", SECRET))[0] == 0
    assert ["ferry" in record["text"] for record in cli("list", "--json").data["records"]] == [False, False]
