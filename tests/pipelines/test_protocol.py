"""The ingestion protocol, rule by rule, on the whole way from words to records."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from whole_store import chain_faults

from dopejar import Kind, Status, open_memory
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Layer, Sublayer

AT = datetime(2021, 5, 4, 12, tzinfo=UTC)
WORDINGS = [
    "I like Python.",
    "I really like Python.",
    "I like Python very much.",
    "Honestly, I like Python.",
    "I do like Python.",
    "I still like Python.",
    "Python is something I like.",
    "I like Python a lot.",
    "You know, I like Python!",
    "i like python",
]


@pytest.fixture
def memory(tmp_path):
    """A fresh memory."""
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        yield opened


def standing(memory, *statuses):
    """Records with these statuses, the active ones where none is named, oldest statement first."""
    found = memory.list(RecordFilter(statuses=statuses or (Status.ACTIVE,)), 1000)
    return sorted(found, key=lambda one: one.valid_from)


@pytest.mark.parametrize(
    ("said", "text", "is_sure"),
    [
        ("Well, I think the kiln is in the barn.", "I think the kiln is in the barn", False),
        ("Oh, and maybe the kiln is in the barn.", "Maybe the kiln is in the barn", False),
        ("By the way, the kiln is in the barn.", "The kiln is in the barn", True),
    ],
)
def test_extract_takes_the_fluff_and_keeps_the_doubt(memory, said, text, is_sure):
    """EXTRACT: fluff leaves the words; doubt stays in them and as certainty."""
    memory.remember(said)
    (record,) = standing(memory)
    assert record.text == text
    assert (record.certainty == 1.0) is is_sure


@pytest.mark.parametrize("doubt", ["The kiln might be in the barn.", "I think the kiln is in the barn."])
@pytest.mark.parametrize("is_sure_first", [True, False])
def test_what_was_doubtful_and_is_sure_reads_as_sure(memory, doubt, is_sure_first):
    """Doubt about what is known changes no word of it; who becomes sure is quoted as being sure."""
    sure = "The kiln is in the barn."
    for number, said in enumerate([sure, doubt] if is_sure_first else [doubt, sure]):
        memory.remember(said, at=AT + timedelta(days=number))
    assert [(record.text, record.certainty) for record in standing(memory)] == [("The kiln is in the barn", 1.0)]


DOUBTS = [
    "Maybe {}.",
    "I think {}.",
    "I believe {} now.",
    "I guess {}.",
    "If I remember right, {}.",
    "I'm not sure, but {}.",
    "It could be that {}.",
    "Could be that {}.",
    "Might well be that {}.",
    "{}, I think.",
]


@pytest.mark.parametrize("doubt", [*DOUBTS, "Probably {}."])
@given(days=st.integers(1, 400))
@settings(max_examples=3)
def test_doubt_takes_nothing_sure_out_of_use(doubt, days):
    """A doubtful statement stands beside a sure one, or waits for a person; the next sure one is news of both."""
    with open_memory(":memory:", environment={}, said_by="user") as memory:
        memory.remember("I live in Bergen.", at=AT)
        memory.remember(doubt.format("I live in Ghent"), at=AT + timedelta(days=days))
        assert "I live in Bergen" in [record.text for record in standing(memory)]
        memory.remember("I live in Oslo.", at=AT + timedelta(days=days + 1))
        assert [record.text for record in standing(memory)] == ["I live in Oslo"]
        assert memory.review.queue() == ()


@pytest.mark.parametrize("said", ["I might live in Ghent.", "I doubt I live in Bergen."])
def test_what_might_be_and_what_is_doubted_retire_nothing(memory, said):
    """Neither a possibility nor a doubt ends what is known."""
    memory.remember("I live in Bergen.", at=AT)
    memory.remember(said, at=AT + timedelta(days=1))
    assert "I live in Bergen" in [record.text for record in standing(memory)]


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize("is_sure", [True, False])
def test_what_is_no_less_sure_takes_the_place_of_a_doubt(memory, doubt, is_sure):
    """A doubtful statement gives way to a sure one, and to a newer one that is as doubtful."""
    memory.remember(doubt.format("I live in Ghent"), at=AT)
    memory.remember("I live in Oslo." if is_sure else doubt.format("I live in Oslo"), at=AT + timedelta(days=1))
    assert ["Oslo" in record.text for record in standing(memory)] == [True]
    assert memory.review.queue() == ()


@pytest.mark.parametrize(
    ("said", "layer", "sublayer"),
    [
        ("My name is Ines.", Layer.SELF, Sublayer.IDENTITY),
        ("I prefer dark mode.", Layer.SELF, Sublayer.PREFERENCE),
        ("The server listens on 0.0.0.0.", Layer.WORLD, Sublayer.FACT),
        ("The nightly backup keeps failing.", Layer.WORLD, Sublayer.FAILURE),
        ("Always run the linter before a push.", Layer.INTENT, Sublayer.RULE),
        ("Never commit to main.", Layer.INTENT, Sublayer.ANTI_PATTERN),
        ("My goal is to row across the lake by May.", Layer.INTENT, Sublayer.GOAL),
        ("Blue lanterns line the old quay.", Layer.WORLD, Sublayer.FACT),
    ],
)
def test_classify_gives_coordinates_and_never_guesses(memory, said, layer, sublayer):
    """CLASSIFY: layer and sublayer by the words; what is unclear is a world fact."""
    memory.remember(said)
    (record,) = standing(memory, Status.ACTIVE, Status.STAGED)
    assert (record.layer, record.sublayer) == (layer, sublayer)


def test_unclear_words_are_a_world_fact_of_low_confidence(memory):
    """CLASSIFY: the default says that it is one."""
    memory.remember("Blue lanterns line the old quay.")
    memory.remember("I prefer dark mode.")
    unclear, clear = sorted(standing(memory), key=lambda one: one.confidence)
    assert (unclear.layer, unclear.sublayer, clear.kind) == (Layer.WORLD, Sublayer.FACT, Kind.PREFERENCE)
    assert unclear.confidence < clear.confidence


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("I really prefer dark mode IDEs", "Self-Pref-DarkMode"),
        ("The server listens on 0.0.0.0", "Server-Config-Binding"),
        ("Do not use relative paths", "Dev-Path-Absolute"),
    ],
)
def test_the_examples_keys_are_stored_as_written(memory, said, key):
    """KEY: the protocol's three examples, on the record itself."""
    memory.remember(said)
    assert [one.key for one in standing(memory, Status.ACTIVE, Status.STAGED)] == [key]


