"""A statement that waits as a contradiction: both texts are shown, and one of them holds afterwards, or both."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import seen, unlocked

from dopejar import Status, open_memory
from dopejar.engine.queries.agent_answers import waiting_proposal_row
from dopejar.errors import StaleProposalError

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
PAIRS = [
    ("The backup runs at night.", "The backup does not run at night."),
    ("My birthday is on 3 May.", "My birthday is on 4 May."),
]


@pytest.fixture
def memory(tmp_path):
    """An empty memory of a user."""
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        yield opened


def tell(memory, *texts):
    """The texts, told a day apart."""
    return [memory.remember(text, at=NOON + timedelta(days=day)) for day, text in enumerate(texts)]


def current(memory):
    """The texts that hold."""
    return {record.text for record in memory.list(limit=20)}


@pytest.mark.parametrize(("first", "second"), [*PAIRS, *((later, earlier) for earlier, later in PAIRS)])
def test_one_of_two_holds_after_a_decision(first, second, memory):
    """Approval retires the memory that was shown with it, rejection keeps it, and an undo brings both back."""
    tell(memory, first, second)
    (item,) = memory.review.queue()
    key = item.proposal.payload.draft.key
    old, new = first.rstrip("."), second.rstrip(".")
    shown = memory.review.show(item.proposal.id)
    assert [record.text for record in item.contradicts] == [record.text for record in shown.contradicts] == [old]
    assert waiting_proposal_row(item)["contradicts"] == [old]
    by = unlocked(memory)
    approved = memory.review.approve([item.proposal.id], by, seen=seen(memory))
    assert current(memory) == {new}
    assert len({receipt.act_id for receipt in approved}) == 1
    found = memory.recall(old).items  # what was said before leads to what holds
    assert found[0].text == new
    assert all("superseded" in one.marks for one in found[1:] if old in one.text)
    memory.undo(approved[0].act_id, by)
    assert current(memory) == {old}
    (again,) = memory.review.queue()
    assert again.proposal.payload.draft.key == key
    assert [record.text for record in again.contradicts] == [old]
    memory.review.reject([again.proposal.id], by, seen=seen(memory))
    assert current(memory) == {old}


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_both_can_be_kept(first, second, memory):
    """A reviewer who wants both keeps both."""
    tell(memory, first, second)
    (item,) = memory.review.queue()
    memory.review.approve([item.proposal.id], unlocked(memory), seen=seen(memory), keep_both=True)
    assert current(memory) == {first.rstrip("."), second.rstrip(".")}


@pytest.mark.parametrize(
    "later", ["The backup no longer runs at night.", "The backup runs in the morning now, not at night."]
)
def test_a_later_statement_settles_it(later, memory):
    """What waited against a replaced memory expires with the replacement's act, told as such; undo brings it back."""
    *_, told = tell(memory, *PAIRS[0], later)
    assert [receipt.outcome for receipt in told.receipts] == ["superseded", "expired"]
    assert memory.review.queue() == ()
    assert current(memory) == {later.rstrip(".")}
    memory.undo(told.act_id, unlocked(memory))
    assert current(memory) == {PAIRS[0][0].rstrip(".")}
    assert [item.text for item in memory.review.queue()] == [PAIRS[0][1].rstrip(".")]


def test_an_earlier_statement_settles_nothing(memory):
    """What was said after the memory in force waits on, against that memory."""
    memory.remember("The backup runs at night.", at=NOON)
    memory.remember("The backup does not run at night.", at=NOON + timedelta(days=9))
    before = seen(memory)
    memory.remember("The backup runs in the morning now, not at night.", at=NOON + timedelta(days=2))
    (item,) = memory.review.queue()
    assert [record.text for record in item.contradicts] == ["The backup runs in the morning now, not at night"]
    with pytest.raises(StaleProposalError):  # that it retires this one was not shown
        memory.review.approve([item.proposal.id], unlocked(memory), seen=before)
    memory.review.approve([item.proposal.id], unlocked(memory), seen=seen(memory))
    assert current(memory) == {"The backup does not run at night"}


def test_an_approval_settles_older_rivals(memory):
    """Of several statements that wait against one memory, approving the last lets the older ones expire."""
    tell(memory, "My birthday is on 3 May.", "My birthday is on 4 May.", "My birthday is on 5 May.")
    *_, last = sorted(memory.review.queue(), key=lambda item: item.text)
    assert last.text == "My birthday is on 5 May"
    memory.review.approve([last.proposal.id], unlocked(memory), seen=seen(memory))
    assert current(memory) == {"My birthday is on 5 May"}
    assert memory.review.queue() == ()
    assert {record.text for record in memory.list(limit=9, statuses=(Status.EXPIRED,))} == {"My birthday is on 4 May"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(2))))
def test_approvals_together_leave_one_memory_retired(order, memory):
    """Approving several contradictions of one memory in one decision retires that memory once."""
    tell(memory, "My birthday is on 3 May.", "My birthday is on 4 May.", "My birthday is on 5 May.")
    waiting = sorted(item.proposal.id for item in memory.review.queue())
    memory.review.approve([waiting[place] for place in order], unlocked(memory), seen=seen(memory))
    assert "My birthday is on 3 May" not in current(memory)
    assert memory.review.queue() == ()


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_saying_it_again_decides_nothing(first, second, memory):
    """What waits as a contradiction waits once, however often it is said."""
    tell(memory, first, second, second, second)
    assert len(memory.review.queue()) == 1
    assert current(memory) == {first.rstrip(".")}


def test_both_can_be_kept_of_what_would_be_replaced(memory):
    """A proposed newer value is added beside the older one, in a chain of its own; undo lets it wait again."""
    by = unlocked(memory)
    memory.remember("The replica listens on port 6001.", by=by, at=NOON)
    memory.remember(
        "The replica listens on port 6002 now, not on 6001.", said_by="assistant", at=NOON + timedelta(days=1)
    )
    (item,) = memory.review.queue()
    name = item.proposal.id
    assert item.proposal.action == "supersede"
    assert [one.text for one in memory.review.would_retire([name])[name]] == ["The replica listens on port 6001"]
    assert not any(memory.review.would_retire([name], keep_both=True).values())
    receipts = memory.review.approve([name], by, seen=seen(memory), keep_both=True)
    assert len({receipt.act_id for receipt in receipts}) == 1
    both = memory.list()
    assert len(both) == len({record.chain for record in both}) == 2
    assert {record.status for record in both} == {Status.ACTIVE}
    memory.undo(receipts[0].act_id, by)
    assert current(memory) == {"The replica listens on port 6001"}
    (again,) = memory.review.queue()
    assert (again.proposal.id, again.proposal.action) == (name, "supersede")
