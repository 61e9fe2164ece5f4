"""Long turns of odd text: the work grows with the length, and what a turn repeats is one statement of many places."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dopejar import Memory, open_memory
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

ODD = (
    '{"id":17,"ok":true},',
    "\\u0416\\u0430",
    "x7Qf9aZk2LmNp0Rs.",
    "lamp ",
    "I like oolong. ",
    "I keep bees, ",
    "I own a kayak\n",
    "I pay 30 euros for it. Make that 40. ",
    "4815 1623 42\n",
    "```\nx = 1\n```\nI like figs.\n",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A fresh memory without a model that the user speaks to."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def say(memory: Memory, text: str, conversation: str = "talk") -> None:
    """One turn of the user in a conversation, learned from."""
    memory.add([{"role": "user", "content": text}], conversation=conversation)


def calls(memory: Memory, text: str, conversation: str) -> int:
    """How many calls of functions it takes to learn from a turn."""
    counted = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        say(memory, text, conversation)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("unit", ODD)
def test_the_work_of_a_turn_grows_with_its_length(memory: Memory, unit: str) -> None:
    """A turn that is four times as long takes about four times the calls, whatever it is made of."""
    say(memory, unit * 3, "first")  # loads the patterns
    short = calls(memory, unit * (4000 // len(unit)), "short")
    assert calls(memory, unit * (16000 // len(unit)), "long") <= 6 * short


def test_each_place_of_a_repeated_statement_is_evidence(memory: Memory) -> None:
    """What a turn says many times is one memory that rests on every place, so that erasing it takes all of them."""
    memory.reviewers.add("ana", "correct horse battery")
    say(memory, "I play the oboe. " * 40)
    (record,) = memory.list(RecordFilter())
    by = memory.reviewers.unlock("correct horse battery")
    with memory.store.read() as view:
        assert len(view.evidence(record.id)) == 40
    assert memory.erase(by, records=[record.id]).verified
    assert not any("oboe" in item.text for item in memory.recall("oboe").items)


def believed(home: Path, text: str) -> list[str]:
    """What is believed after one turn of a fresh memory."""
    with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
        say(memory, text)
        return sorted(record.text for record in memory.list(RecordFilter(statuses=(Status.ACTIVE,))))


@pytest.mark.parametrize("times", [3, 7])
@pytest.mark.parametrize("end", ["", "I live in Ghent. ", "My cat is Otto. "])
def test_repetitions_between_the_first_and_the_last_change_nothing(tmp_path: Path, times: int, end: str) -> None:
    """However often a turn says the one and then the other, it leaves what saying them twice leaves."""
    both = "I live in Ghent. I live in Delft. My cat is Ada. "
    said = believed(tmp_path / "often", both * times + end)
    assert said == believed(tmp_path / "twice", both * 2 + end)
    assert len(said) == 2
