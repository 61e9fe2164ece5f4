"""What was wrongly replaced comes back beside what replaced it, and stays, whatever is said of either."""

from datetime import UTC, datetime, timedelta

import pytest
from whole_store import seen, unlocked

from dopejar import Status, open_memory
from dopejar.errors import InputError, ReviewerRequiredError
from dopejar.values.recall import RecordFilter

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
CHAINS = [
    ("I live in Porto.", "I live in Braga."),
    ("The server listens on port 8080.", "The server listens on port 8081 now."),
    ("I drive a Skoda.", "I drive a Dacia now."),
]


@pytest.fixture
def memory(tmp_path):
    """An empty memory of a user."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def tell(memory, *texts, first=0):
    """The texts, told a day apart."""
    return [memory.remember(text, at=NOON + timedelta(days=first + day)) for day, text in enumerate(texts)]


def current(memory):
    """The texts that hold."""
    return {f"{record.text.rstrip('.')}." for record in memory.list(limit=20)}


def named(memory, text):
    """The memory with this text, in whatever state."""
    everything = memory.list(RecordFilter(statuses=tuple(Status)), 50)
    return next(record for record in everything if record.text.rstrip(".") == text.rstrip("."))


@pytest.mark.parametrize(("old", "new"), CHAINS)
def test_both_hold_afterwards(old, new, memory):
    """The replaced memory holds beside the other, with no end and in a chain of its own, in one act of the ledger."""
    tell(memory, old, new)
    assert current(memory) == {new}
    receipt = memory.bring_back([named(memory, old).id], unlocked(memory))
    assert current(memory) == {old, new}
    first, second = named(memory, old), named(memory, new)
    assert first.chain != second.chain
    assert (first.valid_to, first.superseded_by, second.supersedes) == (None, None, None)
    assert first.approved_by
    assert receipt.outcome == "restored"
    assert first.text in {item.text for item in memory.recall(old).items}
    assert memory.maintenance.doctor().faults == ()


@pytest.mark.parametrize("again", [0, 1])
@pytest.mark.parametrize(("old", "new"), CHAINS)
def test_saying_either_again_leaves_both(old, new, again, memory):
    """The same words again repeat their own memory; so does learning a conversation with these words."""
    tell(memory, old, new)
    memory.bring_back([named(memory, old).id], unlocked(memory))
    (told,) = tell(memory, (old, new)[again], first=5)
    assert [receipt.outcome for receipt in told.receipts] == ["reinforced"]
    memory.relearn()
    assert current(memory) == {old, new}


@pytest.mark.parametrize(("old", "new"), CHAINS)
def test_undo_puts_it_back_where_it_was(old, new, memory):
    """Undone, the other one replaces it again as before; the undo undone, both hold."""
    tell(memory, old, new)
    before, by = named(memory, old), unlocked(memory)
    assert before.status is Status.SUPERSEDED
    act = memory.bring_back([before.id], by).act_id
    undone = memory.undo(act, by)
    after = named(memory, old)
    kept = ("status", "key", "slot", "value", "valid_to", "superseded_by", "attributes", "approved_by")
    assert all(getattr(after, name) == getattr(before, name) for name in kept)
    assert current(memory) == {new}
    memory.undo(undone.act_id, by)
    assert current(memory) == {old, new}
    assert memory.maintenance.doctor().faults == ()


def test_the_versions_before_it_come_along(memory):
    """Of three versions the second comes back with the first as its history; the first can come back as well."""
    towns = ("I live in Porto.", "I live in Braga.", "I live in Faro.")
    tell(memory, *towns)
    by = unlocked(memory)
    memory.bring_back([named(memory, towns[1]).id], by)
    assert current(memory) == {*towns[1:]}
    assert named(memory, towns[0]).superseded_by == named(memory, towns[1]).id
    memory.bring_back([named(memory, towns[0]).id], by)
    assert current(memory) == {*towns}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_several_come_back_in_one_act(order, memory):
    """Whatever their order, all that are named hold afterwards, and one undo takes it back."""
    towns = ("I live in Porto.", "I live in Braga.", "I live in Faro.")
    tell(memory, *towns)
    by = unlocked(memory)
    act = memory.bring_back([named(memory, towns[place]).id for place in order], by).act_id
    assert current(memory) == {*towns}
    memory.undo(act, by)
    assert current(memory) == {towns[2]}
    assert [version.text for version in memory.history(named(memory, towns[2]).id).versions] == [
        town.rstrip(".") for town in towns
    ]


def test_what_holds_already_does_not_come_back(memory):
    """A version whose words hold again is refused, and the error names the memory that holds."""
    tell(memory, "I live in Porto.", "I live in Braga.", "I live in Porto.")
    replaced = memory.list(RecordFilter(statuses=(Status.SUPERSEDED,)), 9)
    first = next(record for record in replaced if "Porto" in record.text)
    with pytest.raises(InputError, match=memory.list()[0].id):
        memory.bring_back([first.id], unlocked(memory))


def test_the_undo_of_what_replaced_it_leaves_it(memory):
    """Brought back, it no longer depends on the other one."""
    *_, second = tell(memory, *CHAINS[0])
    by = unlocked(memory)
    memory.bring_back([named(memory, CHAINS[0][0]).id], by)
    memory.undo(second.act_id, by)
    assert current(memory) == {CHAINS[0][0]}


def test_guidance_comes_back_by_a_reviewer_alone(memory):
    """A replaced rule comes back beside the later one in a reviewer's session, and in no other way."""
    by = unlocked(memory)
    for text in ("Always limit lines to 100 characters.", "Always limit lines to 120 characters."):
        memory.remember(text)
        for item in memory.review.queue():
            memory.review.approve([item.proposal.id], by, seen=seen(memory))
    gone = memory.list(RecordFilter(statuses=(Status.SUPERSEDED, Status.DEPRECATED)), 5)
    assert len(gone) == 1
    memory.reviewers.end(by)
    with pytest.raises(ReviewerRequiredError):
        memory.bring_back([gone[0].id], by)
    assert len(current(memory)) == 1
