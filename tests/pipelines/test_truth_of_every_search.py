"""Truth first, whichever search is used: by words alone, and by vectors with a reader of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pytest
from whole_store import write_conversation

from dopejar import Memory, open_memory
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.text.words import query_terms
from dopejar.values.recall import Source

MARCH = datetime(2026, 3, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
PASSPHRASE = "correct horse battery"
NOTHING_SAID = ("how was your day?", "Quiet, thank you.", "lovely weather here", "Enjoy the sun!", "bye")


class WordEmbedder:
    """Vectors of hashed words, under the name of a model whose floors are known."""

    identity = EmbedderIdentity(name="minilm-l6-v2", dimensions=384, digest="0" * 64)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One axis for each word of a text."""
        found = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        for row, text in zip(found, texts, strict=True):
            row[[crc32(term.encode()) % len(row) for term in query_terms(text)] or [0]] = 1.0
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class AnswerReader:
    """Reads by the words in common; `denies` everything where it is told to."""

    def __init__(self, *, denies: bool = False) -> None:
        self.denies = denies

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The log odds of each text."""
        asked = set(query_terms(question))
        return [-6.0 if self.denies or asked.isdisjoint(query_terms(text)) else 3.0 for text in texts]


def with_vectors(memory: Memory, *, denies: bool = False) -> Memory:
    """The memory with that embedder and that reader."""
    object.__setattr__(memory._deps, "embedder", WordEmbedder)
    object.__setattr__(memory._deps, "answers", lambda: AnswerReader(denies=denies))
    return memory


@pytest.fixture(params=["words", "vectors"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A fresh memory for each kind of search."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield with_vectors(opened) if request.param == "vectors" else opened


def talk(memory: Memory, *turns: str, every: timedelta = DAY) -> None:
    """One conversation, the user first and then the assistant in turn."""
    memory.add(
        [
            {"role": ("user", "assistant")[place % 2], "content": text, "at": (MARCH + place * every).isoformat()}
            for place, text in enumerate(turns)
        ],
        conversation="talk",
    )


@pytest.mark.parametrize(
    ("said", "echo", "question"),
    [
        ("our boat is moored at pier 4", "Noted, your boat is moored at pier 4.", "where is the boat?"),
        ("the shed key hangs behind the door", "Good: the shed key hangs behind the door.", "where is the shed key?"),
        ("my violin teacher is Odile", "I'll keep that: your violin teacher is Odile.", "who is my violin teacher?"),
        ("the bakery delivers at 5:40", "Right, the bakery delivers at 5:40.", "when does the bakery deliver?"),
    ],
)
def test_the_memory_comes_before_its_echo_in_a_young_memory(
    said: str, echo: str, question: str, memory: Memory
) -> None:
    """Where a word stands in all of a few memories, it still counts there as much as among the turns."""
    talk(memory, f"remember that {said}.", echo, *NOTHING_SAID)
    first = memory.recall(question).items[0]
    assert (first.source, first.text.lower()) == (Source.RECORD, said.lower())


def test_the_best_memory_comes_before_a_turn_that_matches_better(memory: Memory) -> None:
    """What only mentions the thing twice does not outrank what is known of it."""
    talk(memory, "remember that our boat is moored at pier 4.", "OK.", "What a boat, such a boat!", "Yes.", "bye")
    items = memory.recall("the boat").items
    assert [item.text for item in items] == ["Our boat is moored at pier 4", "What a boat, such a boat!"]


@pytest.mark.parametrize(
    ("old", "new", "echo", "question"),
    [
        ("our landlord is Mr Roth", "our landlord is Mrs Vale now", "Noted: your landlord is Mr Roth.", "landlord"),
        ("my boss is Karen", "my boss is Liam now", "Okay. Your boss is Karen, got it.", "who is my boss?"),
        ("I live in Prague", "I live in Brno now", "Got it, you live in Prague!", "where do I live?"),
        ("my tutor is Low", "my tutor is Pell now", "Thanks. So Low is your tutor.", "who is my tutor?"),
        ("the API listens on port 80", "the API listens on port 81", "The API listens on port 80.", "which API port?"),
    ],
)
def test_an_outdated_echo_never_stands_unmarked(old: str, new: str, echo: str, question: str, memory: Memory) -> None:
    """What the assistant repeated is marked as the words that it repeats, and below what holds, or left out."""
    talk(memory, f"remember that {old}.", echo, "thanks", "Any time.", f"remember that {new}.", "OK.", "bye")
    for asked in (question, f"what did we say before of this: {question}"):
        items = memory.recall(asked).items
        assert items[0].text.lower() == new.lower()
        assert [item.status for item in items if item.text == echo] in ([], ["superseded"])


@pytest.mark.parametrize(
    "reply",
    [
        "Is your landlord still Mr Roth?",
        "Your landlord is no longer Mr Roth.",
        "First your landlord was Mr Roth, since March it is Mrs Vale.",
        "A landlord must heat the flat in winter.",
        "Mr Roth taught chemistry.",
    ],
)
def test_what_says_it_otherwise_is_no_echo(reply: str, memory: Memory) -> None:
    """A question, a denial, what tells the new value too, and what has only a word of it stay as they are."""
    talk(memory, "remember that our landlord is Mr Roth.", "OK.", "remember that our landlord is Mrs Vale now.", reply)
    found = memory.recall("landlord before Mrs Vale, was it Mr Roth? heat chemistry").items
    assert [item.status for item in found if item.text == reply] in ([], [""])


def test_nothing_is_quoted_where_all_that_was_read_surely_does_not_answer(tmp_path: Path) -> None:
    """Turns are no way round the reader: one that is alike is not quoted for want of a memory."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        talk(opened, "Could you look at the piano in the hall?", "The piano in the hall looks fine.")
        assert with_vectors(opened).recall("which piano is in the hall?").items
        assert not with_vectors(opened, denies=True).recall("which piano is in the hall?").items