def test_integrity_looks_in_the_same_namespace_alone(memory):
    """INTEGRITY: the same key in another namespace is another memory."""
    memory.remember("I prefer dark mode.")
    memory.remember("I prefer dark mode.", namespace="test")
    memory.remember("I prefer dark mode.")
    (record,) = standing(memory)
    (other,) = memory.list(RecordFilter(namespace=record.namespace.__class__("test")), 9)
    assert (record.access_count, other.access_count, record.key) == (2, 1, other.key)


def test_write_keeps_one_concept_per_memory(memory):
    """WRITE: a text with several facts becomes several records."""
    memory.remember("I live in Porto and my dog is called Rex, and I use Helix.")
    assert len(standing(memory)) == 3


def test_reinforce_starts_at_one_and_counts_visits(memory):
    """REINFORCE: one access when new; a repeat and a use each add one and move the last; being shown does not."""
    memory.remember("I prefer dark mode.")
    (new,) = standing(memory)
    assert (new.access_count, new.last_accessed_at) == (1, None)
    memory.remember("I prefer dark mode.")
    (said_again,) = standing(memory)
    assert (said_again.id, said_again.access_count) == (new.id, 2)
    assert said_again.last_accessed_at is not None
    memory.recall("Which mode do I prefer?", records_only=True)
    assert standing(memory) == [said_again]
    memory.note_used([said_again.id])
    (used,) = standing(memory)
    assert used.access_count == 3
    assert used.last_accessed_at >= said_again.last_accessed_at
    (line,) = memory.surveys.keys("Self-Pref")
    assert line.strength > 0.25


def test_another_value_is_a_new_version_with_links_both_ways(memory):
    """The protocol's way through: nothing known adds, the same reinforces, another value supersedes."""
    memory.remember("I prefer dark mode.", at=AT)
    memory.remember("I switched to light mode.", at=AT + timedelta(days=1))
    old, new = standing(memory, Status.ACTIVE, Status.SUPERSEDED)
    assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert (old.superseded_by, new.supersedes) == (new.id, old.id)
    assert old.valid_to == new.valid_from
    assert chain_faults(memory) == []


def test_ten_wordings_are_one_strong_record(memory):
    """Why it matters: no bag of dots; ten ways to say one thing are one record of ten accesses."""
    for words in WORDINGS:
        memory.remember(words)
    records = standing(memory)
    assert len(records) == 1, [one.text for one in records]
    assert records[0].access_count == 10


PARTS = st.sampled_from(
    [
        "I prefer dark mode.",
        "Never commit to main.",
        "What time is it?",
        "Thanks!",
        "If it rains, I stay in.",
        "The kiln, I think, is in the barn.",
        "```\nprint(1)\n```",
        "According to Ana the port is 9100.",
        "https://example.org/a?b=c",
        "My dog is called Rex and I live in Porto.",
    ]
)


@given(st.lists(PARTS, min_size=1, max_size=5))
@example(["I prefer dark mode.", *["https://example.org/a?b=c"] * 2, "I prefer dark mode."])
def test_nothing_that_is_said_is_lost(tmp_path_factory, parts):
    """Every word is kept word for word, and lies in what a record rests on or in what is reported as left out."""
    text = " ".join(parts) if "```" not in "".join(parts) else "\n".join(parts)
    with open_memory(tmp_path_factory.mktemp("lost"), environment={}, said_by="user") as memory:
        result = memory.remember(text)
        with memory.store.read() as view:
            episode = view.episode(result.episode_id)
            ids = view.resting_on([result.episode_id])
            rows = [one for found in view.evidence_of(ids).values() for one in found]
        assert episode.text == text
        told = " ".join([*(text[one.start : one.end] for one in rows), *result.left_out])
        for word in re.findall(r"[^\W\d_]{2,}", text):
            assert word in told, word
