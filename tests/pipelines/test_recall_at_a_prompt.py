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


OWN_LIFE = [
    "My sauna runs a bit cold.",
    "My aunt Berta comes every second morning.",
    "The tests at the clinic were fine.",
    "I keep my stamps in a green box.",
    "I prefer short mails.",
]
OF_WORK = [
    "The greenhouse controller listens on port 7070.",
    "The sensor tests need a broker.",
    "Ada Holm signs releases.",
]


@pytest.fixture
def workplace(tmp_path):
    """A memory of a life and of a project, seen from the project."""
    quiet = {"DOPEJAR_EMBEDDER_KIND": "none"}
    with open_memory(tmp_path, environment=quiet, said_by="user") as opened:
        for text in OWN_LIFE:
            opened.remember(text)
    with open_memory(tmp_path, environment=quiet, said_by="user", project="glasshouse") as opened:
        for text in OF_WORK:
            opened.remember(text)
        yield opened


def told(memory, prompt):
    """The memories that a prompt is told."""
    return [item.text for item in memory.recall(prompt, budget=600, unasked=True).items if item.source is Source.RECORD]


@pytest.mark.parametrize(
    "prompt",
    [
        "run it again",
        "please run it once more",
        "hi, good morning!",
        "it comes with a warning",
        "make the box wider",
        "colour it green",
        "use the second option",
    ],
)
def test_a_frequent_word_tells_nothing_of_a_life(workplace, prompt):
    """What holds everywhere is not told to a work prompt for one everyday word."""
    assert told(workplace, prompt) == []


@pytest.mark.parametrize(
    ("prompt", "memory"),
    [
        ("how cold is the sauna?", OWN_LIFE[0]),
        ("write to aunt Berta", OWN_LIFE[1]),
        ("which green box has the stamps?", OWN_LIFE[3]),
        ("write a short mail to the vendor", OWN_LIFE[4]),
        ("add a retry to the greenhouse controller", OF_WORK[0]),
        ("please run the tests again", OF_WORK[1]),
        ("draw a sequence diagram of a sensor that reconnects", OF_WORK[1]),
        ("let Ada look at the changelog before lunch", OF_WORK[2]),
    ],
)
def test_what_a_prompt_is_about_is_told(workplace, prompt, memory):
    """Two words, or a rare one; what holds in the project by one word that is not of every instruction."""
    assert memory.removesuffix(".") in told(workplace, prompt)


def test_a_tool_that_was_replaced_leads_to_its_successor(tmp_path):
    """Its name is a rare word of the older version."""
    quiet = {"DOPEJAR_EMBEDDER_KIND": "none"}
    with open_memory(tmp_path, environment=quiet, said_by="user", project="glasshouse") as memory:
        memory.add([{"role": "user", "content": "our database is Firebird."}], conversation="one")
        memory.add([{"role": "user", "content": "our database is Postgres now."}], conversation="two")
        assert any("Postgres" in text for text in told(memory, "which Firebird?"))


FERRY = [
    "The ticket printer is on jetty2.",
    "The winch reads its limits from table w7.",
    "Crossings leave on Mondays and Thursdays.",
    "Harald owns the timetable repo.",
    "Lunch is at noon.",
]
ASKED = [
    ("which host runs the ticket printer?", "I don't know."),
    ("what's the crossing day again?", "I could not find it."),
    ("change the host of the ticket printer in the compose file", "Changed the ticket printer's host in compose.yml."),
    ("who's the owner of the timetable repo", "No owner is named here."),
    ("which table has the limits that the winch reads?", "There is none in this repo."),
]


@pytest.mark.parametrize(
    ("prompt", "memory"),
    [
        ("which host is the ticket printer on?", FERRY[0]),
        ("on which day are crossings?", FERRY[2]),
        ("what's the crossing day?", FERRY[2]),
        ("who is the owner of the timetable?", FERRY[3]),
        ("which table does the winch read?", FERRY[1]),
    ],
)
@pytest.mark.parametrize("unasked", [True, False])
def test_what_was_asked_before_hides_no_answer(tmp_path, prompt, memory, unasked):
    """A question, or an order, that has more of the prompt's words than the memory has is no rival of it."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        for text in FERRY:
            opened.remember(text)
        for number, (asked, answered) in enumerate(ASKED):
            said = [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
            opened.add(said, conversation=str(number))
        shown = opened.recall(prompt, budget=600, unasked=unasked).items
        assert any(item.text.removesuffix(".") == memory.removesuffix(".") for item in shown)


@pytest.mark.parametrize("unasked", [True, False])
@pytest.mark.parametrize("prompt", ["is that a fact?", "what rule?", "a world of limits"])
def test_the_sorts_in_keys_find_nothing(workplace, prompt, unasked):
    """Nobody said the words by which the program sorts memories; the index still has them."""
    keys = " ".join(record.key for record in workplace.list(limit=50))
    assert "Fact" in keys
    assert "World" in keys
    found = workplace.recall(prompt, budget=600, unasked=unasked).items
    assert not [item for item in found if item.source is Source.RECORD]
