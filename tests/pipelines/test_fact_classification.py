"""The document's three heuristics, by the document's name: environment, constraint, definition, and mixed facts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dopejar import Memory, open_memory
from dopejar.errors import InputError
from dopejar.seeds import ManualGardener

BEGAN = datetime(2024, 3, 4, 9, tzinfo=UTC)
Rules = list[tuple[object, object, object]]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A fresh memory."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        yield opened


def classified(memory: Memory, *texts: str) -> tuple[list[object], Rules, list[object]]:
    """Tags, rules and what is left of facts, one a turn."""
    facts = [{"value": text, "turn_id": place} for place, text in enumerate(texts)]
    found = ManualGardener(memory)._classify_facts_for_tagging(facts)
    rules = [(rule["start_turn"], rule["end_turn"], rule["rule"]) for rule in found["section_rules"]]  # type: ignore[attr-defined]
    return list(found["global_tags"]), rules, [one["value"] for one in found["dossier_facts"]]  # type: ignore[call-overload, attr-defined]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("I am using Python 3.9", ["env: python-3.9"]),
        ("I am on Windows", ["os: windows"]),
        ("I am using Python 3.9 on Windows", ["env: python-3.9", "os: windows"]),
        ("The database is Postgres 15.4", ["env: postgres-15.4"]),
    ],
)
def test_environment(memory: Memory, text: str, tags: list[str]) -> None:
    """A setting, a version, a language tags the whole block."""
    assert classified(memory, text) == (tags, [], [])


@pytest.mark.parametrize(
    ("text", "rule"),
    [("Never use eval()", "no-eval"), ("Always check permissions", "Always check permissions")],
)
def test_constraint(memory: Memory, text: str, rule: str) -> None:
    """What forbids or mandates holds from its turn on."""
    assert classified(memory, "I work remotely", text, "I have a cat") == (
        [],
        [(1, 2, rule)],
        ["I work remotely", "I have a cat"],
    )


@pytest.mark.parametrize(
    ("text", "start", "rule"),
    [
        ("Call the server Box A", 1, "server=Box A"),
        ("From now on Box A means the test server", 1, "test server=Box A"),
        ("The old API is deprecated", 0, "deprecated: old api"),
    ],
)
def test_definition(memory: Memory, text: str, start: int, rule: str) -> None:
    """A name holds from its turn on; what is out of use, for every turn that names it."""
    assert classified(memory, "I work remotely", text) == ([], [(start, 1, rule)], ["I work remotely"])


def test_mixed_facts(memory: Memory) -> None:
    """The document's example: two tags, two rules, two facts that are neither."""
    assert classified(
        memory,
        "I am using Python 3.9",
        "I am on Windows",
        "Never use eval()",
        "Call the server Box A",
        "User prefers dark mode",
        "User works remotely",
    ) == (
        ["env: python-3.9", "os: windows"],
        [(2, 5, "no-eval"), (3, 5, "server=Box A")],
        ["User prefers dark mode", "User works remotely"],
    )


def test_the_same_said_in_a_conversation(memory: Memory) -> None:
    """The examples as turns of a user: the same tags and rules, and a later permission ends the rule."""
    talk = (
        "I am using Python 3.9 on Windows.",
        "Call the server Box A.",
        "The old API is deprecated.",
        "Restart Box A tonight.",
    )
    memory.add(
        [{"role": "user", "content": text, "at": BEGAN + timedelta(minutes=place)} for place, text in enumerate(talk)],
        conversation="boxes",
    )
    memory.garden.tend()
    (block,) = memory.garden.blocks()
    assert block.tags.global_tags == ("env: python-3.9", "os: windows")
    assert (1, 3, "server=Box A") in [(one.start_turn, one.end_turn, one.rule) for one in block.tags.section_rules]


def test_turn_ids_that_are_no_numbers_are_counted(memory: Memory) -> None:
    """By their order, under either name; a fact without words is an error that says what is missing."""
    gardener = ManualGardener(memory)
    facts = [
        {"text": "Never use eval()", "source_turn_id": "turn_20251211_081709"},
        {"text": "I work remotely", "source_turn_id": "turn_20251211_093000"},
        {"text": "I am on Windows", "source_turn_id": "turn_20251211_070000"},
    ]
    found = gardener._classify_facts_for_tagging(facts)
    assert found["section_rules"] == [{"start_turn": 1, "end_turn": 2, "rule": "no-eval"}]
    with pytest.raises(InputError, match="`value` or `text`"):
        gardener._classify_facts_for_tagging([{"turn_id": 0}])
