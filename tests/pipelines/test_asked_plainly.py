"""Plain questions about what was told once: the rest of what is known neither hides the answer nor stands above it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import Memory, open_memory

TOLD = (
    "The chimney sweep comes in October.",
    "We heat with beech pellets.",
    "Tools are lent only against a signature, never on trust.",
    "The signature stamp lies in the desk.",
    "The kiln reaches 1240 degrees.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory without a model that was told these."""
    home: Path = tmp_path_factory.mktemp("plain")
    with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        for text in TOLD:
            opened.remember(text)
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when is the sweep due?", TOLD[0]),
        ("which pellets again?", TOLD[1]),
        ("how hot may the kiln get?", TOLD[4]),
    ],
)
def test_a_statement_and_its_turn_make_a_word_no_commoner(memory: Memory, question: str, answer: str) -> None:
    """One rare word of two answers, as it would if only the turn were kept."""
    assert answer.rstrip(".") in [item.text.rstrip(".") for item in memory.recall(question).items]


def test_a_rule_that_waits_is_not_buried_under_a_memory(memory: Memory) -> None:
    """Where a turn answers and no memory does, a memory with one of its words does not stand above it."""
    items = memory.recall("are tools lent against a signature or on trust?").items
    assert [item.text for item in items][:1] == [TOLD[2]]
