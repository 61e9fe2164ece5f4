"""Reading the best items together with the question: what is read, and what comes of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_values import ranked, record, turn

from dopejar.pipelines.recall.answer_floor import floor_of, relevant, signals_of
from dopejar.pipelines.recall.answer_odds import is_denied, is_read, with_answers
from dopejar.pipelines.recall.question import parse_question
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.testing.builders import a_record
from dopejar.values.episode import Origin
from dopejar.values.recall import Source

ASKED = parse_question("Who tunes the piano?", date(2024, 5, 6))
MINILM = EmbedderIdentity(name="minilm-l6-v2", dimensions=384, digest="x")
SCORES = st.lists(st.floats(0.01, 1), max_size=12)


def items_of(scores: list[float]) -> list:
    """Turns with these scores, best first."""
    best_first = sorted(scores, reverse=True)
    return [ranked(turn(place, f"Turn {place}."), score) for place, score in enumerate(best_first)]


def read(items, odds):
    """The items, of which those named have these odds; and the texts that were read."""
    texts = []

    def answers(question, said):
        assert question == ASKED.text
        texts.extend(said)
        return [odds.get(text, 0.0) for text in said]

    return with_answers(ASKED.text, ASKED, items, answers), texts


@given(scores=SCORES, odds=st.lists(st.floats(-9, 9), min_size=12, max_size=12))
def test_the_same_items_come_back_best_first_and_few_are_read(scores, odds):
    """Nothing is lost, eight texts are read at most, and the order is that of the scores."""
    items = items_of(scores)
    found, texts = read(items, {f"Turn {place}.": one for place, one in enumerate(odds)})
    assert {item.id for item in found} == {item.id for item in items}
    assert len(texts) == len(set(texts)) <= 8
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


@given(scores=SCORES)
def test_without_a_reader_nothing_changes(scores):
    """And nothing that speaks neither for nor against an answer moves an item."""
    items = items_of(scores)
    assert with_answers(ASKED.text, ASKED, items, None) == items
    assert [item.id for item in read(items, {})[0]] == [item.id for item in items]


def test_a_sure_answer_comes_before_what_is_only_alike():
    """Of two items that are about as near the one that says what is asked comes first."""
    alike, telling = ranked(turn(1, "I play the piano."), 0.5), ranked(turn(2, "Ms Roth came to tune it."), 0.45)
    found, _ = read([alike, telling], {alike.text: -5.0, telling.text: 4.0})
    assert [item.id for item in found] == [telling.id, alike.id]


def test_a_record_and_the_turn_that_it_repeats_are_read_once():
    """Both have what was read."""
    said = "Ms Roth tunes the piano."
    items = [ranked(record(1, said), 0.5), ranked(turn(1, said), 0.5)]
    found, texts = read(items, {said: 3.0})
    assert texts == [said]
    assert [item.answer for item in found] == [3.0, 3.0]


def test_who_said_it_is_read_with_it_where_somebody_is_named():
    """A role is no name."""
    by_ida = ranked(turn(1, "I tune it.", origin=Origin.OTHER, speaker="Ida"), 0.5)
    _, texts = read([by_ida, ranked(turn(2, "The user speaks."), 0.4)], {})
    assert texts == ["Ida: I tune it.", "The user speaks."]


@pytest.mark.parametrize(
    ("text", "is_dated"),
    [
        ("When did I sell the piano?", True),
        ("Since when do I play?", True),
        ("How long have I had the brown piano?", True),
        ("When is the piano tuned?", False),
        ("How long is the keyboard?", False),
        ("Who has tuned the piano?", False),
    ],
)
def test_when_something_was_is_read_with_the_day_on_which_it_was_told(text, is_dated):
    """Of a record and of a turn; other questions do not ask for that day."""
    items = [ranked(record(1, "I sold the piano."), 0.5), ranked(turn(1, "I played on it."), 0.4)]
    texts = []
    with_answers(
        text,
        parse_question(text, date(2024, 5, 6)),
        items,
        lambda _, said: texts.extend(said) or [0.0] * len(said),
    )
    days = [items[0].record.valid_from, items[1].episode.at]
    found = [f"On {day.day} {day:%B} {day.year}: {item.text}" for day, item in zip(days, items, strict=True)]
    assert texts == (found if is_dated else [item.text for item in items])


def test_nothing_is_held_against_a_turn():
    """It may answer together with the turns before it; a record stands by itself."""
    items = [ranked(record(1, "Ida plays."), 0.5), ranked(turn(1, "Yes, she does."), 0.5)]
    found, _ = read(items, {item.text: -4.0 for item in items})
    assert {item.text: item.answer for item in found} == {"Ida plays.": -4.0, "Yes, she does.": None}


@pytest.mark.parametrize(
    ("odds", "is_first"), [((-3.0, 0.5), True), ((-3.0, 2.0), False), ((-5.0, 0.5), False)], ids=["", "sure", "denied"]
)
def test_what_names_more_of_a_question_is_before_what_names_a_part_of_it(odds, is_first):
    """Others of the kind of what is named, unless they surely answer or it surely does not."""
    named, other = ranked(record(1, "Roth tunes every piano."), 0.9), ranked(record(2, "The piano is old."), 0.6)
    question = parse_question("Which piano does Roth tune?", date(2024, 5, 6))
    said = dict(zip((named.text, other.text), odds, strict=True))
    found = with_answers(question.text, question, [named, other], lambda _, texts: [said[text] for text in texts])
    assert (found[0].id == named.id) is is_first
    assert [item.score for item in found] == [0.9, 0.6]


def test_a_turn_tells_whether_there_is_an_answer_only_where_it_is_sure():
    """A record always tells."""
    assert [is_read([replace(ranked(turn(1, "Yes."), 0.5), answer=odds)]) for odds in (None, 1.0, 3.0)] == [
        False,
        False,
        True,
    ]
    assert is_read([replace(ranked(record(1, "Ida plays."), 0.5), answer=-5.0)])


@pytest.mark.parametrize(
    "text",
    ["What about the piano?", "We had " + " and ".join(f"a{place}b" for place in range(20))],
    ids=["one thing", "a situation"],
)
def test_what_asks_for_no_one_thing_is_not_read(text):
    """All that names the one thing answers, and a long text describes a situation."""
    items = [ranked(record(1, "The piano is in the hall."), 0.5)]
    question = parse_question(text, date(2024, 5, 6))
    assert with_answers(text, question, items, lambda _, said: [0.0] * len(said)) == items


def test_the_last_question_is_read_alone_as_well():
    """What stands before it may be about something else; the surer of the two counts."""
    text, item = "The string broke. Who tunes the piano?", ranked(record(1, "Ms Roth does."), 0.5)
    odds = {text: -3.0, "Who tunes the piano?": 2.0}
    question = parse_question(text, date(2024, 5, 6))
    found = with_answers(text, question, [item], lambda asked, said: [odds[asked]] * len(said))
    assert [item.answer for item in found] == [2.0]


@pytest.mark.parametrize(("odds", "is_kept"), [(5.0, True), (-5.0, False)])
def test_what_was_read_decides_whether_there_is_an_answer(odds, is_kept):
    """Of one and the same cosine."""
    near = replace(ranked(a_record("I play the piano on Sundays."), 0.6), cosine=0.45, lexical=1.0)
    items, _ = read([near], {near.text: odds})
    signals = signals_of(ASKED, items, frozenset())
    assert bool(relevant(ASKED, items, floor_of(MINILM, is_read=True), signals)) is is_kept
    assert near.source is Source.RECORD


def test_what_was_read_counts_wherever_reading_put_it():
    """A record that surely does not answer falls behind many turns, and still tells that nothing is known."""
    denied = replace(ranked(record(1, "I play the piano."), 0.1), cosine=0.1, answer=-5.0)
    turns = [replace(ranked(turn(place, f"Turn {place}."), 0.9), cosine=0.15) for place in range(40)]
    assert signals_of(ASKED, [*turns, denied], frozenset()).answer == denied.answer


@given(odds=st.lists(st.floats(-9, 9), max_size=8))
def test_nothing_answers_where_all_that_was_read_surely_does_not(odds):
    """Turns included, of which none is left out for itself; one text that may answer is enough."""
    items = items_of([1 - place / 10 for place in range(len(odds))])
    found, texts = read(items, {f"Turn {place}.": one for place, one in enumerate(odds)})
    assert is_denied(found) is (bool(texts) and max(odds) < -4)
    near = [replace(item, cosine=0.8, lexical=1.0) for item in found]
    kept = relevant(ASKED, near, floor_of(MINILM), signals_of(ASKED, near, frozenset()), denied=is_denied(found))
    assert bool(kept) is (bool(items) and not is_denied(found))
