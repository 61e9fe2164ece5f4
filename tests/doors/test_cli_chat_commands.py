"""chat, trace."""

from __future__ import annotations

from command_line import Cli


def test_a_day_of_turns_is_governed(cli: Cli) -> None:
    """Work is declared, an emergency stops it, an answer is taken back, and the next process goes on from there."""
    said = cli("chat", typed="Help me plan my week\n/yes\nSTOP! Wrong project!\n/why\n/lane\n")
    assert said.code == 0
    assert "[L2 · sensemaking · no commitment · no lane]" in said.out
    assert "proposed    work_declaration" in said.out
    assert "[L2 · execution · Help me plan my week (10 turns) · lane-1]" in said.out
    assert "emergency gate: passed" in said.out
    assert "sensemaking · Help me plan my week (20 turns)" in said.out
    assert "lane-1  active" in said.out
    again = cli("chat", typed="/commit Repair the fence\n/undo\n/undo\n/quit\nnever read\n")
    assert "You were in sensemaking" in again.err
    assert "Repair the fence (10 turns) · lane-2" in again.out
    assert "Taken back." in again.out
    assert "There is nothing to take back" in again.err
    assert "never read" not in again.out


def test_what_cannot_be_done_is_said(cli: Cli) -> None:
    """A lane that is not there, and a commitment without a goal, are told and do not end the conversation."""
    said = cli("chat", typed="/lane lane-9\n/commit\n/no\n/why\nWhat time is it?\n")
    assert said.code == 0
    assert "There is no lane lane-9" in said.err
    assert "Nothing waits for an answer." in said.out
    assert "No turn was taken yet." in said.out
    assert "understood  none" in said.out


def test_a_trace_is_shown_by_its_id(cli: Cli) -> None:
    """The tree of a turn is printed with --trace, found again by its id, and holds none of its words."""
    said = cli("chat", "--trace", typed="Help me plan my week\n")
    name = next(line.split()[1] for line in said.out.splitlines() if line.startswith("trace "))
    shown = cli("trace", name)
    assert shown.out.startswith("[alt] transition: L3→L2")
    assert shown.out.strip() in said.out
    assert "week" not in shown.out
    assert cli("trace", "t_none").code == 5
