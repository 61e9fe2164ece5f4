"""Approved corrections are held against tool calls: only asking, with where they are from, never against evidence."""

import pytest
from whole_store import by_turns, write_roles

from dopejar import open_memory

SECRET = "correct horse " + "battery"
PUSHED = "Done.\n```bash\ngit push origin main\n```\n"
LISTED = "I looked around first.\n```bash\nls -la\n```\n"
NEVER = "no, never push to main"


def write_talk(folder, name, *turns, day=1):
    """A talk as a neutral file: user and assistant by turns."""
    return write_roles(folder, name, by_turns(turns), day)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer, in a project."""
    with open_memory(tmp_path / "home", environment={}, project="atlas") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


def learn(memory, *paths):
    """Learn, and give what waits."""
    list(memory.learn(paths))
    return memory.review.queue()


def approve_all(memory):
    """A person approves everything."""
    memory.review.approve([item.proposal.id for item in memory.review.queue()], memory.reviewers.unlock(SECRET))


PUSH = ("Bash", {"command": "git push origin main"})


def test_an_approved_rule_meets_the_call_that_breaks_it(memory, tmp_path):
    """Before approval nothing is checked; after it the call prompts, and it is said who said what and when."""
    learn(memory, write_talk(tmp_path, "one", "ship it", PUSHED, NEVER))
    assert memory.check(*PUSH) == ()
    approve_all(memory)
    (found,) = memory.check(*PUSH)
    assert (found.effect, found.approved_by, found.found) == ("prompt", "ana", "git push origin main")
    assert [(one.text, one.index) for one in found.said_in] == [(NEVER, 2)]
    assert memory.check("Bash", {"command": "git push origin topic"}) == ()
    assert memory.check("Bash", {"command": "ls"}) == ()


def test_a_check_that_its_evidence_contradicts_stays_advice(memory, tmp_path):
    """The person complained about another call than the check would meet: the rule is kept, and nothing is checked."""
    learn(memory, write_talk(tmp_path, "one", "ship it", LISTED, NEVER))
    (item,) = memory.review.queue()
    assert not memory.review.show(item.proposal.id).is_checkable
    approve_all(memory)
    assert memory.check(*PUSH) == ()
    assert "push to main" in memory.surveys.decisions()[0].text


def test_one_turn_that_bears_it_out_is_enough(memory, tmp_path):
    """Said again after a call that the check meets, the rule is checked."""
    learn(
        memory,
        write_talk(tmp_path, "one", "ship it", LISTED, NEVER),
        write_talk(tmp_path, "two", "and now", PUSHED, NEVER, day=2),
    )
    approve_all(memory)
    assert [one.effect for one in memory.check(*PUSH)] == ["prompt"]


def test_without_a_call_in_its_evidence_a_rule_is_checked(memory, tmp_path):
    """Evidence that shows no call speaks neither for nor against."""
    learn(memory, write_talk(tmp_path, "one", "ship it", "I pushed it to main.", NEVER))
    approve_all(memory)
    assert memory.check(*PUSH)


def test_what_is_out_of_force_is_not_checked(memory, tmp_path):
    """A rule that was taken out of use asks nobody any more."""
    learn(memory, write_talk(tmp_path, "one", "ship it", PUSHED, NEVER))
    approve_all(memory)
    memory.deprecate([memory.check(*PUSH)[0].record_id], memory.reviewers.unlock(SECRET))
    assert memory.check(*PUSH) == ()


def test_a_preview_shows_where_a_rule_would_have_applied(memory, tmp_path):
    """Past calls that break it and past turns that say it, of the project, oldest first; other turns are left out."""
    paths = [
        write_talk(tmp_path, "one", "ship the fix to main", PUSHED, "thanks, well done", day=1),
        write_talk(tmp_path, "two", "what does push do?", "It pushes to a remote, main for instance.", "ok", day=2),
        write_talk(tmp_path, "three", "ship it", PUSHED, NEVER, day=3),
    ]
    (item,) = learn(memory, *paths)
    shown = memory.review.show(item.proposal.id)
    assert shown.is_checkable
    assert [(turn.at.day, turn.index, turn.why) for turn in shown.past] == [
        (1, 1, "the assistant did it"),
        (3, 1, "the assistant did it"),
        (3, 2, "you said it"),
    ]
    assert shown.past[1].said == NEVER


def test_a_preview_stays_in_its_project(memory, tmp_path):
    """A rule of one project is not held against the turns of another."""
    with open_memory(memory.home, environment={}, project="other") as elsewhere:
        list(elsewhere.learn([write_talk(tmp_path, "far", "ship", PUSHED, "thanks", day=1)]))
    here = "no, in this project never push to main"
    (item,) = learn(memory, write_talk(tmp_path, "near", "ship it", PUSHED, here, day=3))
    assert str(item.proposal.scope) == "project:atlas"
    assert {turn.at.day for turn in memory.review.show(item.proposal.id).past} == {3}


def test_other_proposals_have_no_preview(memory, tmp_path):
    """Facts that wait direct nothing."""
    memory.remember("The staging server runs Debian 12.", said_by="assistant")
    (item,) = memory.review.queue()
    shown = memory.review.show(item.proposal.id)
    assert (shown.past, shown.is_checkable) == ((), False)
