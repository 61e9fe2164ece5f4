"""session: a conversation's end shows what it proposes, and asks a person only where one types."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from command_line import Cli, Terminal

from dopejar.doors.cli import start
from dopejar.doors.cli.approval_prompt import ApprovalInterface, PromptCommand, parse_answer
from dopejar.pipelines.corrections import CorrectionCluster, ProposalEngine

TALK = (
    ("user", "add a retry to the upload client"),
    ("assistant", "Done. I added a retry, deleted the fixtures and committed it to main."),
    ("user", "no, never commit to main. always use a feature branch"),
    ("assistant", "Sorry. I moved the commit to a branch."),
    ("user", "and never delete the fixtures, the nightly job needs them"),
    ("assistant", "They are back."),
)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A talk with two lasting corrections."""
    path = tmp_path / "talk.jsonl"
    rows = [
        {"role": role, "content": words, "ts": f"2026-03-01T09:{place:02}:00+00:00"}
        for place, (role, words) in enumerate(TALK)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def waiting(cli: Cli) -> list[str]:
    """The texts that wait."""
    return [one["text"] for one in cli("review", "--json").data["items"]]


def test_without_a_terminal_nothing_is_asked(cli: Cli, talk: Path) -> None:
    """The proposals are made and shown, and wait in the queue."""
    ran = cli("session", "end", str(talk))
    assert ran.code == 0, ran.err
    assert "fixtures" in ran.out
    assert "waiting for review" in ran.out
    assert len(waiting(cli)) == 2


def test_as_data_nothing_is_asked(cli: Cli, talk: Path) -> None:
    """--json gives the summary, also at a terminal."""
    found = cli("session", "end", str(talk), "--json", typed="all\n").data
    assert found["session"]["total_proposed"] == 2
    assert found["session"]["total_corrections"] == 2
    assert found["waiting"] == 2


def test_without_a_reviewer_nobody_is_asked(cli: Cli, talk: Path) -> None:
    """Where nobody may decide, it is said how to, and nothing is decided."""
    ran = cli("session", "end", str(talk), typed="all\n")
    assert ran.code == 0
    assert "reviewer add" in ran.err
    assert len(waiting(cli)) == 2


@pytest.mark.usefixtures("as_reviewer")
@pytest.mark.parametrize(
    ("typed", "left", "held"),
    [
        ("all\n", 0, 2),
        ("1\n", 1, 1),
        ("2-2\n", 1, 1),
        ("none\n", 2, 0),
        ("later\n", 2, 0),
        ("", 2, 0),
        ("what?\n1, 2\n", 0, 2),
        ("7\nx\n\n1\n", 2, 0),
        ("reject 1\nnone\n", 1, 0),
        ("r1\n2\n", 0, 1),
        ("edit 2\nLeave the fixtures alone.\nyes\n1\n", 0, 2),
        ("e 1\n\ny\nnone\n", 1, 1),
        ("e 1\n\nno\nnone\n", 2, 0),
        ("edit 2\nLeave the fixtures alone.\n\n1\n", 1, 1),
    ],
)
def test_a_person_decides_at_the_end(cli: Cli, talk: Path, typed: str, left: int, held: int) -> None:
    """Numbers, all, none, edit and reject do what they say; three unclear answers decide nothing."""
    ran = cli("session", "end", str(talk), typed=typed)
    assert ran.code == 0, ran.err
    assert len(waiting(cli)) == left
    assert len(cli("list", "--json", "--kind", "rule", "--kind", "correction").data["records"]) == held


@pytest.mark.usefixtures("as_reviewer")
def test_whoever_was_asked_is_not_told_twice(cli: Cli, talk: Path) -> None:
    """The proposals are shown with the question, and not once more when nothing was decided."""
    ran = cli("session", "end", str(talk), typed="none\n")
    assert (ran.out + ran.err).count("[1] ") == 1
    assert "2 proposals are waiting for review" in ran.out


@pytest.mark.usefixtures("as_reviewer")
def test_edited_words_are_kept(cli: Cli, talk: Path) -> None:
    """What a person typed instead is what is remembered."""
    cli("session", "end", str(talk), typed="edit 1\nWork on a branch of your own.\ny\n")
    assert "Work on a branch of your own." in cli("list").out


@pytest.mark.usefixtures("as_reviewer")
def test_the_last_conversation_is_the_one_at_hand(cli: Cli, talk: Path) -> None:
    """Without a name the last conversation ends; ending it again asks about what is left."""
    assert cli("learn", str(talk)).code == 0
    assert len(cli("session", "end", "--json").data["session"]["proposals"]) == 2
    cli("session", "end", typed="1\n")
    assert len(cli("session", "end", "--json").data["session"]["proposals"]) == 1


def test_no_conversation_is_one_sentence(cli: Cli) -> None:
    """Before anything was learned there is nothing to end."""
    ran = cli("session", "end")
    assert (ran.code, ran.out) == (5, "")
    assert "dopejar learn" in ran.err


def test_sessions_are_listed(cli: Cli, talk: Path) -> None:
    """The bare word lists, with how far each was read."""
    cli("learn", str(talk))
    (line,) = cli("session", "--json").data["sessions"]
    assert (line["turns"], line["is_read"]) == (len(TALK), True)


@pytest.mark.parametrize(
    ("words", "is_shown"), [(["list"], True), (["list", "--json"], False), (["list", "-q"], False), (["review"], False)]
)
def test_the_queue_is_announced_where_a_person_is(
    cli: Cli, talk: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], is_shown: bool
) -> None:
    """One line at the start of a command that a person typed; never as data, in silence, or beside the queue itself."""
    cli("learn", str(talk))
    said = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(""))
    monkeypatch.setattr("sys.stderr", said)
    assert start.run(words) == 0
    assert ("2 proposals are waiting for review" in said.getvalue()) is is_shown


