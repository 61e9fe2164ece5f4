"""A change told with its own date, right after what it changes was told without one."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from dopejar import open_memory

NOVEMBER = datetime(2026, 11, 20, 9, tzinfo=UTC)
WORDS_ALONE = {"DOPEJAR_EMBEDDER_KIND": "none"}
CHANGES = [
    ("I live in Turin.", "I moved to Ghent last month.", "Where do I live?", "Ghent"),
    ("I live in Turin.", "I moved to Ghent last week.", "Where do I live?", "Ghent"),
    ("The retry limit is 5.", "We raised the retry limit to 9 in October.", "What is the retry limit?", "9"),
]


@pytest.mark.parametrize(("first", "change", "question", "now"), CHANGES)
def test_the_change_holds_now(first, change, question, now, tmp_path):
    """Its day lies before the words that it changes were said: those tell no day of their own."""
    with open_memory(tmp_path, environment=WORDS_ALONE, said_by="user") as memory:
        memory.remember(first, at=NOVEMBER)
        memory.remember(change, at=NOVEMBER + timedelta(minutes=1))
        assert now in memory.recall(question).items[0].text
        assert [now in record.text for record in memory.list()] == [True]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_what_was_so_before_the_date_stays_before(order, tmp_path):
    """A day that is told of the earlier value, too, is believed, in whatever order both are stored."""
    told = [
        ("The gate code sheet is kept in Lund since March 2026.", NOVEMBER),
        ("The gate code sheet is kept in Malmo since June 2026.", NOVEMBER + timedelta(days=1)),
    ]
    with open_memory(tmp_path, environment=WORDS_ALONE, said_by="user") as memory:
        for place in order:
            memory.remember(told[place][0], at=told[place][1])
        assert "Malmo" in memory.recall("Where is the gate code sheet kept?").items[0].text


def test_a_day_of_this_month_that_is_past_is_meant_so(tmp_path):
    """What is so "as of November 2", as is said in November, is no announcement for next year."""
    with open_memory(tmp_path, environment=WORDS_ALONE, said_by="user") as memory:
        memory.remember("As of November 2 my dentist is Dr. Ruiz.", at=NOVEMBER)
        memory.remember("As of February 2 the rent rises to 940 euros.", at=NOVEMBER)
        assert sorted(record.valid_from > NOVEMBER for record in memory.list()) == [False, True]
