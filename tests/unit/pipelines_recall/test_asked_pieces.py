"""Pieces of questions: each listed thing asked for alone, a set asked for by its members, every part answered first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_values import ranked, record

from dopejar.pipelines.recall.asked_pieces import as_listed, parts_of, with_pieces

NAMES = ("Ida", "Ravi", "Noor", "Tomasz", "Lea", "Bruno")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What do we use for CI, logs and deploys?", ("use for CI?", "use for logs?", "use for deploys?")),
        ("Who lives in flats 2 and 4?", ("lives in flats 2?", "lives in flats 4?")),
        ("When are Ida's and Noor's birthdays?", ("are Ida's birthdays?", "are Noor's birthdays?")),
        ("Where do the Bauers and the Holt sisters park?", ("do the Bauers park?", "do the Holt sisters park?")),
        ("What does she drink in the morning and before bed?", ("drink in the morning?", "drink before bed?")),
        ("Which came first, the fern or the rose?", ("came first, the fern?", "came first, the rose?")),
        (
            "When did versions 2.2, 2.0 and 2.1 come out?",
            ("sions 2.2 come", "sions 2.0 come", "sions 2.1 come"),
        ),
        ("Wo wohnen Anna und Peter?", ("wohnen Anna?", "wohnen Peter?")),
        ("What is the name and email of my dentist?", ("the name of my dentist?", "the email of my dentist?")),
        (
            "Which shops and bars did I visit in March 2026?",
            ("shops did I visit in March 2026?", "bars did I visit in March 2026?"),
        ),
        ("What are my brother and mother called?", ("my brother called?", "my mother called?")),
        ("Where do I keep nuts and bolts?", ("I keep nuts?", "I keep bolts?")),
        ("What do I finish tables and boards with?", ("finish tables", "finish boards")),
        ("What do the uncle and aunt drink?", ("the uncle drink?", "the aunt drink?")),
        ("In what order were versions 2.2 and 2.1 released?", ("versions 2.2 released?", "versions 2.1 released?")),
        ("¿Dónde viven Ana y Pedro?", ("viven Ana?", "viven Pedro?")),
        ("Onde moram Ana e Pedro?", ("moram Ana?", "moram Pedro?")),
        ("What are the black and white cats called?", ()),
        ("Where do I live and where do I work?", ()),
        ("Who painted the Mona Lisa and when?", ()),
        ("What is my first and last name?", ()),
        ("Onde mora o Pedro?", ()),
        ("Qual é o carro?", ()),
        ("Co víš o Janě?", ()),
        ("Which vitamin E pills do I take?", ()),
        ("What is on the y axis of the plot?", ()),
        ("Where is the key?", ()),
        ("and?", ()),
    ],
)
def test_each_listed_thing_is_asked_for_alone(text: str, parts: tuple[str, ...]) -> None:
    """The rest of the question stays with each of them; a question that lists nothing has no parts."""
    found = parts_of(text)
    assert len(found) == len(parts)
    assert all(part in one for part, one in zip(parts, found, strict=True))


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
def test_every_name_has_one_part(names: list[str]) -> None:
    """However many are listed, each part names one of them, in their order."""
    found = parts_of(f"Where do {', '.join(names[:-1])} and {names[-1]} live?")
    assert [[name for name in NAMES if name in part] for part in found] == [[name] for name in names]


@given(st.text(max_size=250))
def test_no_text_is_a_fault(text: str) -> None:
    """Whatever is asked is parted or not, and no part is empty."""
    assert all(part.strip(" ?") for part in parts_of(text))
    assert isinstance(as_listed(text), str)


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("How many plants do I have?", "What plants do I have?"),
        ("Which three cities did I visit?", "What cities did I visit?"),
        ("List all medicines Jan takes.", "What medicines Jan takes."),
        ("How many races have I run so far?", "What races have I run?"),
        ("Who are Jan's doctors?", "Who are Jan's doctors?"),
        ("Who are my children?", "Who are my children?"),
        ("Who are you?", ""),
        ("What are we using Kubernetes for?", ""),
        ("Which Paris is meant?", ""),
        ("What are the weather and the date?", ""),
        ("What does Jan take?", ""),
        ("Where do I keep the glue?", ""),
    ],
)
def test_a_set_is_asked_for_by_its_members(text: str, listed: str) -> None:
    """Their number is no matter of what is said of one; other questions are none for a set."""
    assert as_listed(text) == listed


@given(st.permutations(range(6)), st.data())
def test_every_part_is_answered_before_the_rest(order: list[int], data: st.DataObject) -> None:
    """The best item stays first, each part's first answer stands before what answers none, and nothing is lost."""
    known = [ranked(record(number, f"fact {number}"), 1.0) for number in order]
    answers = [
        [replace(item, answer=-1.0) for item in data.draw(st.permutations(known))[:2]] for _ in ("one part", "another")
    ]
    found = with_pieces(known, [(frozenset(), items) for items in answers])
    firsts = {known[0].id, *(items[0].id for items in answers)}
    assert found[0].id == known[0].id
    assert {item.id for item in found[: len(firsts)]} == firsts
    assert sorted(item.id for item in found) == sorted(item.id for item in known)


@pytest.mark.parametrize(
    ("answer", "terms", "is_told"),
    [(2.0, "kiln", True), (0.5, "fact", False), (None, "fact 2", True), (None, "fact kiln", False), (None, "", False)],
)
def test_what_only_a_part_finds_has_to_answer_it(answer: float | None, terms: str, is_told: bool) -> None:
    """It was read and surely answers, or has all terms of the part; its place alone says nothing."""
    known, found = ranked(record(1, "fact 1"), 1.0), replace(ranked(record(2, "fact 2"), 1.0), answer=answer)
    told = with_pieces([known], [(frozenset(terms.split()), [found])])
    assert [item.id for item in told] == [known.id, *([found.id] if is_told else [])]