def test_the_queue_is_not_announced_in_a_pipe(cli: Cli, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the input is no terminal, nobody is there to be told."""
    cli("learn", str(talk))
    said = Terminal()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr("sys.stderr", said)
    assert start.run(["list"]) == 0
    assert "waiting" not in said.getvalue()


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("1", PromptCommand(verb="approve", numbers=(1,))),
        (" 1,3 ", PromptCommand(verb="approve", numbers=(1, 3))),
        ("1 3", PromptCommand(verb="approve", numbers=(1, 3))),
        ("1-3", PromptCommand(verb="approve", numbers=(1, 2, 3))),
        ("1,1", PromptCommand(verb="approve", numbers=(1,))),
        ("ALL", PromptCommand(verb="approve", numbers=(1, 2, 3))),
        ("none", PromptCommand(verb="none")),
        ("q", PromptCommand(verb="none")),
        ("edit 2", PromptCommand(verb="edit", numbers=(2,))),
        ("reject 1,2", PromptCommand(verb="reject", numbers=(1, 2))),
        ("reject all", PromptCommand(verb="reject", numbers=(1, 2, 3))),
        ("", None),
        ("4", None),
        ("3-1", None),
        ("1;2", None),
        ("edit 1,2", None),
        ("edit all", None),
        ("maybe", None),
        ("y", None),
        ("yes", None),
        ("-1", None),
    ],
)
def test_what_is_typed_is_read(line: str, order: PromptCommand | None) -> None:
    """A line is an order, or it is unclear; nothing between."""
    assert parse_answer(line, 3) == order


def test_the_interface_asks_whoever_it_is_given() -> None:
    """A host's own prompt is asked, and the ids of what was approved come back."""
    clusters = [
        CorrectionCluster(canonical="Keep summaries concise", correction_type="style", frequency=3, confidence=0.9),
        CorrectionCluster(canonical="Never use panic in Go code", correction_type="rule", frequency=2, confidence=0.9),
    ]
    summary = ProposalEngine().generate_proposals(clusters)
    shown: list[str] = []
    lines = iter(["nonsense", "2"])
    interface = ApprovalInterface(ask=lambda _: next(lines), say=shown.append)
    assert interface.present_proposals(summary) == [summary.proposals[1].id]
    assert any("Keep summaries concise" in line for line in shown)
    assert any("Not understood" in line for line in shown)


def test_nothing_proposed_asks_nothing() -> None:
    """An empty summary shows and asks nothing."""
    said: list[str] = []
    interface = ApprovalInterface(ask=lambda _: pytest.fail("asked"), say=said.append)
    assert interface.present_proposals(ProposalEngine().generate_proposals([])) == []
    assert said == []