@pytest.mark.parametrize("versions", [5, 40, 90])
def test_a_long_history_is_one_line(versions: int, memory: Memory) -> None:
    """However often a value was replaced, its turns lead to what holds now and are not quoted beside it."""
    turns = [text for day in range(versions) for text in (f"remember that my weight is {60 + day / 10} kg.", "OK.")]
    talk(memory, *turns)
    items = memory.recall("what is my weight?").items
    assert [item.text for item in items] == [f"My weight is {60 + (versions - 1) / 10} kg"]


def test_the_rules_of_a_day_are_those_of_that_day(memory: Memory) -> None:
    """Asked for as such, rules follow both clocks, as the answer to any other question does."""
    memory.reviewers.add("ana", PASSPHRASE)
    reviewer = memory.reviewers.unlock(PASSPHRASE)
    memory.remember("Always label the jars.", at=MARCH, by=reviewer)
    memory.remember("Never lend the ladder.", at=MARCH + 60 * DAY, by=reviewer)
    believed = datetime.now(UTC)
    memory.delete([record.id for record in memory.list() if "jars" in record.text], reviewer)

    def rules(**when: datetime) -> set[str]:
        return {item.text for item in memory.recall("what are my rules?", **when).items}

    assert rules() == {"Never lend the ladder"}
    assert rules(believed_at=believed) == {"Always label the jars", "Never lend the ladder"}
    assert rules(as_of=MARCH + 70 * DAY) == {"Never lend the ladder"}
    assert rules(as_of=MARCH - DAY) == rules(believed_at=MARCH) == set()


