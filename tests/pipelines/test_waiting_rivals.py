"""Two statements that wait and cannot hold beside each other: the list shows it, and the later one holds in the end."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import seen, unlocked

from dopejar import open_memory
from dopejar.doors.cli.review_output import queue_lines

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
PAIRS = [
    ("Keep your mails short.", "Keep your mails long from now on."),
    ("Use Celsius for the kiln.", "Use Fahrenheit for the kiln instead of Celsius."),
    ("Use tabs in the price list.", "Never use tabs in the price list."),
]
OTHERS = [
    ("Keep recipes short.", "Keep letters polite."),
    ("Always check the stock before an order.", "Always check the address before a delivery."),
    ("Use bullet points in reports.", "Use tables in budgets."),
]


@pytest.fixture
def memory(tmp_path):
    """An empty memory of a user."""
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        yield opened


def tell(memory, *texts):
    """The ids of what the texts propose, told a day apart."""
    told = [memory.remember(text, at=NOON + timedelta(days=day)) for day, text in enumerate(texts)]
    return [receipt.proposal_id for one in told for receipt in one.receipts]


def current(memory):
    """The texts that hold."""
    return {record.text for record in memory.list(limit=20)}


def bare(*texts):
    """The texts as memories have them."""
    return {text.rstrip(".") for text in texts}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("step", [1, -1])
def test_the_later_of_two_that_are_approved_together_holds(pair, step, memory):
    """In whatever order they are named; one undo makes both wait again."""
    ids = tell(memory, *pair)
    by = unlocked(memory)
    named = memory.review.would_retire(ids)
    assert {record.text for records in named.values() for record in records} == bare(pair[0])
    approved = memory.review.approve(ids[::step], by, seen=seen(memory))
    assert current(memory) == bare(pair[1])
    memory.undo(approved[0].act_id, by)
    assert current(memory) == set()
    assert {item.text for item in memory.review.queue()} == bare(*pair)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_list_says_which_one_is_newer(pair, memory):
    """Each of the two is shown beside the number of the other."""
    tell(memory, *pair)
    older, newer = list(queue_lines(memory.review.queue(), {}))[-2:]
    assert older.endswith("older than 2")
    assert newer.endswith("newer than 1")


@pytest.mark.parametrize("pair", PAIRS)
def test_approved_one_by_one_the_later_one_holds(pair, memory):
    """The second approval retires what the first one made active, and the queue says so before."""
    first, second = tell(memory, *pair)
    by = unlocked(memory)
    memory.review.approve([first], by, seen=seen(memory))
    (item,) = memory.review.queue()
    assert {record.text for record in item.contradicts} == bare(pair[0])
    memory.review.approve([second], by, seen=seen(memory))
    assert current(memory) == bare(pair[1])


def test_the_earlier_one_is_shown_against_the_later_one_in_force(memory):
    """Where the later one was approved alone, the earlier one waits on, as a contradiction to it."""
    _, second = tell(memory, *PAIRS[0])
    memory.review.approve([second], unlocked(memory), seen=seen(memory))
    (item,) = memory.review.queue()
    assert {record.text for record in item.contradicts} == current(memory) == bare(PAIRS[0][1])


def test_both_can_be_kept(memory):
    """A reviewer who wants both keeps both."""
    ids = tell(memory, *PAIRS[1])
    memory.review.approve(ids, unlocked(memory), seen=seen(memory), keep_both=True)
    assert current(memory) == bare(*PAIRS[1])


@pytest.mark.parametrize("pair", OTHERS)
def test_what_is_about_other_things_stays(pair, memory):
    """Two that only share words both hold, and neither is named beside the other."""
    ids = tell(memory, *pair)
    assert not any(item.rivals for item in memory.review.queue())
    memory.review.approve(ids, unlocked(memory), seen=seen(memory))
    assert current(memory) == bare(*pair)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_of_three_the_latest_holds(order, memory):
    """A rule that was changed twice while it waited."""
    texts = ("Reply to me in German.", "Reply to me in English from now on.", "Reply to me in French from now on.")
    ids = tell(memory, *texts)
    memory.review.approve([ids[number] for number in order], unlocked(memory), seen=seen(memory))
    assert current(memory) == bare(texts[-1])
