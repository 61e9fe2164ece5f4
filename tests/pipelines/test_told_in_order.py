"""Of statements of one time the one told later is the later one, and every part of a text is of the day of the text."""

import itertools
from datetime import UTC, date, datetime, time

import pytest
from whole_store import START, unlocked, write_conversation

from dopejar import open_memory

LAST_MOMENT = datetime.combine(date(2026, 3, 4), time.max, UTC)
TIMES = [datetime(2026, 3, 4, 9, 30, tzinfo=UTC), LAST_MOMENT]
VALUES = ("Vim", "Emacs", "Helix")


def current(memory):
    """The texts that hold."""
    return [record.text for record in memory.list(limit=20)]


@pytest.mark.parametrize("at", TIMES)
@pytest.mark.parametrize("order", list(itertools.permutations(VALUES)))
def test_last_told_of_one_time_holds(order, at, tmp_path):
    """Whatever the order of the values, over restarts, and after an export and import."""
    for value in order:
        with open_memory(tmp_path / "home", environment={}, said_by="user") as memory:
            memory.remember(f"My editor is {value}.", at=at)
    with open_memory(tmp_path / "home", environment={}, said_by="user") as memory:
        assert current(memory) == [f"My editor is {order[-1]}"]
        versions = memory.list(limit=20, statuses=("active", "superseded"))
        assert [record.valid_from.date() for record in versions] == [at.date()] * 3
        unlocked(memory)
        memory.exchange.export_to(tmp_path / "out.jsonl")
    with open_memory(tmp_path / "other", environment={}, said_by="user") as other:
        other.exchange.import_from(tmp_path / "out.jsonl", unlocked(other))
        assert current(other) == [f"My editor is {order[-1]}"]
        other.remember("My editor is Nano.", at=at, by=unlocked(other))
        assert current(other) == ["My editor is Nano"]


def test_what_was_said_earlier_stays_earlier(tmp_path):
    """Only equal times are told apart by the telling; a statement of an earlier time is history."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember("My editor is Vim.", at=LAST_MOMENT)
        memory.remember("My editor is Emacs.", at=TIMES[0])
        assert current(memory) == ["My editor is Vim"]


@pytest.mark.parametrize("at", TIMES)
def test_parts_of_a_text_are_of_one_day(at, tmp_path):
    """Each statement of a text holds from the day on which the text was said."""
    text = "My daughter Rosa is nine. We deploy on Fridays. My dog is called Pip. The kiln server listens on port 8080."
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember(text, at=at)
        records = memory.list(limit=20)
        assert len(records) == 4
        assert {record.valid_from.date() for record in records} == {at.date()}


@pytest.mark.parametrize("order", list(itertools.permutations(VALUES[:2])))
def test_turns_of_one_time_keep_their_order(order, tmp_path):
    """A source that gives its turns one time: the end of a long turn is before the next turn, however long it is."""
    first, second = order
    long = f"The archive is kept in the cellar of the old school. I drink tea. My editor is {first}."
    path = write_conversation(tmp_path, "one", [(0, long), (0, f"My editor is {second}.")])
    with open_memory(tmp_path / "home", environment={}, said_by="user") as memory:
        list(memory.learn([path]))
        assert f"My editor is {second}" in current(memory)
        with memory.store.read() as view:
            (row,) = view.conversations(9)
            said, then = view.turns(row.id)
        assert said.at == START
        assert (then.at - said.at).microseconds > len(long)
