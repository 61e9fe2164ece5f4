"""Which records bear on a prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from recall_values import record, turn

from dopejar.pipelines.recall.prompt_terms import (
    bearing_on,
    concerning,
    met_by_rare_terms,
    not_denied,
    topic_terms,
)
from dopejar.pipelines.recall.question import parse_question
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.text.words import is_frequent
from dopejar.values.recall import Source
from dopejar.values.record import Kind
from dopejar.values.scope import UNIVERSAL, Scope

HERE = Scope.project("barn")


def asked(text: str):
    """The prompt, parsed."""
    return parse_question(text, date(2024, 5, 6))


def found(text: str, **changes: object) -> RankedItem:
    """A fact that holds everywhere, as a search without vectors ranks it."""
    led_by = str(changes.pop("led_by", ""))
    made = replace(record(1, text), kind=Kind.FACT, scope=UNIVERSAL)
    return RankedItem(source=Source.RECORD, score=1.0, record=replace(made, **changes), led_by=led_by)


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("please run the pump again", {"pump"}),
        ("hi, good evening!", set()),
        ("the evening shift", {"evening", "shift"}),
        ("how do I run it?", {"run"}),
        ("run it", set()),
        ("thanks, continue with the mill", {"mill"}),
    ],
)
def test_the_topic_is_what_is_left_of_an_instruction(prompt: str, left: set[str]) -> None:
    """Words of every instruction and greetings are of no topic; a question without another word asks for them."""
    assert topic_terms(asked(prompt)) == left


@pytest.mark.parametrize(
    ("prompt", "item", "bears"),
    [
        ("close the window", found("The window of the loft sticks"), False),
        ("close the window of the loft", found("The window of the loft sticks"), True),
        ("paint the loft", found("The window of the loft sticks"), True),
        ("close the window", found("The window of the loft sticks", scope=HERE), True),
        ("use it again", found("I use a ladder", scope=HERE), False),
        ("functions, please", found("I prefer short functions", kind=Kind.PREFERENCE), True),
        ("move the parser into functions of its own class", found("I prefer brief functions", kind=Kind.RULE), False),
        ("the test is slow", found("Ida may eat figs, the test was fine", kind=Kind.CONSTRAINT), False),
        ("when was I born?", found("I was born in Ghent"), True),
        ("when was it born?", found("I was born in Ghent"), False),
        ("feed the alpaca", found("We keep llamas now", led_by="We keep alpacas"), True),
        ("keep the box", found("We keep llamas now", led_by="The box of the alpacas", scope=HERE), False),
    ],
)
def test_in_a_project_a_life_takes_two_words_or_a_rare_one(prompt: str, item: RankedItem, *, bears: bool) -> None:
    """What holds in the project takes one word of a topic; a preference or a question of oneself takes all."""
    assert bool(bearing_on([item], asked(prompt), in_project=True)) is bears


def test_outside_a_project_one_word_of_a_topic_is_enough() -> None:
    """There a life is what is talked about."""
    item = found("The window of the loft sticks")
    assert bearing_on([item], asked("close the window")) == [item]


@pytest.mark.parametrize("way", ["cosine", "led"])
def test_what_was_found_otherwise_needs_no_word(way: str) -> None:
    """By its meaning, by the graph, or by an own slot."""
    item = replace(found("We keep llamas"), cosine=0.5 if way == "cosine" else None)
    led = frozenset({str(item.id)}) if way == "led" else frozenset()
    assert bearing_on([item], asked("shear the animals"), led=led, in_project=True)


@pytest.mark.parametrize(
    ("item", "answer", "cosine", "is_told"),
    [
        (found("The oven has three decks"), 3.0, 0.1, False),
        (found("The oven has three decks"), None, 0.5, True),
        (found("We always have dinner at six"), None, 0.1, True),
        (found("I have a peanut allergy"), 3.0, 0.1, True),
        (found("I have a piano"), 1.5, 0.1, False),
        (found("Keep recipes short", kind=Kind.PREFERENCE), None, 0.1, True),
        (RankedItem(source=Source.EPISODE, score=1.0, episode=turn(0, "The oven has three decks")), 3.0, 0.1, False),
        (RankedItem(source=Source.EPISODE, score=1.0, episode=turn(0, "Dinner was late")), None, 0.1, True),
    ],
)
def test_a_task_is_told_what_it_shares_a_topic_with(
    item: RankedItem, answer: float | None, cosine: float, *, is_told: bool
) -> None:
    """Or is near to; what directs work, and what is surely said of the user for it, needs neither."""
    read = replace(item, answer=answer, cosine=cosine)
    assert concerning([read], asked("suggest a dinner for tonight")) == ([read] if is_told else [])


@pytest.mark.parametrize(
    ("prompt", "item", "met"),
    [
        ("draw a crayon sketch of a zebra, a yak and the alpaca", found("The alpaca sleeps", scope=HERE), True),
        ("draw a quick sketch of the alpaca", found("The alpaca sleeps"), False),
        ("draw a quick sketch of my alpaca", found("My alpaca sleeps"), True),
        ("draw a crayon sketch of a zebra and my alpaca", found("My alpaca sleeps"), False),
        ("a quick sketch", found("I prefer sketches in crayon", kind=Kind.PREFERENCE), True),
        ("how heavy is the alpaca?", found("The alpaca sleeps", scope=HERE), True),
        ("what is the pedigree of the alpaca?", found("The alpaca sleeps", scope=HERE), False),
        ("open the window", found("The alpaca sleeps at the window", scope=HERE), False),
    ],
)
def test_a_task_is_met_by_a_rare_word_and_a_question_by_all(prompt: str, item: RankedItem, *, met: bool) -> None:
    """Most words of a task are new; a question is not answered by half of it; a life is met by the user's own words."""
    assert bool(met_by_rare_terms(asked(prompt), [item], in_project=True)) is met


