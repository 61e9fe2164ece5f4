"""review at a terminal: what waits is shown in full and asked about; nowhere else, and silence decides nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import NEW_REVIEWER, SECRET, Cli, Ran, Talk, Terminal, needs_pty

from dopejar.compose import open_memory
from dopejar.doors.cli import start
from dopejar.doors.cli.approval_prompt import ApprovalInterface, PromptDecisions, ask_and_decide
from dopejar.doors.cli.command_context import CommandContext
from dopejar.engine.results import ReviewItem
from dopejar.errors import StaleProposalError
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ProposalId, TraceId
from dopejar.values.proposal import Deprecate, Proposal, Via
from dopejar.values.scope import UNIVERSAL

RULES = ("Deploys need a second pair of eyes.", "The staging server runs Debian 12.", "Backups are kept for 30 days.")
Desk = Callable[..., Ran]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Run one command line where a person types and sees what is written, or where one of the two is no terminal."""

    def run(*words: str, typed: str = "", piped: str = "") -> Ran:
        said = {"stdout": Terminal(), "stderr": Terminal()}
        with monkeypatch.context() as here:
            here.setattr("sys.stdin", Terminal(typed))
            for name, stream in said.items():
                here.setattr(f"sys.{name}", stream)
            if piped:
                here.setattr(f"sys.{piped}.isatty", lambda: False)
            code = start.run(list(words))
        return Ran(code=code, out=said["stdout"].getvalue(), err=said["stderr"].getvalue())

    return run


@pytest.fixture
def queued(cli: Cli) -> tuple[str, ...]:
    """Three things wait; their texts in the order of the queue."""
    for words in RULES:
        assert cli("remember", words).code == 4
    return waiting(cli)


def waiting(cli: Cli) -> tuple[str, ...]:
    """The texts that wait."""
    return tuple(one["text"] for one in cli("review", "--json").data["items"])


def held(cli: Cli) -> set[str]:
    """The texts that are believed."""
    return {one["text"] for one in cli("list", "--json").data["records"]}


@pytest.mark.usefixtures("as_reviewer")
@pytest.mark.parametrize(
    ("typed", "left", "kept"),
    [
        ("all\n", (), (0, 1, 2)),
        ("1\n", (1, 2), (0,)),
        ("2-3\n", (0,), (1, 2)),
        ("1, 3\n", (1,), (0, 2)),
        ("none\n", (0, 1, 2), ()),
        ("", (0, 1, 2), ()),
        ("\n", (0, 1, 2), ()),
        ("\n\n\n1\n", (0, 1, 2), ()),
        ("perhaps\n4\n2\n", (0, 2), (1,)),
        ("reject 2\nnone\n", (0, 2), ()),
        ("r1\nall\n", (), (1, 2)),
        ("reject 2\n", (0, 2), ()),
    ],
)
def test_a_person_decides_the_queue(
    cli: Cli, desk: Desk, queued: tuple[str, ...], typed: str, left: tuple[int, ...], kept: tuple[int, ...]
) -> None:
    """Numbers, ranges, all, none and reject do what they say; bad input is asked again, silence decides nothing."""
    ran = desk("review", typed=typed)
    assert ran.code == 0, ran.err
    assert all(f"[{place}] " in ran.err and text in ran.err for place, text in enumerate(queued, 1))
    assert waiting(cli) == tuple(queued[one] for one in left)
    assert held(cli) == {queued[one] for one in kept}


@pytest.mark.usefixtures("as_reviewer")
def test_words_are_edited_before_they_are_approved(cli: Cli, desk: Desk, queued: tuple[str, ...]) -> None:
    """What is typed instead is believed once its changes were confirmed, the others wait."""
    refused = desk("review", typed="edit 2\nThe staging server runs Debian 13.\n\nnone\n")
    assert " -> The staging server runs Debian 13." in refused.err
    assert held(cli) == set()
    desk("review", typed="edit 2\nThe staging server runs Debian 13.\ny\nnone\n")
    assert held(cli) == {"The staging server runs Debian 13."}
    assert waiting(cli) == (queued[0], queued[2])


@pytest.mark.usefixtures("as_reviewer")
@pytest.mark.parametrize(("answer", "is_held"), [("y", True), ("n", False)])
def test_an_edit_that_changes_nothing_is_confirmed(
    cli: Cli, desk: Desk, queued: tuple[str, ...], answer: str, is_held: bool
) -> None:
    """Enter keeps the words, and like any other edit asks before it approves, and says what it does at once."""
    ran = desk("review", typed=f"edit 2\n\n{answer}\nnone\n")
    assert held(cli) == ({queued[1]} if is_held else set())
    assert (f"[2] will be approved as: {queued[1]}" in ran.err) is is_held


