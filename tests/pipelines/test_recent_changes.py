"""`changes` tells what was learned and retired since a time: each memory once, the last change first."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import seen, unlocked

from dopejar import InputError, Memory, open_memory
from dopejar.testing.fixed_clock import FixedClock

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def opened(tmp_path):
    """A memory under a clock that can be set."""
    with open_memory(tmp_path / "home", environment=QUIET, said_by="user") as memory:
        clock = FixedClock(MONDAY)
        yield Memory(replace(memory._deps, clock=clock), memory.project), clock


def told(changes):
    """The change and the words of each."""
    return [(one.change, one.record.text) for one in changes]


def test_each_memory_is_told_once_with_its_last_change(opened):
    """What was learned, replaced, approved and removed; not what waits, was rejected or only said again."""
    memory, clock = opened
    memory.remember("The kiln runs on port 7100.")
    memory.remember("The glaze store is in Leith.")
    clock.advance(timedelta(days=2))
    since = clock.now() - timedelta(seconds=1)
    memory.remember("The kiln runs on port 7200.")
    memory.remember("The glaze store is in Leith.")  # again
    for rule in ("Never open the kiln above 90 degrees.", "Always wear gloves at the kiln."):
        memory.remember(rule)
    clock.advance(timedelta(minutes=1))
    (first, second), by = memory.review.queue(), unlocked(memory)
    memory.review.approve([first.proposal.id], by, seen=seen(memory))
    memory.review.reject([second.proposal.id], by, seen=seen(memory))
    clock.advance(timedelta(minutes=1))
    memory.remember("The sieve has 80 meshes.")
    (sieve,) = [record.id for record in memory.list() if "sieve" in record.text]
    memory.delete([sieve], by)
    assert sorted(told(memory.changes(since))) == [
        ("approved", first.text),
        ("learned", "The kiln runs on port 7200"),
        ("removed", "The sieve has 80 meshes"),
        ("replaced", "The kiln runs on port 7100"),
    ]
    assert told(memory.changes(since, limit=2)) == [("removed", "The sieve has 80 meshes"), ("approved", first.text)]
    assert [one.approver for one in memory.changes(since, limit=2)] == ["ana", "ana"]
    assert memory.changes(clock.now() + timedelta(seconds=1)) == ()


def test_the_act_of_a_change_undoes_it(opened):
    """Undoing the act that is named brings back what it replaced."""
    memory, clock = opened
    memory.remember("The kiln runs on port 7100.")
    clock.advance(timedelta(days=1))
    memory.remember("The kiln runs on port 7200.")
    (replaced,) = [one for one in memory.changes(MONDAY) if one.change == "replaced"]
    memory.undo(replaced.act_id, unlocked(memory))
    assert [record.text for record in memory.list()] == ["The kiln runs on port 7100"]


def test_changes_are_filtered_as_listings_are(tmp_path):
    """Of the project at hand, of others where that is asked for, by scope, state and key."""
    for project, port in (("alpha", 7300), ("beta", 7400)):
        with open_memory(tmp_path, project=project, environment=QUIET, said_by="user") as memory:
            memory.remember(f"The loom runs on port {port}.")
            memory.remember(f"The loom runs on port {port + 1}.")
    with open_memory(tmp_path, project="alpha", environment=QUIET, said_by="user") as memory:
        new, old = memory.changes("2026-01-01T00:00:00Z")
        assert ("7301" in new.record.text, "7300" in old.record.text) == (True, True)
        assert len(memory.changes(MONDAY, all_projects=True)) == 4
        assert len(memory.changes(MONDAY, scope="project:beta")) == 2
        assert told(memory.changes(MONDAY, statuses=("superseded",))) == told([old])
        assert memory.changes(MONDAY, key="Sail") == ()
        (talk,) = {episode.conversation for _, episode in memory.history(new.record.id).evidence}
        assert memory.changes(MONDAY, conversation=talk)
        with pytest.raises(InputError, match="time zone"):
            memory.changes("2026-01-01")
