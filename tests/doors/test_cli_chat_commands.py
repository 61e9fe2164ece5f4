"""chat, trace."""

from __future__ import annotations

from itertools import pairwise

from command_line import Cli


def test_a_day_of_turns_is_governed(cli: Cli) -> None:
    """Work is declared, an emergency stops it, an answer is taken back, and the next process goes on from there."""
    said = cli("chat", typed="Help me plan my week\n/yes\nSTOP! Wrong project!\n/why\n/lane\n")
    assert said.code == 0
    assert "[L2 · sensemaking · no commitment · no lane]" in said.out
    assert "A piece of work seems to begin" in said.out
    assert "[L2 · execution · plan my week (10 turns) · lane-1]" in said.out
    assert "gate        emergency: passed" in said.out
    assert "sensemaking · plan my week (20 turns)" in said.out
    assert "lane-1  active" in said.out
    again = cli("chat", typed="/commit Repair the fence\n/undo\n/undo\n/quit\nnever read\n")
    assert "You were in sensemaking" in again.err
    assert "Repair the fence (10 turns) · lane-2" in again.out
    assert "Taken back." in again.out
    assert "There is nothing to take back" in again.err
    assert "never read" not in again.out


def test_what_cannot_be_done_is_said(cli: Cli) -> None:
    """A lane that is not there, and a commitment without a goal, are told and do not end the conversation."""
    said = cli("chat", typed="/lane lane-9\n/commit\n/no\n/why\n/verify\nWhat time is it?\n")
    assert said.code == 0
    assert "There is no lane lane-9" in said.err
    assert "Nothing waits for an answer." in said.out
    assert "No turn was taken yet." in said.out
    assert "Nothing waits to be verified." in said.out
    assert "I know nothing about that yet." in said.out


def test_a_trace_is_shown_by_its_id(cli: Cli) -> None:
    """The tree of a turn is printed with --trace, found again by its id, and holds none of its words."""
    said = cli("chat", "--trace", typed="Help me plan my week\n")
    name = next(line.split()[1] for line in said.out.splitlines() if line.startswith("trace "))
    shown = cli("trace", name)
    assert shown.out.startswith("[alt] transition: L3→L2")
    assert shown.out.strip() in said.out
    assert "week" not in shown.out
    assert cli("trace", "t_none").code == 5


DAY = """Good morning!
Help me plan my week
/yes
Where is the oven's manual?
Draft the order for the flour.
Actually wait, the electrician is at the door, where was the fuse box again?
/no
Delete the old price list for good.
/verify
Let's switch to the website now.
/yes
/yes
I want the page simple but also complete.
STOP! You are editing the wrong page!
I meant the page with the opening hours.
/yes
The page is done.
/yes
It has everything, only the map is missing.
/yes
Let's get back to planning the week.
/yes
I am totally overwhelmed, this is too much.
/no
What is left for tomorrow?
"""


def test_a_whole_day_reads_well(cli: Cli) -> None:
    """Over a day no question is put twice, each yes does what was asked, and the day ends where it should."""
    said = cli("chat", typed=DAY)
    lines = said.out.splitlines()
    begun = [line for line in lines if line.startswith(("Begun", "Set aside", "Completed", "Back to it", "Going on"))]
    assert begun == [
        "Begun: plan my week (lane-1, 10 turns).",
        "Set aside: plan my week (lane-1).",
        "Begun: the website (lane-2, 10 turns).",
        "Going on: the website (19 turns left).",
        "Completed: the website.",
        "Back to it: plan my week (lane-1, 4 turns).",
    ]
    assert lines.count("Which of your priorities does this serve?") == 1
    turns = said.out.split("\n[")
    asked = [[line for line in turn.splitlines() if line.endswith("?")] for turn in turns]
    assert not any(set(one) & set(other) for one, other in pairwise(asked))
    assert "(/verify)" in lines
    assert "Confirmed: it may go ahead." in lines
    assert "Stopped. Nothing goes on until you say what is meant." in lines
    assert "Open work: plan my week (lane-1, active)." in lines
    assert said.err.count("Say what is on your mind") == 1


def test_a_request_waits_for_its_confirmation_through_one_turn(cli: Cli) -> None:
    """After an answer in words it is named and may still be confirmed; after a second turn, or a yes, no more."""
    ask, answer = "Delete the old price list for good.", "yes, I am sure, there is a copy"
    said = cli("chat", typed=f"{ask}\n{answer}\n/verify\n/verify\n").out
    assert f"Not confirmed yet: {ask}" in said
    assert (
        said.index(f"Of: {ask}")
        < said.index("Confirmed: it may go ahead.")
        < said.index("Nothing waits to be verified")
    )
    late = cli("chat", typed=f"{ask}\n{answer}\nThe oven is blue.\n/verify\n").out
    assert "Nothing waits to be verified." in late
    assert "Confirmed" not in late


def test_only_what_waited_is_confirmed(cli: Cli) -> None:
    """A turn that was never held up is not called confirmed, however much hangs on it."""
    typed = ("Thanks for the insurance form.", "The tax letter is on the desk.", "Which bank was it again?")
    said = cli("chat", typed="\n".join(typed) + "\n")
    assert "/verify" not in said.out
    assert "Confirmed" not in said.out


def test_no_answer_is_taken_for_another(cli: Cli) -> None:
    """A bare yes answers no gate, a second /yes finds nothing, and a proposal that was passed over is gone."""
    said = cli("chat", typed="Help me plan my week\nyes\n/yes\nLet's work on the fence.\n/yes\n/yes\n")
    assert said.out.count("Nothing waits for an answer.") == 2
    assert "Begun: plan my week" not in said.out
    assert said.out.count("Begun: ") == 1