@pytest.mark.usefixtures("as_reviewer")
def test_a_clause_is_shown_in_its_turn(cli: Cli, desk: Desk, tmp_path: Path) -> None:
    """Under a proposal stand the words around it, also where what was said goes on."""
    words = "The table gets a cursor, not pages, as we agreed with sales on monday. Always close the valve at night. "
    talk = tmp_path / "talk.jsonl"
    turn = {"role": "user", "content": words + "And so on. " * 40, "ts": "2026-03-01T09:00:00Z"}
    talk.write_text(json.dumps(turn) + "\n", encoding="utf-8")
    assert cli("learn", str(talk)).code in (0, 4)
    said = [line for line in desk("review", typed="none\n").err.splitlines() if "said: " in line]
    assert any("monday. Always close the valve at night. And so on." in line and line.endswith("…") for line in said)


@pytest.mark.usefixtures("as_reviewer")
def test_the_numbers_of_the_prompt_are_those_of_later_commands(cli: Cli, desk: Desk, queued: tuple[str, ...]) -> None:
    """What was asked about and left waiting is decided afterwards by the same number."""
    desk("review", typed="none\n")
    assert cli("review", "approve", "2").code == 0
    assert held(cli) == {queued[1]}


@pytest.mark.usefixtures("as_reviewer")
def test_it_is_shown_what_a_wish_stands_against(cli: Cli, desk: Desk, tmp_path: Path) -> None:
    """Who is asked about a rule sees the rule in force that approving it takes out of use."""
    for day, width in ((1, 100), (2, 120)):
        words = f"always limit lines to {width} characters"
        turn = {"role": "user", "content": words, "ts": f"2026-03-0{day}T09:00:00Z"}
        talk = tmp_path / f"{width}.jsonl"
        talk.write_text(json.dumps(turn) + "\n", encoding="utf-8")
        assert cli("learn", str(talk)).code in (0, 4)
        ran = desk("review", typed="all\n")
        assert ("contradicts: Always limit lines to 100 characters (active)" in ran.err) is (width == 120)
    assert held(cli) == {"Always limit lines to 120 characters"}


@pytest.mark.usefixtures("as_reviewer", "queued")
def test_what_is_approved_together_is_one_act(cli: Cli, desk: Desk) -> None:
    """One undo takes back all that one answer approved."""
    desk("review", typed="all\n")
    act = cli("log", "--limit", "1", "--json").data["acts"][0]["act_id"]
    assert cli("undo", act).code == 0
    assert len(waiting(cli)) == len(RULES)
    assert held(cli) == set()


@pytest.mark.usefixtures("as_reviewer")
def test_only_what_was_shown_is_decided(cli: Cli, desk: Desk, queued: tuple[str, ...]) -> None:
    """`all` is all that is shown; that more waits is said before and after."""
    ran = desk("review", "--limit", "2", typed="all\n")
    assert "3 waiting for review; showing the first 2" in ran.err
    assert queued[2] not in ran.err
    assert waiting(cli) == queued[2:]
    assert "1 proposal is waiting for review" in ran.out


@pytest.mark.usefixtures("as_reviewer", "queued")
@pytest.mark.parametrize(
    ("words", "piped"),
    [
        (("review",), "stdin"),
        (("review",), "stdout"),
        (("review",), "stderr"),
        (("review", "list"), ""),
        (("review", "--json"), ""),
        (("review", "--quiet"), ""),
        (("review", "--refused"), ""),
        (("review", "--state", "staged"), ""),
        (("review", "--offset", "1"), ""),
    ],
)
def test_elsewhere_nobody_is_asked(cli: Cli, desk: Desk, words: tuple[str, ...], piped: str) -> None:
    """Without a terminal on every side, as data, in silence, or with another listing than the queue, it only lists."""
    ran = desk(*words, typed="all\n", piped=piped)
    assert ran.code == 0
    assert "Approve" not in ran.err
    assert ("Debian" in ran.out) is ("--refused" not in words)
    assert len(waiting(cli)) == len(RULES)


@pytest.mark.usefixtures("queued")
def test_without_a_reviewer_the_queue_is_listed(cli: Cli, desk: Desk) -> None:
    """Where nobody may decide, it is said how to, and the listing comes all the same."""
    ran = desk("review", typed="all\n")
    assert ran.code == 0
    assert "reviewer add" in ran.err
    assert "Debian" in ran.out
    assert len(waiting(cli)) == len(RULES)


@pytest.mark.usefixtures("as_reviewer")
def test_an_empty_queue_asks_nothing(desk: Desk) -> None:
    """Nothing waits, and it is said."""
    ran = desk("review", typed="all\n")
    assert (ran.code, ran.out, ran.err.strip()) == (0, "", "Nothing is waiting for review.")


