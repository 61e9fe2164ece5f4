"""Wishes that several conversations say once each: added up, in any order, and taken apart by undo and erasure."""

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import believed, chain_faults, seen, write_roles

from dopejar import open_memory

SECRET = "correct horse " + "battery"
SAME = (
    "no, use the staging database",
    "wrong, you should use the staging database",
    "that's not right. use the staging database please",
)
OTHER = ("no, the header must stay at the top", "you forgot to update the changelog", "thanks, that works")
REPEATED = "from now on always use the staging database"


def write_talk(folder, name, said, day):
    """One correction in a small talk, on a day of its own."""
    turns = [
        ("user", "please mend the report script"),
        ("assistant", "Done. I ran the script against the production database and moved the header."),
        ("user", said),
        ("assistant", "Sorry, I changed it."),
    ]
    return write_roles(folder, name, turns, day)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer, in a project."""
    with open_memory(tmp_path / "home", environment={}, project="atlas") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def talks(tmp_path):
    """Three talks that each say the same once."""
    return [write_talk(tmp_path, f"t{place}", said, place + 1) for place, said in enumerate(SAME)]


def learn(memory, *paths):
    """Learn file by file; what waits then, with how many turns say it."""
    for path in paths:
        list(memory.learn([path]))
    return [(item.text, len(item.proposal.evidence)) for item in memory.review.queue()]


def test_said_once_in_each_of_two_conversations_it_is_proposed(memory, talks):
    """The first talk asks nobody; the second one proposes, resting on both; the third joins."""
    assert learn(memory, talks[0]) == []
    assert learn(memory, talks[1]) == [("Use the staging database", 2)]
    assert learn(memory, talks[2]) == [("Use the staging database", 3)]


def test_learning_again_adds_nothing_up(memory, talks):
    """The same file twice is one conversation."""
    assert learn(memory, talks[0], talks[0]) == []


def test_projects_are_not_added_up(memory, talks, tmp_path):
    """A one-off wish holds in its project; another project's talk does not count."""
    learn(memory, talks[0])
    with open_memory(tmp_path / "home", environment={}, project="other") as elsewhere:
        assert learn(elsewhere, talks[1]) == []


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_three_talks_in_any_order(order, talks, tmp_path):
    """Whichever arrives first, the same waits, in the words that were said first."""
    states = []
    for chosen in ((0, 1, 2), order):
        with (
            tempfile.TemporaryDirectory() as home,
            open_memory(home, environment={}, project="atlas") as memory,
        ):
            learn(memory, *(talks[place] for place in chosen))
            states.append(believed(memory))
    assert states[0] == states[1]


@settings(max_examples=40)
@given(st.lists(st.sampled_from((*SAME, *OTHER, REPEATED)), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_any_talks_in_any_order_end_alike(said, chance):
    """One-off, standing and other wishes: the order of arrival decides nothing."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [write_talk(Path(folder), f"t{place}", words, place + 1) for place, words in enumerate(said)]
        shuffled = list(paths)
        chance.shuffle(shuffled)
        states = []
        for chosen in (paths, shuffled):
            with tempfile.TemporaryDirectory() as home, open_memory(home, environment={}, project="atlas") as memory:
                learn(memory, *chosen)
                assert chain_faults(memory) == []
                states.append(believed(memory))
        assert states[0] == states[1]


def test_undoing_one_of_two_is_as_never_having_learned_it(memory, talks, tmp_path):
    """What two talks said, and one of them was taken back, waits no longer; undoing the undo lets it wait again."""
    learn(memory, talks[0], talks[1])
    ana = memory.reviewers.unlock(SECRET)
    receipt = memory.undo(str(talks[1]), ana)
    assert memory.review.queue() == ()
    memory.undo(receipt.act_id, ana)
    queue = [(item.text, len(item.proposal.evidence)) for item in memory.review.queue()]
    assert queue == [("Use the staging database", 2)]


def test_what_was_taken_back_counts_for_no_later_talk(memory, talks):
    """A talk that was undone before anything was proposed does not speak with a later one."""
    learn(memory, talks[0])
    memory.undo(str(talks[0]), memory.reviewers.unlock(SECRET))
    assert learn(memory, talks[1]) == []
    assert learn(memory, talks[2]) == [("Use the staging database", 2)]


def test_what_was_erased_counts_for_no_later_talk(memory, talks):
    """Erasing a talk erases its wish as well."""
    learn(memory, talks[0])
    memory.erase(memory.reviewers.unlock(SECRET), conversation=str(talks[0]))
    assert learn(memory, talks[1]) == []


def test_an_approved_wish_keeps_its_words(memory, talks):
    """Once a person approved it, an earlier talk that arrives later adds evidence and no other words."""
    learn(memory, talks[1], talks[2])
    (item,) = memory.review.queue()
    memory.review.edit(
        item.proposal.id, "Run reports on the staging database", memory.reviewers.unlock(SECRET), seen=seen(memory)
    )
    learn(memory, talks[0])
    assert memory.review.queue() == ()
    (line,) = memory.surveys.decisions()
    assert (line.text, line.frequency) == ("Run reports on the staging database", 3)


def test_a_rejected_wish_is_not_added_up_again(memory, talks):
    """A third talk does not bring back what a person rejected."""
    learn(memory, talks[0], talks[1])
    ids = [item.proposal.id for item in memory.review.queue()]
    memory.review.reject(ids, memory.reviewers.unlock(SECRET), "not ours", seen=seen(memory))
    assert learn(memory, talks[2]) == []
