"""Copies of erased turns do not come back, and nobody else's turns are buried with them."""

import json

import pytest
from whole_store import by_turns, write_conversation, write_roles

from dopejar import LiveTurn, RefusedError, open_memory
from dopejar.engine.ingest.live_turns import Observation
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

SECRET = "correct horse " + "battery"
WORDS = "My locker combination hint is the blue heron from Zambujeira."
SAID = [
    WORDS,
    "Noted: the locker hint is the blue heron of Zambujeira.",
    "yes",
    "Good.",
    "How long does the ferry to Zambujeira take?",
]
BETRAYING = ("heron", "zambujeira")


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def ana(memory):
    """The reviewer."""
    return memory.reviewers.unlock(SECRET)


def texts(memory):
    """What every turn in the store says."""
    with memory.store.read() as view:
        return [turn.text for row in view.conversations(1000) for turn in view.turns(row.id)]


def betrayed(memory):
    """Turns that say what was erased."""
    return [text for text in texts(memory) if any(word in text.casefold() for word in BETRAYING)]


def learn(memory, *paths):
    """The results of learning from files."""
    return list(memory.learn(paths))


def spaced(words):
    """The same words as another program would write them."""
    return f"  {words.replace(' ', '  ').upper()}\r\n"


@pytest.mark.parametrize("as_written", [str, spaced, str.swapcase])
@pytest.mark.parametrize("form", ["neutral", "roles"])
def test_a_copy_of_an_erased_conversation_leaves_nothing(memory, ana, tmp_path, form, as_written):
    """Under another name, in another format, spelled and spaced otherwise: no turn and no row of it is kept."""
    (learned,) = learn(memory, write_roles(tmp_path, "one", by_turns(SAID)))
    memory.erase(ana, conversation=learned.conversations[0])
    copies = [as_written(words) for words in SAID]
    path = (
        write_conversation(tmp_path, "two", list(enumerate(copies)))
        if form == "neutral"
        else write_roles(tmp_path, "two", by_turns(copies), day=9)
    )
    (again,) = learn(memory, path)
    assert (again.episodes, again.buried) == (0, len(SAID))
    assert betrayed(memory) == []
    with memory.store.read() as view:
        assert len(view.conversations(10)) == 1


def test_a_resumed_session_goes_on_without_what_was_erased(memory, ana, tmp_path):
    """What is new in a session that repeats an erased one is kept; what it repeats is not."""
    (learned,) = learn(memory, write_conversation(tmp_path, "one", list(enumerate(SAID))))
    memory.erase(ana, conversation=learned.conversations[0])
    longer = [
        *SAID,
        "The staging server listens on port 8080.",
        "Shall we deploy the gateway on Friday evening?",
        "yes",
    ]
    (again,) = learn(memory, write_conversation(tmp_path, "two", list(enumerate(longer))))
    assert again.episodes == 3
    assert betrayed(memory) == []
    assert [record.text for record in memory.list()] == ["The staging server listens on port 8080"]


def test_of_an_erased_memory_no_copy_of_its_turn_comes_back(memory, ana, tmp_path):
    """A turn that lost one sentence is not kept a second time with it."""
    whole = f"The gateway is written in Go. {WORDS}"
    (learned,) = learn(memory, write_conversation(tmp_path, "one", [(0, whole)]))
    assert learned.outcomes["added"] == 2
    (record,) = [record for record in memory.list() if "heron" in record.text]
    memory.erase(ana, records=[record.id])
    assert betrayed(memory) == []
    learn(memory, write_conversation(tmp_path, "two", [(0, whole)]))
    assert betrayed(memory) == []
    assert any("written in Go" in text for text in texts(memory))


def test_a_short_erased_turn_that_taught_something_stays_away(memory, ana, tmp_path):
    """A turn of few words is known by them where a memory was read from it."""
    (learned,) = learn(memory, write_conversation(tmp_path, "one", [(0, "I live in Zambujeira.")]))
    assert learned.outcomes["added"] == 1
    memory.erase(ana, conversation=learned.conversations[0])
    learn(memory, write_conversation(tmp_path, "two", [(0, "I live in Zambujeira.")]))
    assert betrayed(memory) == []


@pytest.mark.parametrize("short", ["ok", "yes", "Good.", "run it again", "да", "好的"])
def test_short_words_stay_everybodys(memory, ana, tmp_path, short):
    """An erased "yes" buries no other yes: only the one beside the same turns."""
    (learned,) = learn(memory, write_conversation(tmp_path, "one", [(0, WORDS), (1, short)]))
    memory.erase(ana, conversation=learned.conversations[0])
    elsewhere = [(0, "Shall we deploy the billing service on Friday evening?"), (1, short)]
    (other,) = learn(memory, write_conversation(tmp_path, "two", elsewhere))
    assert (other.episodes, other.buried) == (2, 0)
    (copy,) = learn(memory, write_conversation(tmp_path, "three", [(0, WORDS), (1, short)]))
    assert (copy.episodes, copy.buried) == (0, 2)


def test_a_live_copy_is_not_kept(memory, ana, tmp_path):
    """A host that says an erased turn again, in another session, is told that it was erased."""
    (learned,) = learn(memory, write_conversation(tmp_path, "one", [(0, WORDS)]))
    memory.erase(ana, conversation=learned.conversations[0])
    seen = memory.observe(LiveTurn(conversation="two", source_id="x", text=WORDS))
    assert seen.outcome is Observation.ERASED
    assert texts(memory) == ["[erased]"]


def test_erased_words_are_not_remembered_again(memory, ana):
    """Telling the memory what was erased is refused, and nothing of it is kept."""
    remembered = memory.remember(WORDS)
    memory.erase(ana, episodes=[remembered.episode_id])
    with pytest.raises(RefusedError, match="erased"):
        memory.remember(WORDS, said_by="assistant")
    assert betrayed(memory) == []


def test_an_import_brings_no_copy_back(memory, ana, tmp_path):
    """A copy of an erased turn that stands in an export under another id stays away."""
    learn(memory, write_conversation(tmp_path, "two", [(0, WORDS)]))
    memory.exchange.export_to(tmp_path / "out.jsonl")
    memory.erase(ana, conversation="two")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    (tmp_path / "in.jsonl").write_text(
        "\n".join(json.dumps(line).replace(lines[2]["id"], "e_" + "0" * 16) for line in lines) + "\n"
    )
    memory.exchange.import_from(tmp_path / "in.jsonl", ana)
    assert betrayed(memory) == []
    assert memory.list(RecordFilter(statuses=(Status.ACTIVE, Status.STAGED))) == ()


def test_an_erased_conversation_has_no_title(memory, ana, tmp_path):
    """Its name and file are made of what was said, and go with it; the same file is still known."""
    path = write_conversation(tmp_path, "heron-of-zambujeira", [(0, WORDS)])
    (learned,) = learn(memory, path)
    memory.erase(ana, conversation=learned.conversations[0])
    with memory.store.read() as view:
        (row,) = view.conversations(10)
    assert (row.name, row.source) == ("[erased]", "[erased]")
    learn(memory, path)
    assert not any(word.encode() in file.read_bytes() for file in (tmp_path / "home").iterdir() for word in BETRAYING)