def test_a_frequent_word_is_known_by_its_stem() -> None:
    """Whatever its ending."""
    assert is_frequent("window")
    assert is_frequent("run")
    assert not is_frequent("alpaca")


@pytest.mark.parametrize(
    ("prompt", "text", "odds", "is_told"),
    [
        ("What does Lumen cost?", "Dance school: Lumen, 12 pounds a class, teacher Priti", -2.0, True),
        ("what does lumen cost", "Dance school: Lumen, 12 pounds a class, teacher Priti", -2.0, True),
        ("What does Lumen cost?", "Dance school: Lumen, 12 pounds a class, teacher Priti", -4.0, False),
        ("What does Lumen cost?", "Dance school: Lumen, 12 pounds a class, teacher Priti", None, False),
        ("What does Lumen cost?", "Tilda dances at Lumen in the old mill", -2.0, False),
        ("What does Orla pay?", "Dance school: Lumen, 12 pounds a class, teacher Priti", -2.0, False),
        ("which class is it?", "Dance school: Lumen, 12 pounds a class, teacher Priti", -2.0, False),
    ],
)
def test_a_note_on_what_is_named_is_told_unless_it_is_denied(
    prompt: str, text: str, odds: float | None, is_told: bool
) -> None:
    """It lists values without their properties; a sentence says what it is about."""
    items = [replace(found(text), answer=odds), replace(found("The mill is closed."), answer=0.0)]
    assert not_denied(asked(prompt), items) == items[: int(is_told)]


def test_a_name_that_many_notes_have_tells_none_of_them() -> None:
    """Any of them might be what is asked for."""
    items = [replace(found(f"Lumen: room {place}, 12 pounds, all ages"), answer=0.0) for place in range(4)]
    assert not_denied(asked("What does Lumen cost?"), items) == []
    assert not_denied(asked("What does Lumen cost?"), items[:3]) == items[:3]
