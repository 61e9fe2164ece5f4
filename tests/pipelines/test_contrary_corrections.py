"""What contradicts an approved rule never replaces it unasked; its approval takes the older rule out of use."""

import itertools

import pytest
from whole_store import by_turns, chain_faults, seen, write_roles

from dopejar import Status, open_memory
from dopejar.values.recall import RecordFilter

SECRET = "correct horse " + "battery"
CONTRARY = [
    ("always limit lines to 100 characters", "always limit lines to 120 characters"),
    ("always answer in German", "always answer in English"),
    ("never add comments to the code", "always add comments to the code"),
    ("from now on use npm to install packages", "from now on use pnpm instead of npm"),
]


def write_talk(folder, name, said, day):
    """A correction in a small talk, on a day of its own."""
    turns = ["please mend the report script", "Done, I changed the script.", said, "Sorry, I changed it."]
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


def approve(memory):
    """A person approves everything that waits."""
    return memory.review.approve(
        [item.proposal.id for item in memory.review.queue()], memory.reviewers.unlock(SECRET), seen=seen(memory)
    )


def in_force(memory):
    """The texts of what is active."""
    return {one.text for one in memory.list(RecordFilter(statuses=(Status.ACTIVE,)), 50)}


@pytest.mark.parametrize(("old", "new"), CONTRARY)
def test_an_approved_rule_is_not_replaced_unasked(memory, tmp_path, old, new):
    """The newer statement waits, says what it contradicts, and gains evidence; rejected, nothing has changed."""
    learn(memory, write_talk(tmp_path, "one", old, 1))
    approve(memory)
    before = in_force(memory)
    (item,) = learn(memory, write_talk(tmp_path, "two", new, 2))
    shown = memory.review.show(item.proposal.id)
    assert {one.text for one in shown.contradicts} == before
    assert in_force(memory) == before
    (again,) = learn(memory, write_talk(tmp_path, "three", f"again: {new}", 3))
    assert len(again.proposal.evidence) == 2
    memory.review.reject([again.proposal.id], memory.reviewers.unlock(SECRET), seen=seen(memory))
    assert in_force(memory) == before
    assert learn(memory, write_talk(tmp_path, "four", new, 4)) == ()


@pytest.mark.parametrize(("old", "new"), CONTRARY)
def test_its_approval_takes_the_older_one_out_of_use(memory, tmp_path, old, new):
    """One of two contrary rules is in force, and undoing the approval brings the older one back."""
    learn(memory, write_talk(tmp_path, "one", old, 1))
    approve(memory)
    before = in_force(memory)
    learn(memory, write_talk(tmp_path, "two", new, 2))
    receipts = approve(memory)
    assert len(in_force(memory)) == 1
    assert in_force(memory) != before
    assert len({one.act_id for one in receipts}) == 1
    memory.undo(receipts[0].act_id, memory.reviewers.unlock(SECRET))
    assert in_force(memory) == before
    assert chain_faults(memory) == []


@pytest.mark.parametrize("order", list(itertools.permutations(range(2))))
@pytest.mark.parametrize(("old", "new"), CONTRARY)
def test_approved_together_the_newer_one_stands(memory, tmp_path, old, new, order):
    """Whichever was learned first, `approve all` ends with what was said last, and never fails."""
    paths = [write_talk(tmp_path, "one", old, 1), write_talk(tmp_path, "two", new, 2)]
    learn(memory, *(paths[place] for place in order))
    newest = max(memory.review.queue(), key=lambda item: item.proposal.evidence[0].at).text
    approve(memory)
    assert in_force(memory) == {newest}


def test_a_file_replaces_nothing_unasked(memory, tmp_path):
    """Taking in a file is a person's act, and each of its rules still waits, also one that stands against another."""
    learn(memory, write_talk(tmp_path, "one", "always answer in German", 1))
    approve(memory)
    before = in_force(memory)
    file = tmp_path / "CLAUDE.md"
    file.write_text("- Always answer in English.\n", encoding="utf-8")
    found = memory.sessions.import_instructions(file, everywhere=True)
    assert [one.outcome for one in found.receipts] == ["staged"]
    assert in_force(memory) == before


def test_saying_it_again_makes_it_more_severe(memory, tmp_path):
    """What waits and was said three times is critical, in the queue and at the end of a session alike."""
    said = "no, keep the header at the top of each report"
    for day in (1, 2, 3):
        learn(memory, write_talk(tmp_path, f"t{day}", said, day))
    (item,) = memory.review.queue()
    assert item.proposal.priority == 1
    (shown,) = memory.sessions.end().summary.proposals
    assert (shown.priority, shown.frequency) == (1, 3)
