"""What holds for a time stands beside the lasting memory of its slot, before it while it holds, and retires nothing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import unlocked

from dopejar import Memory, Status, open_memory
from dopejar.doors.cli.text_output import receipt_lines
from dopejar.testing.fixed_clock import FixedClock

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lasting", "passing"),
    [
        ("I prefer dark mode.", "For this demo I prefer light mode."),
        ("I prefer dark mode.", "Today I prefer light mode."),
        ("We use Postgres.", "For now we use SQLite."),
        ("The kiln server listens on port 8080.", "The kiln server listens on port 9090 until the end of the year."),
    ],
)
def test_what_holds_for_a_time_stands_before_the_lasting_one(lasting, passing, tmp_path):
    """Both are active and of one slot; recall gives the passing one first, and marks it."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember(lasting, at=NOON)
        memory.remember(passing, at=NOON + timedelta(minutes=1))
        first, second = sorted(memory.list(limit=9, statuses=("active", "superseded")), key=lambda one: one.temporary)
        assert (first.status, second.status, second.temporary) == (Status.ACTIVE, Status.ACTIVE, True)
        assert first.slot == second.slot != ""
        pack = memory.recall(lasting, records_only=True, as_of=NOON + timedelta(hours=1))
        found = [one.id for one in pack.items]
        assert found.index(second.id) < found.index(first.id)
        assert len(memory.surveys.keys()) == 2


def test_keys_show_what_is_denied_beside_what_holds(tmp_path):
    """Each line of a chain is a line of its own: nothing that is believed is hidden behind another version."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        for words in ("We use Postgres.", "We never use MySQL.", "We never use Oracle DB."):
            memory.remember(words, at=NOON)
        assert {"We use Postgres", "We never use MySQL"} <= {line.current.text for line in memory.surveys.keys("")}


@pytest.mark.parametrize(
    ("passing", "days"),
    [
        ("Tonight the gate stays open till ten.", 1),
        ("Tomorrow only we close at two.", 2),
        ("Just for tomorrow use the blue template.", 2),
        ("Only next week the ferry leaves at six.", 12),
        ("The car is in the garage this week.", 5),
    ],
)
def test_a_listing_leaves_out_what_is_over(passing, days, tmp_path):
    """What was said for a time is listed until that time is over, and can be looked up afterwards."""
    clock = FixedClock(NOON)
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        memory = Memory(replace(opened._deps, clock=clock), opened.project)
        memory.remember(passing, said_by="user", at=NOON)
        clock.advance(NOON.replace(hour=0) + timedelta(days=days, minutes=-1) - NOON)
        (record,) = memory.list()
        clock.advance(timedelta(minutes=2))
        assert memory.list() == ()
        assert memory.get(record.id) == record


def given_by(memory, at):
    """What an assistant is given of the rules about a push, by the way it gets them."""
    call = {"command": "git push --force origin topic"}
    return {
        "instructions": memory.surveys.instructions(),
        "profile": repr((memory.surveys.profile(), memory.surveys.corrections())),
        "list": repr(memory.list()),
        "recall": memory.recall("force push", records_only=True, as_of=at).text,
        "check": repr(memory.check("Bash", call)),
    }


@pytest.mark.parametrize("passing", ["Never force push until Friday.", "Never force push until the end of the week."])
def test_what_is_over_reaches_no_assistant(passing, tmp_path):
    """Approved guidance for a time is given in every way while that time lasts, and in none afterwards."""
    clock = FixedClock(NOON)
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        memory = Memory(replace(opened._deps, clock=clock), opened.project)
        memory.remember(passing, said_by="user", by=unlocked(memory))
        (record,) = memory.list()
        assert record.temporary
        assert all("orce push" in given for given in given_by(memory, NOON + timedelta(hours=1)).values())
        clock.advance(record.valid_to - NOON)
        assert not any("orce push" in given for given in given_by(memory, record.valid_to).values())
        assert memory.get(record.id).text == record.text


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Tonight the gate stays open till ten.", "until 2026-03-05"),
        ("For now the keys hang in the barn.", "until 2026-04-03"),
        ("The keys hang in the barn at the moment.", ""),
        ("From May 2099 the rent is 640 euros.", "from 2099-05-01"),
    ],
)
def test_a_receipt_says_when_a_memory_holds(text, note, tmp_path):
    """What ends says until when, what is announced from when; what simply holds has no note."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        (line,) = receipt_lines(memory.remember(text, at=NOON).receipts)
        assert line.endswith(f" ({note})") if note else not line.endswith(")")
