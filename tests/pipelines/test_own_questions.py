"""Without a model: what people ask of themselves first, and what was never told of somebody named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import Memory, open_memory

TOLD = (
    "I'm Ottoline.",
    "I'm a plasterer.",
    "I'm 53.",
    "I live in Hexham.",
    "I work for Tyne Interiors.",
    "I was born on 4 July 1972.",
    "Our tortoise is called Bolt.",
    "Ruaridh lives in Oban.",
    "Ruaridh is a ferry engineer.",
    "Ruaridh has a kayak.",
    "Petra's birthday is on 2 May.",
    "Our landlord is called Mr Fenwick.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory without a model that was told these."""
    home: Path = tmp_path_factory.mktemp("own")
    with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        for text in TOLD:
            opened.remember(text)
        yield opened


def answers(memory: Memory, question: str) -> list[str]:
    """The memories that answer, best first."""
    return [item.text for item in memory.recall(question, records_only=True).items]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is my name?", "I'm Ottoline"),
        ("What's my name?", "I'm Ottoline"),
        ("who am I?", "I'm Ottoline"),
        ("What is the user's name?", "I'm Ottoline"),
        ("what do I do for a living?", "I'm a plasterer"),
        ("what's my job?", "I'm a plasterer"),
        ("how old am I?", "I'm 53"),
        ("where do I live?", "I live in Hexham"),
        ("in which town do I live?", "I live in Hexham"),
        ("what part of the county do I live in?", "I live in Hexham"),
        ("for which company do I work?", "I work for Tyne Interiors"),
        ("Where does the user live?", "I live in Hexham"),
        ("when is my birthday?", "I was born on 4 July 1972"),
    ],
)
def test_what_the_asker_told_of_themself_answers(memory: Memory, question: str, answer: str) -> None:
    """A slot answers, or how people introduce themselves, though the words of both differ."""
    assert answer in answers(memory, question)[:2]


@pytest.mark.parametrize("question", ["which trowel do I have?", "in which shed do I keep the lime?", "what do I use?"])
def test_what_a_question_calls_the_value_tells_no_property(memory: Memory, question: str) -> None:
    """Things that somebody has or keeps are no age, home or job."""
    assert answers(memory, question) == []


@pytest.mark.parametrize("question", ["who am I?", "how old am I?", "what's my name?"])
def test_the_asker_comes_before_others(memory: Memory, question: str) -> None:
    """Another's name or age is no better an answer, whatever words it shares."""
    assert answers(memory, question)[0].startswith("I")


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("What is Ruaridh's birthday?", "Petra's birthday is on 2 May"),
        ("What is ruaridh's birthday?", "Petra's birthday is on 2 May"),
        ("Where does Petra live?", "Ruaridh lives in Oban"),
    ],
)
def test_another_is_no_answer_to_a_question_about_somebody_named(memory: Memory, question: str, wrong: str) -> None:
    """The name has to stand in what shares a word with the rest."""
    assert wrong not in answers(memory, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does Ruaridh live?", "Ruaridh lives in Oban"),
        ("When is Petra's birthday?", "Petra's birthday is on 2 May"),
        ("does Ruaridh have a kayak?", "Ruaridh has a kayak"),
    ],
)
def test_what_was_told_of_somebody_named_stays(memory: Memory, question: str, answer: str) -> None:
    """The name and a word of the rest are an answer."""
    assert answer in answers(memory, question)
