"""Time: what is said now comes after all that is known, whatever transcripts and clocks claim."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dopejar import InputError, LiveTurn, Status, open_memory
from dopejar.engine.maintenance.housekeeping import drop_lease, take_lease
from dopejar.engine.memory import Memory
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.episode import Origin

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
FUTURE = datetime(2099, 1, 1, tzinfo=UTC)
QUESTION = "which port does Postgres listen on?"


@pytest.fixture
def memory(tmp_path):
    """A memory on a file, without a model."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def at(memory, now):
    """The same store under a clock that stands at another time."""
    return Memory(replace(memory._deps, clock=FixedClock(now)), memory.project)


def transcript(tmp_path, *turns):
    """A conversation of the user's turns, each with its time."""
    rows = [
        {
            "store": "s",
            "session": "f",
            "session_time": when,
            "turn_id": f"t{n}",
            "index": n,
            "role": "user",
            "text": text,
        }
        for n, (when, text) in enumerate(turns)
    ]
    path = tmp_path / "future.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def ports(memory):
    """The ports in force, and the one that recall gives first."""
    active = [record.text.split()[-1] for record in memory.list() if record.status is Status.ACTIVE]
    return active, memory.recall(QUESTION).items[0].text.split()[-1]


def test_turns_of_the_future_were_said_when_they_were_imported(memory, tmp_path):
    """They stand in their order, no later than the import, with a note; the user's next word outlasts them."""
    turns = [("2099-01-01T00:00:00Z", "Postgres listens on port 6666."), ("2098-01-01T00:00:00Z", "Thank you.")]
    (learned,) = memory.learn([transcript(tmp_path, *turns)])
    assert "2 turns are dated in the future" in str(learned.report.damaged)
    with memory.store.read() as view:
        (conversation,) = view.conversations(10)
        episodes = view.turns(conversation.id, 0)
    assert [turn.index for turn in sorted(episodes, key=lambda turn: turn.at)] == [0, 1]
    assert all(turn.at <= datetime.now(UTC) and "in the future" in turn.note for turn in episodes)
    assert conversation.started_at <= datetime.now(UTC)
    memory.remember("Postgres listens on port 5433.")
    assert ports(memory) == (["5433"], "5433")


@pytest.mark.parametrize("first", ["a", "z"])
def test_conversations_of_the_future_keep_their_order(memory, tmp_path, first):
    """Of two files of one import with times ahead of the clock, the later time counts, in whatever order they come."""
    other = "z" if first == "a" else "a"
    paths = []
    for name, when, port in ((first, "2099-05-01T00:00:00Z", "6666"), (other, "2098-05-01T00:00:00Z", "7777")):
        folder = tmp_path / name
        folder.mkdir()
        paths.append(transcript(folder, (when, f"Postgres listens on port {port}.")))
    assert len(list(memory.learn(sorted(paths)))) == 2
    assert ports(memory)[0] == ["6666"]


def test_a_live_turn_of_the_future_was_said_now(memory):
    """A host whose clock is ahead does not put words beyond all that will be said."""
    turn = LiveTurn(conversation="c", source_id="a", text="I like tea.", origin=Origin.USER, at=FUTURE)
    memory.observe(turn)
    with memory.store.read() as view:
        (conversation,) = view.conversations(10)
        (kept,) = view.turns(conversation.id, 0)
    assert kept.at <= datetime.now(UTC)
    assert "in the future" in kept.note


def test_nobody_has_said_it_yet(memory):
    """`remember` refuses a time to come, and keeps nothing."""
    with pytest.raises(InputError, match="in the future"):
        memory.remember("Postgres listens on port 6666.", at=FUTURE)
    assert memory.status().sizes.episodes == 0


@pytest.mark.parametrize("difference", [timedelta(days=-3), timedelta(0), timedelta(days=400)])
def test_the_last_word_holds_whatever_the_clock_did(memory, difference):
    """A clock that was set back, stands still or was ahead for a while makes no new word history."""
    at(memory, NOW).remember("Postgres listens on port 7001.")
    at(memory, NOW + difference).remember("Postgres listens on port 7002.")
    last = at(memory, NOW)
    last.remember("Postgres listens on port 7003.")
    assert ports(last) == (["7003"], "7003")
    with memory.store.read() as view:
        times = [entry.at for entry in view.entries()]
    assert times == sorted(times)
    assert memory.verify().entries == len(times)


def test_a_value_to_come_does_not_end_the_present_one(memory):
    """What is announced by its words holds from that day on: until then recall gives what holds now."""
    memory.remember("Postgres listens on port 5433.")
    memory.remember("Postgres listens on port 6666 from 2099-01-01.")
    later = at(memory, FUTURE + timedelta(days=1))
    assert "5433" in memory.recall(QUESTION).items[0].text
    assert "6666" in later.recall(QUESTION, as_of=FUTURE + timedelta(days=1)).items[0].text


def test_a_lease_lasts_five_minutes_whatever_its_end_says(memory):
    """A lease that a clock ahead took is not believed; one of five minutes is."""
    now = datetime.now(UTC)
    assert take_lease(at(memory, now + timedelta(days=400))._deps, "work")
    assert take_lease(at(memory, now)._deps, "work")
    assert not take_lease(at(memory, now + timedelta(minutes=4))._deps, "work")
    assert take_lease(at(memory, now + timedelta(minutes=6))._deps, "work")
    drop_lease(memory._deps, "work")


def test_a_session_is_measured_by_the_system_clock(memory):
    """A ledger that is ahead neither ends a session at once nor keeps it open."""
    at(memory, NOW + timedelta(days=400)).remember("Postgres listens on port 7002.")
    present = at(memory, NOW)
    present.reviewers.add("ana", "correct horse battery staple")
    by = present.reviewers.unlock("correct horse battery staple")
    assert at(memory, NOW + timedelta(minutes=14)).reviewers.is_open(by)
    assert not at(memory, NOW + timedelta(minutes=16)).reviewers.is_open(by)
