"""Rules on writing, code and commits come where such work is asked for, though they share no word with the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import Memory, open_memory

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
PASSPHRASE = "correct horse battery"
WRITING = {
    "Use British spelling",
    "I hate exclamation marks in anything you write for me",
    "Always keep letters to members short",
    "Write dates like 5 March, not 03/05",
}
CODE = {"Never use global variables", "Put a docstring on every public function"}
COMMITS = {"Write commit messages in the imperative"}
OTHER = {"Never schedule a match on a Sunday", "Answer me in one paragraph"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with rules on three kinds of work, two on none of them, and a fact."""
    with open_memory(tmp_path, environment=QUIET, said_by="user") as opened:
        opened.reviewers.add("ana", PASSPHRASE)
        reviewer = opened.reviewers.unlock(PASSPHRASE)
        for said in sorted(WRITING | CODE | COMMITS | OTHER):
            opened.remember(f"{said}.", by=reviewer)
        opened.remember("Petra plays in goal.", by=reviewer)
        yield opened


def told(memory: Memory, prompt: str, **options: object) -> set[str]:
    """The rules that are told for a prompt."""
    return {item.text for item in memory.recall(prompt, **options).items} - {"Petra plays in goal"}


@pytest.mark.parametrize("unasked", [False, True])
@pytest.mark.parametrize(
    ("prompt", "rules"),
    [
        ("Draft an invitation for the Kowalskis", WRITING),
        ("Thank Petra for the oven", WRITING),
        ("a note to the plumber", WRITING),
        ("Could you put together a short post for the open day?", WRITING),
        ("What should I write to the neighbours?", WRITING),
        ("Fix the bug in the parser", CODE),
        ("pytest is red", CODE),
        ("commit this", COMMITS),
        ("Book a table for Friday", set()),
        ("remind me of the fee", set()),
        ("what is the email address of the plumber?", set()),
        ("which bugs were reported?", set()),
    ],
)
def test_work_brings_its_rules(memory: Memory, prompt: str, rules: set[str], *, unasked: bool) -> None:
    """All rules of the kind come, and none of another; a question for what was told brings none."""
    assert told(memory, prompt, unasked=unasked) == rules


def test_rules_that_name_what_is_asked_for_come_first(memory: Memory) -> None:
    """Then those for every text, then those that name another sort; a small budget leaves out from the end."""
    letters = "Always keep letters to members short"
    assert memory.recall("Write a letter to the members").items[0].text == letters
    assert memory.recall("Reply to Ines about the keys").items[-1].text == letters
    assert told(memory, "Write a letter to the members", limit=1) == {letters}


def test_rules_have_their_share_and_never_the_place_of_the_best_answer(memory: Memory) -> None:
    """They are told beside many answers, within the budget and the limit, behind the best answer."""
    for number in range(60):
        memory.remember(f"Petra's team {number} has the keeper Ines{number}.")
    prompt = "Draft an invitation for Petra's team and the keeper"
    pack = memory.recall(prompt)
    assert {item.text for item in pack.items} >= WRITING
    assert pack.tokens <= pack.budget
    best = memory.recall("Petra's team keeper").items[0].text
    assert best in told(memory, prompt, limit=2)
    assert len(memory.recall(prompt, limit=8).items) <= 8


def test_a_rule_for_somebody_comes_first_only_where_they_are_named(memory: Memory) -> None:
    """Though the prompt shares a word with it; where the prompt names them, it is the best answer."""
    formal = "Emails to Novatek are always formal"
    assert memory.remember(f"{formal}.", by=memory.reviewers.unlock(PASSPHRASE)).took_effect
    assert memory.recall("Write an email to the landlord").items[-1].text == formal
    assert memory.recall("Write an email to Novatek about the delay").items[0].text == formal


def test_a_rule_of_a_language_comes_where_it_is_named(memory: Memory) -> None:
    """It is no rule on texts for people, and none on code of another language."""
    upper = "In SQL, write keywords in upper case"
    assert memory.remember(f"{upper}.", by=memory.reviewers.unlock(PASSPHRASE)).took_effect
    for prompt in ("Thank Petra for the oven", "Fix the bug in parser.py", "Fix the bug in the parser"):
        assert upper not in told(memory, prompt)
    assert upper in told(memory, "Fix the bug in report.sql")


@pytest.mark.parametrize("unasked", [False, True])
def test_a_meal_brings_what_the_user_does_not_eat(memory: Memory, *, unasked: bool) -> None:
    """Nobody has to approve it; what somebody else does not eat, and what is said of a meal, brings none."""
    own = {"I'm allergic to peanuts", "My daughter can't eat gluten"}
    for said in (*own, "Petra is vegan", "I like the soup at Rosa's"):
        memory.remember(f"{said}.")
    for prompt in (
        "suggest dinner",
        "What should I cook on Friday?",
        "book a restaurant for the team",
        "a recipe with lentils",
    ):
        assert told(memory, prompt, unasked=unasked) & {*own, "Petra is vegan"} == own
    for prompt in ("make the recipe page load", "where did we have dinner?", "dinner was great"):
        assert not told(memory, prompt, unasked=unasked) & own


def test_what_waits_directs_no_work(memory: Memory) -> None:
    """A rule that nobody approved, one taken out of use, and one that the host has at hand are not told."""
    memory.remember("Never use semicolons in letters.")
    (spelling,) = [record for record in memory.list() if record.text == "Use British spelling"]
    assert told(memory, "Thank Ines for the cake", known=[spelling.id]) == WRITING - {spelling.text}
    memory.delete([spelling.id], memory.reviewers.unlock(PASSPHRASE))
    assert told(memory, "Thank Ines for the cake") == WRITING - {spelling.text}
