"""Where test and diagnostic memories go, and how the latter end."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import write_conversation

from accepted import accepted
from dopejar import Memory, Status, open_memory
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.recall import RecordFilter
from dopejar.values.scope import Namespace

NOW = datetime(2031, 5, 4, 12, tzinfo=UTC)
PROBE = "The lighthouse probe answers in green."


@pytest.fixture
def clock():
    """A clock that the test sets."""
    return FixedClock(NOW)


@pytest.fixture
def memory(tmp_path, clock):
    """A memory by that clock, with a mark of its own for ephemeral and one for test memories."""
    variables = {"DOPEJAR_INGEST_EPHEMERAL_WORDS": "Beacon", "DOPEJAR_INGEST_TEST_WORDS": "rehearsal"}
    with open_memory(tmp_path, environment=accepted(tmp_path, variables), said_by="user") as opened:
        yield Memory(replace(opened._deps, clock=clock), opened.project)


def in_namespace(memory, namespace, *statuses):
    """Records of a namespace."""
    return memory.list(RecordFilter(statuses=statuses or (Status.ACTIVE,), namespace=Namespace(namespace)), 50)


@pytest.mark.parametrize(
    ("words", "tags", "namespace"),
    [
        ("I like tea.", (), "prod"),
        ("I like tea.", ("rehearsal",), "test"),
        ("I like tea.", ("Beacon",), "ephemeral"),
        ("[beacon] I like tea.", (), "ephemeral"),
        ("[rehearsal] I like tea.", (), "test"),
        ("I like the beacon.", (), "prod"),
    ],
)
def test_own_words_route(memory, words, tags, namespace):
    """A user's own words route as tags and in brackets, and mean nothing special inside a sentence."""
    memory.remember(words, tags=tags)
    assert len(in_namespace(memory, namespace)) == 1


def test_ephemeral_memories_end_and_are_swept(memory, clock):
    """They hold for their hours, are said again like any other, leave recall when over, and use at maintenance."""
    for _ in range(2):
        memory.remember(PROBE, namespace="ephemeral")
    (record,) = in_namespace(memory, "ephemeral")
    assert (record.valid_to, record.access_count) == (NOW + timedelta(hours=24), 2)
    assert memory.maintenance.maintain().swept == 0
    shown = memory.recall("What does the lighthouse answer?", namespace="ephemeral", records_only=True)
    assert [item.id for item in shown.items] == [record.id]
    clock.advance(timedelta(hours=25))
    assert [memory.maintenance.maintain().swept for _ in range(2)] == [1, 0]
    assert in_namespace(memory, "ephemeral") == ()
    (gone,) = in_namespace(memory, "ephemeral", Status.DEPRECATED)
    assert gone.text == record.text, "it stays readable"
    (act,) = [act for act in memory.log() if "deprecate" in act.actions]
    assert act.rules == ("ephemeral-over",)


def test_what_is_over_is_not_recalled_even_before_the_sweep(memory):
    """An ephemeral memory of years ago is kept and not shown."""
    memory.remember(PROBE, namespace="ephemeral", at=datetime(2020, 1, 1, tzinfo=UTC))
    assert len(in_namespace(memory, "ephemeral", *Status)) == 1
    assert memory.recall("What does the lighthouse answer?", namespace="ephemeral", records_only=True).items == ()


def test_nothing_else_is_swept(memory, clock):
    """A temporary statement of everyday, over long ago, is no business of the sweep."""
    memory.remember("Until tomorrow I work from the harbour office.")
    memory.remember("I like tea.", namespace="test")
    clock.advance(timedelta(days=400))
    assert memory.maintenance.maintain().swept == 0


def test_a_turn_that_marks_itself_is_no_memory_of_everyday(memory, tmp_path):
    """Of a learned conversation, a marked turn goes where its mark says, the others to prod."""
    path = write_conversation(tmp_path, "s", [(0, "I live in Porto."), (1, "[test] I live in Faro.")])
    list(memory.learn([path]))
    assert [record.value for record in in_namespace(memory, "prod")] == ["+porto"]
    assert [record.value for record in in_namespace(memory, "test")] == ["+faro"]
