"""What the asker said of themself answers from a lower cosine on, what shares only a name from a higher one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from recall_values import ranked, record, turn

from dopejar.pipelines.recall.answer_floor import floor_of, relevant, signals_of
from dopejar.pipelines.recall.own_records import is_own
from dopejar.pipelines.recall.question import parse_question
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.ports.embedder import EmbedderIdentity

MINILM = EmbedderIdentity(name="minilm-l6-v2", dimensions=384, digest="x")
NEAR, FAR = 0.4, 0.2


def found(text: str, cosine: float, *, lexical: float = 0.0, place: int = 1) -> RankedItem:
    """A record at this cosine."""
    return replace(ranked(record(place, text), 1.0), cosine=cosine, lexical=lexical)


def kept(question: str, *items: RankedItem, embedder: EmbedderIdentity | None = MINILM) -> list[str]:
    """The texts that are left of the items."""
    parsed = parse_question(question, date(2024, 5, 6))
    left = relevant(parsed, items, floor_of(embedder), signals_of(parsed, items, frozenset()))
    return [item.text for item in left]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who am I?", "I'm Sunniva"),
        ("what do I do for a living?", "I'm a glazier"),
        ("what's my job?", "I'm a glazier"),
        ("what's my job?", "The user works as a glazier"),
        ("what pills am I on?", "I take 20 mg of citalopram"),
        ("which computer do we use?", "Our laptop is a Framework"),
        ("Was esse ich nicht?", "Ich bin allergisch gegen Nüsse"),
    ],
)
def test_what_the_asker_said_of_themself_needs_less(question: str, answer: str) -> None:
    """A cosine that is too low for any other memory."""
    assert kept(question, found(answer, NEAR)) == [answer]
    assert kept(question, found("Odd plays chess", NEAR)) == []
    assert kept(question, found(answer, FAR)) == []


@pytest.mark.parametrize("question", ["who is Odd?", "help me plan my week", "what did you tell me about it?"])
def test_other_questions_need_as_much_as_before(question: str) -> None:
    """Of somebody else, for help, or about what an assistant said."""
    assert kept(question, found("I'm Sunniva", NEAR)) == []


def test_far_more_of_the_asker_is_left_out() -> None:
    """Beside the nearest own memory only those almost as near."""
    items = [found("I'm a glazier", 0.5), found("I hate olives", 0.35, place=2), found("I fit glass", 0.48, place=3)]
    assert kept("what's my job?", *items) == ["I'm a glazier", "I fit glass"]


@pytest.mark.parametrize(
    ("question", "text", "cosine", "stays"),
    [
        ("what colour is Odd's car?", "Odd lives in Tromso", 0.5, False),
        ("what colour is odd's car?", "Odd lives in Tromso", 0.5, False),
        ("what colour is Odd's car?", "Our car is red", 0.5, False),
        ("what colour is Odd's car?", "Odd has a red car", 0.5, True),
        ("what colour is Odd's car?", "Odd drives a red Saab", 0.7, True),
        ("what port does Postgres listen on?", "The database and its port listen on 5432", 0.5, True),
        ("what is the colour of the car?", "Our car is red", 0.5, True),
    ],
)
def test_a_name_alone_is_no_answer(question: str, text: str, cosine: float, *, stays: bool) -> None:
    """Nor the rest without the name, unless it is near by meaning or the rest tells enough."""
    other = found("Odd has a red car of a colour that Postgres has", 0.9, lexical=1.0, place=9)
    assert (text in kept(question, found(text, cosine, lexical=1.0), other)) is stays


def test_without_vectors_a_name_may_be_all_that_is_shared() -> None:
    """Other words may say the rest; what lacks the name says it of another."""
    items = [found("Odd is afraid of dogs", 0.0, lexical=1.0), found("I fear dogs", 0.0, lexical=1.0, place=2)]
    items = [replace(item, cosine=None) for item in items]
    assert kept("what does Odd fear?", *items, embedder=None) == ["Odd is afraid of dogs"]


def test_a_key_or_a_link_to_the_name_is_no_answer_by_itself() -> None:
    """Neither lifts the floor for what shares only the name; under another name the rest has to be shared."""
    known = found("Odd lives in Tromso", 0.5, lexical=1.0)
    named = replace(known, record=replace(record(1, known.text), key="Odd"))
    assert kept("what colour is Odd's bedroom?", named) == []
    parsed = parse_question("what colour is Odd's bedroom?", date(2024, 5, 6))
    alias = found("The lad's bedroom is a green colour", 0.4, lexical=1.0)
    signals = signals_of(parsed, [alias], frozenset())
    assert relevant(parsed, [alias], floor_of(MINILM), signals, linked=frozenset({alias.id})) == [alias]


def test_turns_that_go_on_with_others_are_left() -> None:
    """What stands beside a match need not name it again."""
    said = replace(ranked(turn(1, "Odd goes there"), 1.0), cosine=0.5, lexical=1.0)
    other = found("Odd has a red car of some colour", 0.9, lexical=1.0)
    assert kept("what colour is Odd's car?", said, other) == [other.text]
    beside = replace(said, from_neighbours=0.4)
    assert kept("what colour is Odd's car?", beside, other) == [beside.text, other.text]


def test_how_near_the_name_alone_is_lifts_no_floor() -> None:
    """Other turns, which only stand beside what names somebody, are then no answer either."""
    known = found("Odd lives in Tromso", 0.54, lexical=1.0)
    said = replace(ranked(turn(1, "Odd plays chess"), 1.0), cosine=0.5, lexical=1.0, fused=0.8, from_neighbours=0.1)
    beside = replace(ranked(turn(2, "The room is blue"), 1.0), cosine=0.2, lexical=0.0, from_neighbours=0.4)
    assert kept("what colour is Odd's car?", known, said, beside) == []


@pytest.mark.parametrize("text", ["I'm Sunniva", "We moved", "It is mine", "ich bin müde"])
def test_the_first_person_is_own(text: str) -> None:
    """In several languages."""
    assert is_own(text)
    assert not is_own("Odd moved")
