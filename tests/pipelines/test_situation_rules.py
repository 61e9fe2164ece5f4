"""Rules of a programming language come where a prompt names it, or one of its files or tools, in no project as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import Memory, open_memory
from dopejar.values.scope import Scope

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
PASSPHRASE = "correct horse battery"
PYTHON = "In Python, always use type hints on public functions"
GO = "In Go, always wrap errors with context"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory outside a project, with a rule of each of two languages and a fact."""
    with open_memory(tmp_path, environment=QUIET, said_by="user") as opened:
        opened.reviewers.add("ana", PASSPHRASE)
        reviewer = opened.reviewers.unlock(PASSPHRASE)
        for said in (PYTHON, GO, "My dog is called Rex"):
            opened.remember(said, by=reviewer)
        yield opened


def told(memory: Memory, prompt: str, **options: object) -> list[str]:
    """The texts of what is told for a prompt."""
    return [item.text for item in memory.recall(prompt, **options).items]


def test_rules_of_languages_are_readable_outside_a_project(memory: Memory, tmp_path: Path) -> None:
    """They are listed, part of the profile and of instructions, and checked; in a project without them they are not."""
    assert {str(record.scope) for record in memory.list()} == {"language:python", "language:go", "universal"}
    assert set(memory.surveys.profile().languages) == {"python", "go"}
    assert GO in memory.surveys.instructions()
    (place := tmp_path / "notes").mkdir()
    (place / ".git").mkdir()
    with open_memory(tmp_path, environment=QUIET, at=place) as inside:
        assert [record.text for record in inside.list()] == ["My dog is called Rex"]


@pytest.mark.parametrize("unasked", [False, True])
@pytest.mark.parametrize(
    ("prompt", "rules"),
    [
        ("Refactor utils/io.py", {PYTHON}),
        ("pytest is red, look into it", {PYTHON}),
        ("schreib ein Skript in Python, das Rechnungen umbenennt", {PYTHON}),
        ("handler.go leaks a connection", {GO}),
        ("go.mod is outdated", {GO}),
        ("call server.go from client.py", {PYTHON, GO}),
        ("let's go to the cinema", set()),
        ("tidy up the invoices", set()),
        ("hello", set()),
    ],
)
def test_a_language_of_the_prompt_brings_its_rules(
    memory: Memory, prompt: str, rules: set[str], *, unasked: bool
) -> None:
    """Neither rule shares a word with these prompts."""
    assert set(told(memory, prompt, unasked=unasked)) == rules


def test_rules_take_what_the_answer_leaves_and_one_always_has_room(memory: Memory) -> None:
    """The best answer is never displaced; one rule comes before further answers; searches have no situation."""
    for number in range(12):
        memory.remember(f"The dog of neighbour {number} is called Rex{number}.")
    prompt = "Is my dog called Rex in main.py?"
    assert len(told(memory, prompt)) == 14
    assert told(memory, prompt, budget=30) == ["My dog is called Rex"]
    assert told(memory, prompt, budget=60) == [PYTHON, "My dog is called Rex"]
    assert not memory.search("Refactor utils/io.py")
    assert PYTHON in told(memory, "Refactor utils/io.py", limit=1)


def test_only_approved_rules_in_force_come(memory: Memory) -> None:
    """What waits is no rule, and neither is what was taken out of use; what the host has at hand is not told again."""
    memory.remember("In SQL, always write keywords in capitals.")
    assert told(memory, "migrations/0001.sql has a typo") == []
    (rule,) = [record for record in memory.list() if record.scope == Scope.language("go")]
    assert told(memory, "handler.go leaks", known=[rule.id]) == []
    memory.delete([rule.id], memory.reviewers.unlock(PASSPHRASE))
    assert told(memory, "handler.go leaks") == []
    assert told(memory, "when did I learn to use pip?") == []
