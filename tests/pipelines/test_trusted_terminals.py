"""A trusted terminal: by a reviewer alone, for its own id alone, for a time, and never for a decision."""

from dataclasses import replace
from datetime import timedelta

import pytest

from dopejar import Reviewer, open_memory
from dopejar.engine.memory import Memory
from dopejar.errors import InputError, NotFoundError, ReviewerRequiredError
from dopejar.testing.fixed_clock import FixedClock

SECRET = "correct horse battery"


@pytest.fixture
def memory(tmp_path):
    """A memory with a clock that stands still."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield Memory(replace(opened._deps, clock=FixedClock(opened._deps.clock.now())), opened.project)


@pytest.fixture
def ana(memory):
    """A reviewer with an open session."""
    memory.reviewers.add("ana", SECRET)
    return memory.reviewers.unlock(SECRET)


def later(memory, **difference):
    """The same memory at another time."""
    return Memory(replace(memory._deps, clock=FixedClock(memory._deps.system_clock.now() + timedelta(**difference))))


def test_only_a_reviewer_trusts_a_terminal(memory, ana):
    """Neither a value made by hand, nor a reviewer whose session is over, nor nothing at all."""
    over = replace(ana, credential="gone")
    for by in (Reviewer(name="ana"), over):
        with pytest.raises(ReviewerRequiredError):
            memory.reviewers.trust_terminal("tty", by)
    with pytest.raises(InputError):
        memory.reviewers.trust_terminal("", ana)
    assert memory.reviewers.trusted_terminals() == ()


def test_trust_holds_for_that_terminal_and_that_time(memory, ana):
    """Another terminal has none, nor this one after 30 days, before it began, or without its reviewer."""
    memory.reviewers.add("ben", SECRET + "!", ana)
    memory.reviewers.trust_terminal("tty", ana)
    by = later(memory, days=29).reviewers.voucher_at("tty")
    assert by is not None
    assert later(memory, days=29).remember("Always use tabs.", by=by).took_effect
    assert memory.reviewers.voucher_at("other") is memory.reviewers.voucher_at("") is None
    for moved in (later(memory, days=31), later(memory, days=-1)):
        assert moved.reviewers.voucher_at("tty") is None
        with pytest.raises(ReviewerRequiredError):
            moved.remember("Never use tabs.", by=by)
    memory.reviewers.remove("ana", memory.reviewers.unlock(SECRET + "!"))
    assert memory.reviewers.voucher_at("tty") is None


def test_a_trusted_terminal_decides_nothing(memory, ana):
    """Who is trusted to be the user is no reviewer: every decision, and trusting another terminal, is refused."""
    memory.reviewers.trust_terminal("tty", ana)
    by = memory.reviewers.voucher_at("tty")
    memory.remember("The server listens on port 8080.", said_by="assistant")
    (item,) = memory.review.queue()
    name = item.proposal.id
    for decide in (
        lambda: memory.review.approve([name], by, seen={name: item.proposal.version}),
        lambda: memory.erase(by, records=[item.proposal.record_id]),
        lambda: memory.reviewers.add("eve", SECRET, by),
        lambda: memory.reviewers.trust_terminal("other", by),
    ):
        with pytest.raises(ReviewerRequiredError):
            decide()
    assert memory.review.waiting() == 1


def test_trust_ends(memory, ana):
    """It is revoked by its label or id, once."""
    trusted = memory.reviewers.trust_terminal("tty", ana, "/dev/pts/9")
    memory.reviewers.trust_terminal("other", ana, "/dev/pts/10")
    memory.reviewers.distrust_terminal("/dev/pts/9")
    assert [one.label for one in memory.reviewers.trusted_terminals()] == ["/dev/pts/10"]
    for name in (trusted.id, "", "/dev/pts/9"):
        with pytest.raises(NotFoundError):
            memory.reviewers.distrust_terminal(name)
