"""What a prompt is told unasked: memories, and a quotation only where it plainly answers what no memory does."""

import pytest

from dopejar import open_memory
from dopejar.values.recall import Source

SAID = [
    ("user", "We rent the boats from Halvor, the contract ends in May"),
    ("assistant", "Noted."),
    ("user", "print the boat list"),
    ("assistant", "Printed the boat list and saved it to the shared drive."),
    ("user", "which glue did you order for the deck?"),
    ("assistant", "I ordered the epoxy from Baltic, two cans."),
    ("user", "glue the deck planks on the second boat"),
    ("assistant", "Done, glued the deck planks, all checks pass."),
    ("user", "the deck planks came loose, because the glue was too cold"),
    ("user", "what did the harbour say about the mooring?"),
    (
        "user",
        "mail from the harbour:\n\nFrom: Ida Holm\nSubject: mooring\n\nThe mooring fee is 90, always pay early.\n\nIda",
    ),
]


@pytest.fixture
def memory(tmp_path):
    """A memory with one conversation, of which little became a memory."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        opened.add([{"role": role, "content": text} for role, text in SAID], conversation="boats")
        yield opened


def quoted(memory, prompt, **options):
    """What is quoted for a prompt."""
    pack = memory.recall(prompt, budget=600, **options)
    return [item.text for item in pack.items if item.source is Source.EPISODE]


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("why did the deck planks come loose?", "the deck planks came loose, because the glue was too cold"),
        ("which epoxy did we order from Baltic?", "I ordered the epoxy from Baltic, two cans."),
    ],
)
def test_what_answers_is_quoted(memory, prompt, answer):
    """What the user told, and what the assistant answered when it was asked the same."""
    assert answer in quoted(memory, prompt, unasked=True)


@pytest.mark.parametrize(
    "prompt",
    [
        "print the boat list",
        "print the list of boats again please",
        "glue the deck planks on the third boat",
        "boats?",
        "is the boat list printed?",
        "which mooring fee did the harbour mail name?",
        "good morning, on we go",
    ],
)
def test_requests_reports_questions_and_pastes_are_not_quoted(memory, prompt):
    """They tell nothing that helps; who asks memory itself is quoted what matches."""
    said = quoted(memory, prompt, unasked=True)
    assert not [text for text in said if "because" not in text]


def test_who_asks_is_still_quoted_all(memory):
    """The cut is for prompts alone."""
    assert any("Printed the boat list" in text for text in quoted(memory, "print the list of boats again please"))


def test_memories_are_told_as_ever(memory):
    """The same memories, in the same order, whether somebody asked or not."""
    memory.remember("The deck glue is epoxy.")
    memory.remember("The boats belong to Halvor.")
    for prompt in ("which glue is for the deck?", "who do the boats belong to?", "print the boat list"):
        told = [
            [item.id for item in memory.recall(prompt, unasked=unasked).items if item.source is Source.RECORD]
            for unasked in (True, False)
        ]
        assert told[0] == told[1]