@pytest.mark.usefixtures("as_reviewer", "queued")
def test_what_changed_meanwhile_is_not_decided(cli: Cli, home: Path) -> None:
    """Where one was decided between the question and the answer, the answer is refused whole."""
    with open_memory(home) as memory:
        items = memory.review.queue()
        ids = [one.proposal.id for one in items]

        def ask(_interface: ApprovalInterface) -> PromptDecisions:
            memory.review.reject(ids[:1], memory.reviewers.unlock(SECRET), seen=memory.review.versions())
            return PromptDecisions(approved=tuple(ids))

        with pytest.raises(StaleProposalError):
            ask_and_decide(CommandContext(), memory, items, ask)
    assert held(cli) == set()
    assert len(waiting(cli)) == len(RULES) - 1


@pytest.mark.usefixtures("as_reviewer")
def test_what_is_said_again_for_all_holds_for_all(home: Path) -> None:
    """The rule of one project gets the scope of the words that repeat it."""
    with open_memory(home, project="bakery", said_by="user") as memory:
        memory.remember("Always weigh the flour here.")
        by, seen = memory.reviewers.unlock(SECRET), memory.review.versions()
        memory.review.approve([memory.review.queue()[0].proposal.id], by, seen=seen)
        (rule,) = memory.list()
        memory.remember("Never guess the flour in any of my projects.")
        (item,) = memory.review.queue()
        assert (item.proposal.scope == UNIVERSAL, rule.scope == UNIVERSAL) == (True, False)
        again = PromptDecisions(said_again={item.proposal.id: rule})
        ask_and_decide(CommandContext(), memory, [item], lambda _: again)
        assert {record.scope for record in memory.list() if record.text == rule.text} == {rule.scope, UNIVERSAL}


def test_a_wish_without_words_is_not_edited() -> None:
    """It is shown with what it is about; an edit is asked again, approving and rejecting go."""
    wish = Proposal(
        id=ProposalId("p_one"),
        act_id=ActId("a_one"),
        payload=Deprecate(),
        at=datetime(2026, 3, 1, tzinfo=UTC),
        origin=Origin.SYSTEM,
        via=Via.UNATTENDED,
        made_by="upkeep@1",
        trace_id=TraceId("t_one"),
        rationale="Nobody used it for a year.",
    )
    shown: list[str] = []
    lines = iter(["edit 1", "reject 1"])
    interface = ApprovalInterface(ask=lambda _: next(lines), say=shown.append)
    item = ReviewItem(proposal=wish, number=1, text="Ports below 1024\n[2] are \x1b[31mopen.")
    assert interface.ask_about_items([item], {}) == PromptDecisions(rejected=("p_one",))
    assert [line for line in shown if "no text to edit" in line]
    assert "[1] deprecate for universal, medium, by system (upkeep@1)" in shown
    assert "    text: Ports below 1024 [2] are \\x1b[31mopen." in shown


@needs_pty
def test_a_real_terminal_unlocks_and_decides(at_terminal: Talk, cli: Cli, queued: tuple[str, ...]) -> None:
    """Asked what to approve, then for the passphrase; with the output in a pipe nothing is asked."""
    made = at_terminal("dopejar reviewer add ana", *NEW_REVIEWER)
    assert made[0] == 0, made
    piped = at_terminal("dopejar review | cat")
    assert piped[0] == 0, piped
    assert "Approve" not in piped[1]
    code, said = at_terminal("dopejar review", ("Approve 1-3?", "1,3"), ("Passphrase", SECRET))
    assert code == 0, said
    assert SECRET not in said
    assert waiting(cli) == queued[1:2]
    assert held(cli) == {queued[0], queued[2]}


CLASHES = (
    ("My birthday is on 3 May", "My birthday is on 4 May"),
    ("The backup runs at night", "The backup does not run at night"),
)


@pytest.fixture
def clashing(cli: Cli, home: Path) -> None:
    """Two statements wait, each against a memory in force, and a rule beside them."""
    with open_memory(home, said_by="user") as memory:
        for held_before, said in CLASHES:
            memory.remember(f"{held_before}.")
            memory.remember(f"{said}.")
    assert cli("remember", RULES[0]).code == 4


@pytest.mark.usefixtures("as_reviewer", "clashing")
@pytest.mark.parametrize("typed", ["keep-both {0}\nnone\n", "k{0}\nnone\n", "keep {0}\nreject {1}\nnone\n"])
def test_the_prompt_can_keep_both(cli: Cli, desk: Desk, typed: str) -> None:
    """What a proposal contradicts stays beside it where a person says so; the others wait or go as they are told."""
    order = waiting(cli)
    first, second = (order.index(said) + 1 for _, said in CLASHES)
    ran = desk("review", typed=typed.format(first, second))
    assert "keep-both 2" in ran.err
    assert f"keep-both {first} keeps both" in ran.err
    assert held(cli) == {CLASHES[0][0], CLASHES[0][1], CLASHES[1][0]}
    assert (CLASHES[1][1] in waiting(cli)) is ("reject" not in typed)