@pytest.mark.parametrize(
    ("lasting", "for_now", "question"),
    [
        ("The office is on Mill Street.", "Until the end of December the office is on Oak Street.", "the office?"),
        ("My desk is on floor 2.", "Until 20 December my desk is on floor 5.", "which floor is my desk on?"),
        ("The gym opens at 7.", "Until 20 December the gym opens at 9.", "when does the gym open?"),
        (
            "Choir practice is on Tuesdays.",
            "Until 20 December choir practice is on Fridays.",
            "when is choir practice?",
        ),
    ],
)
def test_what_holds_for_now_comes_first(lasting: str, for_now: str, question: str, memory: Memory) -> None:
    """Without a slot in common, too: they say the same words up to the value; on a later day it is gone."""
    told = datetime(2026, 11, 1, 10, tzinfo=UTC)
    memory.remember(lasting, at=told)
    memory.remember(for_now, at=told + 25 * DAY)

    def first(day: datetime) -> str:
        return memory.recall(question, as_of=day, records_only=True).items[0].text

    assert [f"{first(told + days * DAY)}." for days in (10, 30, 90)] == [lasting, for_now, lasting]


@pytest.mark.parametrize(
    ("lasting", "other", "question"),
    [
        ("The fee for adults is 5 euros.", "Until 20 December the fee for kids is 2 euros.", "the fee for adults?"),
        ("I work at Siemens.", "Until 20 December I work late.", "where do I work at Siemens?"),
        ("The red team sits on floor 1.", "Until 20 December the blue team sits on floor 4.", "the red team?"),
        ("Our flour comes from Meyer.", "Until 20 December our sugar comes from Kraft.", "our flour?"),
    ],
)
def test_what_holds_for_now_of_something_else_stays_behind(
    lasting: str, other: str, question: str, memory: Memory
) -> None:
    """It says other words before the value, or lacks what the question asks of the lasting one."""
    told = datetime(2026, 11, 1, 10, tzinfo=UTC)
    memory.remember(lasting, at=told)
    memory.remember(other, at=told + 25 * DAY)
    assert f"{memory.recall(question, as_of=told + 30 * DAY).items[0].text}." == lasting


@pytest.mark.parametrize(
    ("present", "announced", "question"),
    [
        (
            "Our API listens on port 8080.",
            "From 1 January our API listens on port 9090.",
            "which port does our API use?",
        ),
        ("The club fee is 40 euros.", "From 1 February 2027 the club fee is 50 euros.", "what is the club fee?"),
    ],
)
def test_what_was_announced_takes_over_on_its_day(present: str, announced: str, question: str, memory: Memory) -> None:
    """Whether or not the two were related when they were told."""
    told = datetime(2026, 11, 1, 10, tzinfo=UTC)
    memory.remember(present, at=told)
    memory.remember(announced, at=told + 4 * DAY)
    packs = [memory.recall(question, as_of=told + days * DAY) for days in (20, 120)]
    assert [f"{pack.items[0].text}." for pack in packs] == [present, announced]


@pytest.mark.parametrize(
    ("certain", "doubtful", "question"),
    [
        ("I live in Prague.", "Maybe I live in Brno.", "where do I live?"),
        ("My boss is Karen.", "I think my boss is Liam.", "who is my boss?"),
        ("Our server listens on port 80.", "I think our server listens on port 81.", "which port has our server?"),
    ],
)
def test_a_fact_tells_what_waits_against_it(certain: str, doubtful: str, question: str, memory: Memory) -> None:
    """What contradicts it and was not decided on is told with it, as with a rule; after a decision it is not."""
    memory.remember(certain, at=MARCH)
    assert not any("said since" in mark for item in memory.recall(question).items for mark in item.marks)
    memory.remember(doubtful, at=MARCH + DAY)
    first = memory.recall(question).items[0]
    assert first.text == certain.rstrip(".")
    assert any(mark.startswith("but said since") and doubtful.rstrip(".") in mark for mark in first.marks)


