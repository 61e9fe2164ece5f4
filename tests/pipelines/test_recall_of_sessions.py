"""What recall gives of a store in which facts and working sessions lie side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from dopejar import open_memory
from dopejar.engine.memory import Memory
from dopejar.values.recall import Source

FACTS = (
    "The ferry office listens on port 7070.",
    "The harbour office listens on port 7171.",
    "The lighthouse runs on Debian.",
    "Tiago no longer does the night watch.",
)
SESSIONS = (
    (
        ("user", "Rename the mooring table in ferry/berths.py."),
        ("tool", "class Berths:\n    pass"),
        ("tool", "The file has been updated."),
        ("tool", "31 passed in 2.2s"),
        ("assistant", "Done, all tests pass."),
        ("user", "The crane is out of order until the spare part is here."),
        ("assistant", "Noted."),
    ),
    (
        ("user", "Who does the night watch?"),
        ("assistant", "I do not know."),
        ("user", "And who has the keys of the lighthouse?"),
        ("assistant", "According to memory, Tiago no longer does the night watch."),
        ("tool", "32 passed in 2.1s"),
    ),
)
QUESTIONS = {
    "Which port does the ferry office listen on?": FACTS[0],
    "What does the lighthouse run on?": FACTS[2],
    "Who does the night watch?": FACTS[3],
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Facts, and sessions with tools, without a model."""
    quiet: Mapping[str, str] = {"DOPEJAR_EMBEDDER_KIND": "none"}
    with open_memory(tmp_path, said_by="user", environment=quiet) as made:
        for fact in FACTS:
            made.remember(fact)
        for place, turns in enumerate(SESSIONS):
            made.add([{"role": role, "content": text} for role, text in turns], conversation=str(place))
        yield made


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("budget", [40, 60, 100, 200, 600, 1024])
def test_the_best_hit_of_a_search_is_in_every_pack_with_room_for_it(memory: Memory, question: str, budget: int) -> None:
    """However much was said about it, and however small the budget is."""
    best = memory.search(question)[0]
    assert best.text == QUESTIONS[question].rstrip(".")
    assert best.text in [item.text for item in memory.recall(question, budget=budget).items]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_fact_that_answers_brings_no_outputs_and_acknowledgements(memory: Memory, question: str) -> None:
    """Nor what a tool put out, what an assistant says after memory, or what only stands near a turn that matches."""
    pack = memory.recall(question)
    said = {text for session in SESSIONS for role, text in session if role != "user"}
    assert said.isdisjoint(item.text for item in pack.items if item.source is Source.EPISODE)
    assert len(pack.items) <= 2


def test_an_output_that_answers_is_quoted(memory: Memory) -> None:
    """What a tool put out is found by its own words."""
    assert "class Berths:\n    pass" in [item.text for item in memory.recall("class Berths").items]


@pytest.mark.parametrize("prompt", ["thanks, looks good", "ok, go ahead", "Noted.", "great job, continue please"])
def test_a_prompt_without_content_recalls_nothing(memory: Memory, prompt: str) -> None:
    """Whatever was said in such words before."""
    memory.add([{"role": "user", "content": "Thanks, that looks good, continue."}], conversation="thanks")
    assert not memory.recall(prompt).items


def test_a_word_one_letter_away_from_that_of_a_memory_finds_it(memory: Memory) -> None:
    """By words alone, too."""
    memory.remember("We use httpx.")
    assert [item.text for item in memory.recall("which http library do we use?").items] == ["We use httpx"]
