"""What changed in a time: told by when each began to hold, where a question asks for this alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from whole_store import unlocked

from dopejar import Memory, open_memory
from dopejar.pipelines.recall.asked_changes import asked_changes
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.recall import Query

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)  # a Saturday
TOLD = (
    ("2026-08-03", "The rowing club meets at the weir."),
    ("2026-10-05", "The loom runs on port 7100."),
    ("2026-11-10", "The loom runs on port 7200."),
    ("2026-11-24", "The kiln is lent to Petra."),
)
WEIR, OLD, NEW, KILN = (text.rstrip(".") for _, text in TOLD)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """All is told on one day, as an import tells it."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        made = Memory(replace(opened._deps, clock=FixedClock(NOW)), opened.project)
        for day, text in TOLD:
            made.remember(text, at=datetime.fromisoformat(f"{day}T12:00:00+00:00"))
        yield made


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What changed since October?", [KILN, NEW]),
        ("what has changed in November", [KILN, NEW]),
        ("What's new since last week?", [KILN]),
        ("Anything new since Monday?", [KILN]),
        ("Show me all changes since 2026-08-01, please", [KILN, NEW, WEIR]),
        ("what changed in August 2026?", [WEIR]),
        ("what changed in September?", []),
    ],
)
def test_what_changed_is_told_by_when_it_began_to_hold(memory: Memory, question: str, texts: list[str]) -> None:
    """The latest first, none that began before or after, and what does not hold any more only as what was replaced."""
    assert [item.text for item in memory.recall(question).items] == texts


def test_a_change_is_told_with_what_it_replaced(memory: Memory) -> None:
    """In the same line, within the budget."""
    pack = memory.recall("What changed since October?")
    (line,) = [line for line in pack.text.splitlines() if NEW in line]
    assert f'instead of: "{OLD}"' in line
    assert memory.recall("What changed since October?", budget=40).tokens <= 40


def test_what_was_taken_out_of_use_is_not_told_as_replaced(memory: Memory) -> None:
    """A person wants it gone."""
    (old,) = memory.list(statuses=("superseded",))
    memory.delete([old.id], unlocked(memory))
    assert OLD not in memory.recall("What changed since October?").text


@pytest.mark.parametrize(
    "question", ["What changed at the kiln in November?", "what changed?", "Who has the kiln now?"]
)
def test_a_question_with_a_topic_or_without_a_time_is_answered_as_any_other(memory: Memory, question: str) -> None:
    """No list of all that began then."""
    assert NEW not in memory.recall(question).text


def test_changes_go_by_the_own_time_of_each_memory(memory: Memory) -> None:
    """However late all were learned; what was replaced, by when it ceased to hold."""
    since = datetime(2026, 10, 1, tzinfo=UTC)
    found = [(one.change, one.record.text) for one in memory.changes(since, became_true=True)]
    assert sorted(found[1:]) == [("learned", NEW), ("replaced", OLD)]
    assert found[0] == ("learned", KILN)
    assert len(memory.changes(NOW - timedelta(hours=1))) == len(TOLD)
    assert memory.changes(NOW - timedelta(hours=1), became_true=True) == ()


def test_a_question_of_many_words_asks_for_more_than_what_changed(memory: Memory) -> None:
    """What repeats the words of such a question without an end is searched as any other."""
    with memory.store.read() as view:
        assert asked_changes(Query(text="Anything new since Monday?"), view, NOW)
        assert not asked_changes(Query(text="any changes " + "are there any " * 2000 + "since Monday?"), view, NOW)
