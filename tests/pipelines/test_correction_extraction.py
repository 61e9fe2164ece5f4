"""A person who corrects their assistant once does not have to do it twice."""

import pytest
from whole_store import seen, write_roles

from dopejar import Status, open_memory
from dopejar.values.recall import RecordFilter

SECRET = "correct horse " + "battery"
TALK = [
    ("user", "add a retry to the upload client"),
    ("assistant", "Done. I added a retry and committed it to main."),
    ("user", "no, never commit to main. always use a feature branch"),
    ("assistant", "Sorry. I moved the commit to a branch."),
    ("user", "thanks, that works. no problem"),
    ("assistant", "Shall I go on with the tests?"),
    ("user", "yes please"),
]


def write_talk(folder, name, talk=TALK):
    """A talk between a person and an assistant as a neutral file."""
    return write_roles(folder, name, talk)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer."""
    with open_memory(tmp_path / "home", environment={}, project="atlas") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def ana(memory):
    """The reviewer."""
    return memory.reviewers.unlock(SECRET)


def test_a_correction_waits_for_a_person(memory, tmp_path):
    """A correction is proposed with its turn as evidence, and is not believed by itself."""
    list(memory.learn([write_talk(tmp_path, "one")]))
    items = memory.review.queue()
    assert items
    assert any("main" in item.text for item in items)
    assert len(items) <= 5
    shown = memory.review.show(items[0].proposal.id)
    assert any("never commit to main" in episode.text for _, episode in shown.evidence if episode)
    assert memory.list(RecordFilter(statuses=(Status.ACTIVE,)), 100) == ()


def test_learning_again_proposes_nothing_twice(memory, tmp_path):
    """The same talk again leaves the queue as it is."""
    path = write_talk(tmp_path, "one")
    list(memory.learn([path]))
    before = [(item.proposal.id, item.proposal.version) for item in memory.review.queue()]
    list(memory.learn([path]))
    assert [(item.proposal.id, item.proposal.version) for item in memory.review.queue()] == before


def test_the_same_wish_in_another_talk_joins_the_first(memory, tmp_path):
    """Said again elsewhere, it is one proposal with more evidence."""
    list(memory.learn([write_talk(tmp_path, "one")]))
    before = len(memory.review.queue())
    other = [("user", "fix the login"), *TALK[1:]]
    list(memory.learn([write_talk(tmp_path, "two", other)]))
    items = memory.review.queue()
    assert len(items) == before
    assert max(len(item.proposal.evidence) for item in items) >= 2


def test_what_was_rejected_is_not_proposed_again(memory, ana, tmp_path):
    """After a rejection the same wish from another talk stays away."""
    list(memory.learn([write_talk(tmp_path, "one")]))
    memory.review.reject([item.proposal.id for item in memory.review.queue()], ana, "not ours", seen=seen(memory))
    other = [("user", "fix the login"), *TALK[1:]]
    list(memory.learn([write_talk(tmp_path, "two", other)]))
    assert memory.review.queue() == ()


def test_an_approved_correction_is_recalled(memory, ana, tmp_path):
    """Approved, it is in force and recall gives it as a rule."""
    list(memory.learn([write_talk(tmp_path, "one")]))
    memory.review.approve([item.proposal.id for item in memory.review.queue()], ana, seen=seen(memory))
    pack = memory.recall("may I commit to main?", records_only=True)
    assert any("main" in item.text for item in pack.items)


def test_chatter_and_answers_propose_nothing(memory, tmp_path):
    """Thanks, an accepted offer and a plain task are no corrections."""
    list(memory.learn([write_talk(tmp_path, "one", [TALK[0], TALK[1], *TALK[4:]])]))
    assert memory.review.queue() == ()