def test_a_newer_wording_of_ones_own_slot_stands_beside_it(memory: Memory) -> None:
    """Where only a digest tells its key from the slot's, no word of it need match; what is older does not count."""
    memory.remember("I live in Prague.", at=MARCH)
    for place, text in ((1, "Bergen has a new lodger in me."), (-1, "Oslo had a lodger in me.")):
        memory.remember(text, at=MARCH + place * DAY)
    with memory.store.write() as tx:
        changed = "UPDATE records SET slot = '', key = 'Self-Id-Home-' || CASE WHEN text LIKE 'B%' THEN ? ELSE ? END"
        tx._connection.execute(f"{changed} WHERE text LIKE '%lodger%'", ("0a1b2c", "2c1b0a"))
    found = [item.text for item in memory.recall("where do I live?", records_only=True).items]
    assert found[:2] == ["I live in Prague", "Bergen has a new lodger in me"]
    assert "Oslo had a lodger in me" not in found


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("We live at 12 Alder Street.", "what is our address?", "We live at 12 Alder Street"),
        ("We're living at 4 Elm Road.", "what is my address?", "We're living at 4 Elm Road"),
        ("We live in hope.", "what is our address?", ""),
        ("We live at 12 Alder Street.", "what is our email address?", ""),
        ("Our cat lives at number 7.", "what is our address?", ""),
    ],
)
def test_where_people_live_is_their_address(told: str, question: str, answer: str, memory: Memory) -> None:
    """Without a word in common; a place must be told, and no other kind of address be asked for."""
    memory.remember(told)
    assert [item.text for item in memory.recall(question, records_only=True).items] == [answer] * bool(answer)


def test_two_facts_of_a_turn_do_not_answer_for_each_other(memory: Memory) -> None:
    """The one that matches is told, and the turn is not quoted for the other's sake."""
    said = "Our dentist is Dr. Lind. My shoe size is 42."
    memory.add([{"role": "user", "content": said, "at": MARCH.isoformat()}], conversation="talk")
    for question, answer in (
        ("who is our dentist?", "Our dentist is Dr. Lind"),
        ("my shoe size?", "My shoe size is 42"),
    ):
        assert [item.text for item in memory.recall(question).items] == [answer]


def test_what_stands_near_a_forgotten_turn_does_not_answer_for_it(memory: Memory) -> None:
    """Turns beside one that matched are quoted; beside one that a reviewer had forgotten they are not."""
    memory.reviewers.add("ana", PASSPHRASE)
    talk(memory, "Our dentist is Dr. Lind.", "Good to know.", "My passport expires in May 2029.", "OK.")
    gone = [record.id for record in memory.list() if "Lind" in record.text]
    memory.delete(gone, memory.reviewers.unlock(PASSPHRASE))
    assert not memory.recall("who is our dentist?").items


def test_what_was_imported_later_was_not_believed_before(memory: Memory) -> None:
    """The ledger tells when a turn was known, though no memory rests on it; its own time is that of what it says."""
    talk(
        memory, "Our dentist is Dr. Lind.", "The bridge in Lowell Street is closed.", "My passport expires in May 2029."
    )
    for question in ("who is our dentist?", "which bridge is closed?"):
        assert not memory.recall(question, believed_at=MARCH + 9 * DAY).items
        assert memory.recall(question, believed_at=datetime.now(UTC)).items
        assert memory.recall(question, as_of=MARCH + 9 * DAY).items


def test_what_a_grown_file_added_was_not_believed_before(memory: Memory, tmp_path: Path) -> None:
    """Its first turns were known from the first import on, and what a second import added from then on."""
    turns = [
        (0, "Our dentist is Dr. Lind."),
        (1, "The bridge in Lowell Street is closed."),
        (2, "Our cat is called Ulli."),
    ]
    list(memory.learn([write_conversation(tmp_path, "talk", turns[:1])]))
    between = datetime.now(UTC)
    list(memory.learn([write_conversation(tmp_path, "talk", turns)]))
    assert memory.recall("who is our dentist?", believed_at=between).items
    assert not memory.recall("which bridge is closed?", believed_at=between).items
    assert memory.recall("which bridge is closed?").items