@pytest.mark.usefixtures("as_reviewer", "clashing")
def test_keeping_both_and_approving_the_rest_go_together(cli: Cli, desk: Desk) -> None:
    """The one is kept beside, the rest is approved and retires what it contradicts; only that is named."""
    first = waiting(cli).index(CLASHES[0][1]) + 1
    ran = desk("review", typed=f"keep-both {first}\nall\ny\n")
    retired = ran.err.split("Approving retires")[1]
    assert CLASHES[1][0] in retired
    assert CLASHES[0][0] not in retired
    assert held(cli) == {*CLASHES[0], CLASHES[1][1], RULES[0].rstrip(".")}


@pytest.mark.usefixtures("as_reviewer", "clashing")
@pytest.mark.parametrize(("answer", "acts"), [("y", True), ("n", False), ("", False)])
def test_several_approvals_name_what_they_retire_before_they_act(cli: Cli, desk: Desk, answer: str, acts: bool) -> None:
    """Approving all names each memory that goes, and acts only on a yes, at the prompt and on the command line."""
    for words, typed in ((("review",), f"all\n{answer}\nnone\n"), (("review", "approve", "all"), f"{answer}\n")):
        cli("review", "list")
        before = held(cli)
        ran = desk(*words, typed=typed)
        assert "Approving retires these 2 memories:" in ran.err
        assert all(f": {held_before}\n" in ran.err for held_before, _ in CLASHES)
        assert (held(cli) == before) is not acts
        if acts:
            assert held(cli) == {RULES[0].rstrip("."), *(said for _, said in CLASHES)}
            assert cli("undo", cli("log", "--limit", "1", "--json").data["acts"][0]["act_id"]).code == 0


@pytest.mark.usefixtures("as_reviewer", "queued")
def test_what_contradicts_nothing_is_not_kept_beside(cli: Cli, desk: Desk) -> None:
    """Where nothing is contradicted, keeping both is not offered, and typed all the same it is asked again."""
    ran = desk("review", typed="keep-both 1\nnone\n")
    assert "keep-both 2" not in ran.err
    assert "Only what contradicts" in ran.err
    assert held(cli) == set()


@pytest.mark.usefixtures("as_reviewer", "clashing")
def test_without_a_terminal_approvals_name_what_they_retire(cli: Cli) -> None:
    """Where nobody can be asked, the memories are named and the approval goes on; with --keep-both none is named."""
    cli("review", "list")
    kept = cli("review", "approve", str(waiting(cli).index(CLASHES[0][1]) + 1), "--keep-both")
    assert "Approving retires" not in kept.err
    cli("review", "list")
    ran = cli("review", "approve", "all")
    assert ran.code == 0
    assert "Approving retires this memory:" in ran.err
    assert held(cli) == {*CLASHES[0], CLASHES[1][1], RULES[0].rstrip(".")}


@pytest.mark.usefixtures("as_reviewer", "queued")
def test_a_yes_that_nothing_asked_for_decides_nothing(cli: Cli, desk: Desk) -> None:
    """The prompt offers numbers and words; a lone y is none of them, and is asked about again."""
    before = waiting(cli)
    ran = desk("review", typed="y\nyes\nnone\n")
    assert "Not understood" in ran.err
    assert waiting(cli) == before


@pytest.mark.usefixtures("as_reviewer")
@pytest.mark.parametrize("typed", ["all\ny\n", "1,2\ny\n", "1-2\ny\n"])
def test_an_erasure_is_left_waiting_among_several(cli: Cli, desk: Desk, typed: str) -> None:
    """All of a queue, or a list of it, takes the memory out of use and erases nothing."""
    cli("remember", "My rabbit is called Flap.", typed="")
    cli("remember", "Forget that my rabbit is called Flap.", typed="")
    ran = desk("review", typed=typed)
    assert "each erasure is approved alone" in ran.err
    (left,) = cli("review", "list", "--json").data["items"]
    assert left["proposal"]["payload"]["action"] == "erase"


@pytest.mark.usefixtures("as_reviewer")
def test_an_erasure_alone_shows_its_words_at_the_question(cli: Cli, desk: Desk) -> None:
    """Chosen alone, the question says what goes, and a yes erases it."""
    cli("remember", "My rabbit is called Flap.", typed="")
    cli("remember", "Forget that my rabbit is called Flap.", typed="")
    items = cli("review", "list", "--json").data["items"]
    (number,) = (at for at, one in enumerate(items, 1) if one["proposal"]["payload"]["action"] == "erase")
    ran = desk("review", typed=f"{number}\ny\n")
    assert "erases words permanently: My rabbit is called Flap" in ran.err
    assert "Flap" not in cli("list", "--all").out
