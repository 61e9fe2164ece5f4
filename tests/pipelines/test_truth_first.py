"""Recall tells what holds: what was replaced, forgotten or denied never stands unmarked, and never above it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dopejar import Memory, open_memory
from dopejar.values.recall import ContextPack, Source

MARCH = datetime(2026, 3, 4, 12, tzinfo=UTC)
MONTH = timedelta(days=30)
PASSPHRASE = "correct horse battery"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A fresh memory, without a model."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def tell(memory: Memory, *said: str) -> None:
    """The user says these, a month apart, with a reviewer's session open."""
    memory.reviewers.add("ana", PASSPHRASE)
    reviewer = memory.reviewers.unlock(PASSPHRASE)
    for place, words in enumerate(said):
        memory.remember(words, at=MARCH + place * MONTH, by=reviewer)


def shown(pack: ContextPack) -> list[tuple[str, str]]:
    """Text and status of each item."""
    return [(item.text, item.status) for item in pack.items]


def test_the_current_home_is_the_answer(memory: Memory) -> None:
    """No word of the question stands in the record that answers it: the superseded turn leads to it."""
    tell(memory, "I live in Prague.", "I moved to Brno in 2026.")
    pack = memory.recall("Where do I live?")
    assert shown(pack) == [("I moved to Brno in 2026", "active"), ("I live in Prague.", "superseded")]
    assert '(superseded; now: "I moved to Brno in 2026")' in pack.text


def test_quotations_follow_the_clock_of_what_was_true(memory: Memory) -> None:
    """At a time when the first statement held, it is told, and nothing of what came later."""
    tell(memory, "I live in Prague.", "I moved to Brno in 2026.")
    pack = memory.recall("Where do I live?", as_of=MARCH + MONTH / 2)
    assert [text for text, _ in shown(pack)] == ["I live in Prague"]


@pytest.mark.parametrize(
    ("said", "question", "gone"),
    [
        (("My dentist is Novak.", "Please forget that my dentist is Novak."), "Who is my dentist?", "Novak"),
        (("We use Jenkins.", "We no longer use Jenkins."), "Do we use Jenkins?", "We use Jenkins."),
        (("The server listens on port 80.", "The server listens on port 81."), "Which port?", "port 80."),
    ],
)
def test_nothing_out_of_force_is_unmarked(memory: Memory, said: tuple[str, ...], question: str, gone: str) -> None:
    """What was forgotten, denied or replaced stands in no item that is not marked as such."""
    tell(memory, *said)
    pack = memory.recall(question)
    assert [text for text, status in shown(pack) if gone in text and status in ("", "active")] == []
    assert "off the record" not in pack.text


def test_a_turn_that_holds_leads_to_its_memory(memory: Memory) -> None:
    """A memory stands for the turn that states it and nothing else, whether or not its own words match."""
    tell(memory, "I live in Prague.")
    assert [item.source for item in memory.recall("Where do I live?").items] == [Source.RECORD]


def test_why_a_turn_is_not_quoted_is_told(memory: Memory) -> None:
    """`explain` names the turns that memories tell as well, and the fate of those that are quoted."""
    tell(memory, "I live in Prague.", "I moved to Brno in 2026.")
    told = "\n".join(memory.recall("When did I move from Prague, where I live?", explain=True).explanation)
    assert "its statement is superseded" in told
    assert "not quoted: e_" in told
