"""A sentence with a fact and an instruction: the fact is learned, the instruction waits, without a model as well."""

import pytest

from dopejar import LiveTurn, open_memory
from dopejar.values.episode import Origin

MIXED = (
    ("I live in Whitby, so please don't plan calls before ten.", "I live in Whitby", "plan calls"),
    ("My niece has coeliac disease so never suggest bread.", "My niece has coeliac disease", "suggest"),
    ("I'm short-sighted, so avoid small print in handouts.", "I'm short-sighted", "avoid"),
    ("I moved to Turku in 2019, so from now on show times in EET.", "I moved to Turku in 2019", "show times"),
    ("I have three cats, so only suggest flats with a garden.", "I have three cats", "suggest"),
    ("Our client is in Basel, so write prices in francs.", "Our client is in Basel", "write prices"),
    ("I work nights so please ring after noon.", "I work nights", "ring"),
)
WHOLE = (
    "Send the map for Ms Ito by post, she has no phone.",
    "Don't plan anything on Mondays, I have band practice then.",
    "When a guest is Spanish, please write in Spanish.",
)
FACTS = (
    "I'm on lates so I sleep until noon.",
    "My scooter broke so we bought a van.",
    "I have a new post so work starts at seven.",
    "My brother lives in Cork, so we took the ferry.",
    "The kiln failed in May, so we moved it outside.",
    "I don't drink coffee, so I bring my own tea.",
)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory without a model, whose host lets its user speak."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def active(memory):
    """The texts in force."""
    return [record.text for record in memory.list()]


@pytest.mark.parametrize(("said", "fact", "instruction"), MIXED)
def test_of_what_is_told_the_fact_holds_and_the_instruction_waits(memory, said, fact, instruction):
    """Nobody approved the instruction, whatever fact gives the reason for it."""
    memory.remember(said)
    assert active(memory) == [fact]
    assert [instruction in item.text.casefold() for item in memory.review.queue()] == [True]


@pytest.mark.parametrize("said", [said for said, _, _ in MIXED] + list(WHOLE))
def test_no_instruction_of_a_conversation_is_in_force(memory, said):
    """The same of what is said in a conversation: no active memory has the words of the instruction."""
    memory.observe(LiveTurn(conversation="c", source_id="1", text=said, origin=Origin.USER))
    memory.sessions.end("c")
    instructions = [instruction for whole, _, instruction in MIXED if whole == said] or [said[:12].casefold(), "please"]
    assert not any(word in text.casefold() for text in active(memory) for word in instructions)


@pytest.mark.parametrize("said", WHOLE)
def test_what_cannot_be_divided_waits_as_a_whole(memory, said):
    """Neither half can be read alone, so that both wait."""
    memory.remember(said)
    assert active(memory) == []
    assert [item.text for item in memory.review.queue()] == [said.rstrip(".")]


@pytest.mark.parametrize("said", FACTS)
def test_a_fact_and_what_came_of_it_is_one_active_fact(memory, said):
    """A "so" alone makes no instruction."""
    memory.remember(said)
    assert active(memory) == [said.rstrip(".")]
    assert not memory.review.queue()
