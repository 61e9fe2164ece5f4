"""Which of several things of one kind a question asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from recall_values import ranked, record, turn

from dopejar.pipelines.recall.asked_things import answering, asked_things, named_first, without_others
from dopejar.pipelines.recall.ranked_item import RankedItem


def items_of(*texts: str) -> list[RankedItem]:
    """Ranked records of these texts, best first."""
    return [ranked(record(place, text), 1.0 - place / 10) for place, text in enumerate(texts)]


def left(question: str, *texts: str) -> list[str]:
    """What is left of these texts for a question."""
    items = items_of(*texts)
    return [item.text for item in without_others(items, asked_things(question, items))]


@pytest.mark.parametrize(
    ("question", "named", "other"),
    [
        ("who lives in flat 2?", "Flat 2 is let to Petra", "Flat 1 is let to Mrs Okoye"),
        ("what is the port of server B?", "Server B listens on 9090", "Server A listens on 8080"),
        ("when does team 2 train?", "Teams 2 and 3 train on Friday", "Team 1 trains on Monday"),
        ("who sits in room 5?", "Rooms 4-6 are Karin's", "Room 7 is Per's"),
        ("what does flat two pay?", "Flat 2 pays 850", "Flat One pays 790"),
        ("which key opens the back door?", "The back door has a brass key", "The front door has a steel key"),
        ("what is Nadia's bedtime?", "Nadia's bedtime is eight", "We moved Timo's bedtime to nine"),
        ("who runs the Porto office?", "Rui runs our office in Porto", "Ann runs the Leeds office"),
    ],
)
def test_another_of_the_kind_is_left_out(question: str, named: str, other: str) -> None:
    """What names the asked one and what names none of the kind stay."""
    assert left(question, other, "It is cleaned on Mondays", named) == ["It is cleaned on Mondays", named]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("do I take 2 tablets?", ("I take 3 tablets", "The tablets are white")),
        ("is flat 2 larger than flat 1?", ("Flat 1 has 60 square metres", "Flat 2 has 50 square metres")),
        ("who lives in flat 2?", ("Flat 2 is Petra's, flat 1 is empty", "The flats were painted")),
        ("how is the release built?", ("Server A builds the release", "Server B is off")),
    ],
)
def test_nothing_is_left_out_where_nothing_is_told_apart(question: str, texts: tuple[str, ...]) -> None:
    """No text names the asked one, all are asked for, or a text is about both."""
    assert left(question, *texts) == list(texts)


def test_one_more_of_a_kind_is_told_apart_from_several() -> None:
    """Of flat 7 nothing is known where others are; what names none of the kind stays, and so do counts."""
    assert left("who lives in flat 7?", "Flat 1 is Petra's", "Flat 2 is Dan's", "The lift is new") == [
        "The lift is new"
    ]
    assert left("who lives in flat 7?", "Flat 1 is Petra's", "The lift is new") == [
        "Flat 1 is Petra's",
        "The lift is new",
    ]
    assert left("do I take 2 pills?", "I take 3 pills at night", "I take 4 drops") == [
        "I take 3 pills at night",
        "I take 4 drops",
    ]


def test_what_has_become_of_the_named_one_is_left() -> None:
    """Another number in the same slot is a newer or passing value; a turn alone names nothing that is told apart."""
    named, newer = (record(place, text, slot="api.port") for place, text in enumerate(("Port 8080", "Port 9090")))
    items = [ranked(named, 1.0), ranked(newer, 0.9)]
    asked = asked_things("is it on port 8080?", items)
    assert asked
    assert without_others(items, asked) == items
    assert asked_things("is it on port 8080?", [ranked(turn(1, "It is on port 8080."), 1.0), items[1]]) == frozenset()


def test_where_the_asked_one_answers_the_rest_has_to_answer_too() -> None:
    """Or to name it, or to be kept for another reason."""
    exact, other, sure, kept = items_of("Flat 3 is Jun's", "The rent is due on Friday", "Jun rents here", "Be brief")
    asked = asked_things("who rents flat 3?", [exact])
    told = [replace(exact, answer=0.5), other, replace(sure, answer=2.0), kept]
    assert [item.text for item in answering(told, asked, {kept.id})] == [exact.text, sure.text, kept.text]
    unsure = [replace(exact, answer=-0.5), other]
    assert answering(unsure, asked, frozenset()) == unsure


def test_what_names_the_asked_one_counts_more() -> None:
    """Than what only has the other words of the question."""
    near, exact = items_of("The rent is due on Friday", "Flat 3 is Jun's")
    found = named_first([near, exact], asked_things("who rents flat 3?", [near, exact]))
    assert found[1].score > found[0].score == near.score
